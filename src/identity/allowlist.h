/* SPDX-License-Identifier: Apache-2.0 */
/* --process-allowlist: the names that are kept, every other becomes "other". */
#ifndef IDENTITY_ALLOWLIST_H
#define IDENTITY_ALLOWLIST_H

#include <stddef.h>

#define NAME_OTHER "other"

struct allowlist {
	const char **names; /* sorted */
	size_t n;	    /* 0: everything is kept */
};

/* The strings must outlive the list. Returns 0 or -ENOMEM. */
int allowlist_init(struct allowlist *list, const char *const *names, size_t n);

void allowlist_free(struct allowlist *list);

/* name itself, or NAME_OTHER. name is what would be exported: sanitized and folded. */
const char *allowlist_apply(const struct allowlist *list, const char *name);

#endif
