// SPDX-License-Identifier: Apache-2.0
/*
 * Taking and letting go of snapshots. Rows point to strings and numbers by offset
 * into two pools, which makes them small; walk.c reads them.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "series/snapshot_private.h"
#include "series/table_private.h"

static int pool_add(struct string_pool *p, const char *text, uint32_t *offset)
{
	size_t len = strlen(text) + 1;

	if (p->used + len > p->room) {
		size_t room = (p->used + len) * 2;
		char *base = realloc(p->base, room);

		if (!base)
			return -ENOMEM;
		p->base = base;
		p->room = room;
	}
	memcpy(p->base + p->used, text, len);
	*offset = p->used;
	p->used += len;
	return 0;
}

/* The strings that the table's rows name: offset[] by id. */
static int copy_strings(struct snapshot *s, const struct series_table *t, uint32_t *offset)
{
	uint32_t limit = intern_limit(t->strings);

	for (uint32_t id = 0; id < limit; id++) {
		const char *text = intern_text(t->strings, id);

		if (text && pool_add(&s->strings, text, &offset[id]))
			return -ENOMEM;
	}
	return 0;
}

/* One answer per uid: a name that changes meanwhile cannot split a user. */
static int copy_usernames(struct snapshot *s, struct series_table *t, username_fn *username,
			  void *ctx)
{
	char clean[LABEL_VALUE_MAX];
	struct series_uid *u, *next;

	HASH_ITER (hh, t->uids, u, next) {
		label_clean(clean, username(ctx, u->uid));
		if (pool_add(&s->strings, clean, &u->snapshot_name))
			return -ENOMEM;
	}
	return 0;
}

static int copy_mounts(struct snapshot *s, const struct series_table *t)
{
	s->mounts = calloc(t->n_mounts ? t->n_mounts : 1, sizeof(*s->mounts));
	if (!s->mounts)
		return -ENOMEM;
	s->n_mounts = t->n_mounts;
	for (uint32_t i = 0; i < t->n_mounts; i++) {
		const struct series_mount *from = t->mounts[i];
		struct snapshot_mount *to = &s->mounts[i];

		if (!from)
			continue;
		if (pool_add(&s->strings, from->fs, &to->fs) ||
		    pool_add(&s->strings, from->mount, &to->mount))
			return -ENOMEM;
		to->created_ms = from->created_ms;
		memcpy(to->operations, from->operations, sizeof(to->operations));
		memcpy(to->bytes, from->bytes, sizeof(to->bytes));
		memcpy(to->sizes, from->sizes, sizeof(to->sizes));
	}
	return 0;
}

static int copy_rows(struct snapshot *s, const struct series_table *t, const uint32_t *offset,
		     uint32_t other)
{
	struct snapshot_row *row;
	struct series_entry *e, *next;
	size_t n_values = 0;
	uint64_t *value;

	HASH_ITER (hh, t->entries, e, next) {
		n_values += e->errors ? ERRNO_CLASS_MAX : 0;
		n_values += e->latency ? 1 + e->latency->n : 0;
	}
	s->n_rows = HASH_COUNT(t->entries);
	s->rows = malloc((s->n_rows ? s->n_rows : 1) * sizeof(*s->rows));
	s->values = malloc((n_values ? n_values : 1) * sizeof(*s->values));
	if (!s->rows || !s->values)
		return -ENOMEM;

	row = s->rows;
	value = s->values;
	HASH_ITER (hh, t->entries, e, next) {
		*row = (struct snapshot_row){
			.created_ms = e->created_ms,
			.operations = e->operations,
			.bytes = e->bytes,
			.uid = e->key.uid,
			.username = e->owner ? e->owner->snapshot_name : other,
			.process = offset[e->key.process],
			.actor = offset[e->key.actor],
			.job = offset[e->key.job],
			.mount = e->key.mount,
			.op = e->key.op,
			.has = e->has,
		};
		if (e->errors) {
			row->errors = value - s->values;
			memcpy(value, e->errors, ERRNO_CLASS_MAX * sizeof(*value));
			value += ERRNO_CLASS_MAX;
		}
		if (e->latency) {
			row->first = e->latency->first;
			row->n = e->latency->n;
			row->latency = value - s->values;
			*value++ = e->latency->sum_ns;
			memcpy(value, e->latency->count, row->n * sizeof(*value));
			value += row->n;
		}
		row++;
	}
	return 0;
}

int snapshot_take(struct series_table *t, struct extras *extras, username_fn *username, void *ctx,
		  uint64_t unix_ms, struct snapshot **snapshot)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	uint32_t *offset = calloc(intern_limit(t->strings), sizeof(*offset));
	int err = -ENOMEM;

	if (!s || !offset) {
		extras_free(extras);
		free(s);
		goto out;
	}
	atomic_init(&s->refs, 1);
	s->unix_ms = unix_ms;
	s->options = t->options;
	s->extras = extras;
	if (copy_strings(s, t, offset) || copy_usernames(s, t, username, ctx) ||
	    copy_mounts(s, t) || copy_rows(s, t, offset, offset[INTERN_OTHER])) {
		snapshot_put(s);
		goto out;
	}
	*snapshot = s;
	err = 0;
out:
	free(offset);
	return err;
}

struct snapshot *snapshot_ref(struct snapshot *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

void snapshot_put(struct snapshot *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
		return;
	extras_free(s->extras);
	free(s->strings.base);
	free(s->mounts);
	free(s->rows);
	free(s->values);
	free(s);
}

uint64_t snapshot_unix_ms(const struct snapshot *s)
{
	return s->unix_ms;
}
