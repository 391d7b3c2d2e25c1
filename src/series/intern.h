/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings as small numbers: label values are compared, hashed and stored as ids.
 * Counted references; a string nobody holds is freed, so that a user who invents
 * names does not make the table grow.
 *
 * Whatever bytes come in, the string kept is valid UTF-8; it is repaired before it
 * is looked up, so that two ids never have the same text.
 */
#ifndef SERIES_INTERN_H
#define SERIES_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE  0 /* no value; its text is empty. Not equal to the id of "" */
#define INTERN_OTHER 1 /* "other" */

#define LABEL_VALUE_MAX 4096 /* bytes kept of a value: PATH_MAX */

struct intern;

/* A label value as it may be exposed: valid UTF-8, cut to LABEL_VALUE_MAX. Returns its length. */
size_t label_clean(char clean[LABEL_VALUE_MAX], const char *str);

/* NULL: no memory. */
struct intern *intern_new(void);
void intern_free(struct intern *in);

/*
 * The id of the string, with one reference more; 0 and *id set, or -ENOMEM.
 * INTERN_NONE and INTERN_OTHER need no reference, but may have one.
 */
int intern_get(struct intern *in, const char *str, uint32_t *id);
void intern_ref(struct intern *in, uint32_t id);
void intern_put(struct intern *in, uint32_t id);

/* Valid until the last reference is put; NULL for an id that is free. */
const char *intern_text(const struct intern *in, uint32_t id);

size_t intern_count(const struct intern *in);	/* strings held, without the two fixed ones */
uint32_t intern_limit(const struct intern *in); /* every id in use is below it */

#endif
