// SPDX-License-Identifier: Apache-2.0
/* Strings as small numbers, see intern.h. Ids of freed strings are used again. */
#include "series/intern.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "util/utf8.h"

struct interned {
	UT_hash_handle hh;
	uint32_t id;
	uint32_t refs;
	char text[];
};

struct intern {
	struct interned *by_text;
	struct interned **by_id; /* NULL: free id */
	uint32_t *free_ids;	 /* room for as many as by_id */
	uint32_t n_free;
	uint32_t n_ids; /* ids handed out so far */
	uint32_t room;
};

size_t label_clean(char clean[LABEL_VALUE_MAX], const char *str)
{
	return utf8_sanitize(clean, LABEL_VALUE_MAX, str, strnlen(str, LABEL_VALUE_MAX));
}

static int intern_grow(struct intern *in)
{
	uint32_t room = in->room ? in->room * 2 : 64;
	struct interned **by_id = realloc(in->by_id, room * sizeof(*by_id));
	uint32_t *free_ids;

	if (!by_id)
		return -ENOMEM;
	in->by_id = by_id;
	free_ids = realloc(in->free_ids, room * sizeof(*free_ids));
	if (!free_ids)
		return -ENOMEM;
	in->free_ids = free_ids;
	in->room = room;
	return 0;
}

static int intern_create(struct intern *in, const char *text, size_t len, uint32_t *id)
{
	struct interned *s;

	if (!in->n_free && in->n_ids == in->room && intern_grow(in))
		return -ENOMEM;
	s = calloc(1, sizeof(*s) + len + 1);
	if (!s)
		return -ENOMEM;
	memcpy(s->text, text, len);
	HASH_ADD_KEYPTR(hh, in->by_text, s->text, len, s);
	if (!s->hh.tbl) {
		free(s);
		return -ENOMEM;
	}
	s->refs = 1;
	s->id = in->n_free ? in->free_ids[--in->n_free] : in->n_ids++;
	in->by_id[s->id] = s;
	*id = s->id;
	return 0;
}

struct intern *intern_new(void)
{
	struct intern *in = calloc(1, sizeof(*in));
	uint32_t id;

	if (!in)
		return NULL;
	/* Id 0 stays without a string: no text leads to INTERN_NONE. */
	if (intern_grow(in))
		goto fail;
	in->by_id[INTERN_NONE] = NULL;
	in->n_ids = 1;
	if (intern_create(in, "other", strlen("other"), &id))
		goto fail;
	assert(id == INTERN_OTHER);
	return in;
fail:
	intern_free(in);
	return NULL;
}

void intern_free(struct intern *in)
{
	struct interned *s, *next;

	if (!in)
		return;
	HASH_ITER (hh, in->by_text, s, next) {
		HASH_DEL(in->by_text, s);
		free(s);
	}
	free(in->by_id);
	free(in->free_ids);
	free(in);
}

int intern_get(struct intern *in, const char *str, uint32_t *id)
{
	char text[LABEL_VALUE_MAX];
	struct interned *s;
	size_t len = label_clean(text, str);

	HASH_FIND(hh, in->by_text, text, len, s);
	if (!s)
		return intern_create(in, text, len, id);
	s->refs++;
	*id = s->id;
	return 0;
}

void intern_ref(struct intern *in, uint32_t id)
{
	if (id <= INTERN_OTHER)
		return;
	in->by_id[id]->refs++;
}

void intern_put(struct intern *in, uint32_t id)
{
	struct interned *s;

	if (id <= INTERN_OTHER)
		return;
	s = in->by_id[id];
	assert(s && s->refs > 0);
	if (--s->refs)
		return;
	HASH_DEL(in->by_text, s);
	in->by_id[id] = NULL;
	in->free_ids[in->n_free++] = id;
	free(s);
}

const char *intern_text(const struct intern *in, uint32_t id)
{
	if (id == INTERN_NONE)
		return "";
	return in->by_id[id] ? in->by_id[id]->text : NULL;
}

size_t intern_count(const struct intern *in)
{
	return in->n_ids - in->n_free - 2;
}

uint32_t intern_limit(const struct intern *in)
{
	return in->n_ids;
}
