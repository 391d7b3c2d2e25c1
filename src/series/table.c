// SPDX-License-Identifier: Apache-2.0
/*
 * The series stage, see table.h. An addition first finds every series it goes to
 * and makes room there, then adds: nothing can fail between the first and the last
 * counter.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ops/rpc.h"
#include "ops/table.h"
#include "series/table_private.h"

/* How much of the identity a label set still tells. */
enum level {
	LEVEL_FULL,
	LEVEL_PROCESS, /* process is "other" */
	LEVEL_USER,    /* and uid */
	LEVEL_ALL,     /* and everything else of the identity */
	LEVELS,
};

/* Where one delta goes. */
struct target {
	struct series_entry *counters;
	struct series_entry *latency;
	struct series_entry *errors[ERRNO_CLASS_MAX];
};

struct series_table *series_table_new(const struct series_options *options, struct intern *strings)
{
	struct series_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->options = *options;
	t->strings = strings;
	t->stats.max_series = options->max_series;
	return t;
}

static struct series_uid *uid_find(const struct series_table *t, uint32_t uid)
{
	struct series_uid *u;

	HASH_FIND(hh, t->uids, &uid, sizeof(uid), u);
	return u;
}

static struct series_uid *uid_hold(struct series_table *t, uint32_t uid)
{
	struct series_uid *u = uid_find(t, uid);

	if (!u) {
		u = calloc(1, sizeof(*u));
		if (!u)
			return NULL;
		u->uid = uid;
		HASH_ADD(hh, t->uids, uid, sizeof(u->uid), u);
		if (!u->hh.tbl) {
			free(u);
			return NULL;
		}
	}
	u->entries++;
	return u;
}

static void uid_drop(struct series_table *t, struct series_uid *u)
{
	if (!u || --u->entries)
		return;
	HASH_DEL(t->uids, u);
	free(u);
}

static struct series_entry *entry_find(const struct series_table *t, const struct series_key *key)
{
	struct series_entry *e;

	HASH_FIND(hh, t->entries, key, sizeof(*key), e);
	return e;
}

static void entry_free(struct series_table *t, struct series_entry *e)
{
	intern_put(t->strings, e->key.process);
	intern_put(t->strings, e->key.actor);
	intern_put(t->strings, e->key.job);
	t->mounts[e->key.mount]->entries--;
	uid_drop(t, e->owner);
	free(e->errors);
	free(e->latency);
	free(e);
}

static struct series_entry *entry_create(struct series_table *t, const struct series_key *key)
{
	struct series_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->key = *key;
	e->created_ms = t->created_ms;
	e->last_active = t->now_ms / 1000;
	if (t->options.uid_labels && key->uid != UID_OTHER) {
		e->owner = uid_hold(t, key->uid);
		if (!e->owner)
			goto fail;
	}
	HASH_ADD(hh, t->entries, key, sizeof(e->key), e);
	if (!e->hh.tbl)
		goto fail;
	intern_ref(t->strings, key->process);
	intern_ref(t->strings, key->actor);
	intern_ref(t->strings, key->job);
	t->mounts[key->mount]->entries++;
	return e;
fail:
	uid_drop(t, e->owner);
	free(e);
	return NULL;
}

/* Told by server target, not by identity: few, and never folded here. */
static bool is_of_target(const struct series_key *key)
{
	return CELL_PLANE(key->op) == CELL_RPC_TARGET(0) || key->op == CELL_IMPORT;
}

/* The label set that the key has at a level, with the parts that are no labels blanked. */
static struct series_key key_at(const struct series_table *t, const struct series_key *key,
				enum level level)
{
	const struct series_options *o = &t->options;
	struct series_key k = *key;

	k.folded = 0;
	if (is_of_target(key)) {
		k.uid = UID_OTHER;
		if (key->folded)
			k.process = INTERN_OTHER;
		return k;
	}
	if (level >= LEVEL_PROCESS)
		k.process = INTERN_OTHER;
	if (level >= LEVEL_USER)
		k.uid = UID_OTHER;
	if (level >= LEVEL_ALL) {
		k.actor = INTERN_OTHER;
		k.job = INTERN_OTHER;
	}
	if (!o->process_labels)
		k.process = INTERN_NONE;
	if (!o->uid_labels)
		k.uid = 0;
	if (!o->job_labels)
		k.job = INTERN_NONE;
	return k;
}

static struct series_key latency_key(const struct series_table *t, const struct series_key *key)
{
	struct series_key k = *key;

	if (!t->options.histogram_process_labels && !is_of_target(key))
		k.process = INTERN_NONE;
	return k;
}

/* May so many series more be made at this level? */
static bool may_create(const struct series_table *t, const struct series_key *key, enum level level,
		       unsigned int more)
{
	uint64_t max = t->options.max_series;
	const uint64_t limit[] = {max - max / 8, max - max / 16, max};
	const uint64_t share[] = {max / 4, max / 4 + max / 16};

	if (level == LEVEL_ALL || is_of_target(key))
		return true;
	if (t->stats.series + (uint64_t)more > limit[level])
		return false;
	if (level < LEVEL_USER && t->options.uid_labels) {
		const struct series_uid *u = uid_find(t, key->uid);

		return (u ? u->series : 0) + (uint64_t)more <= share[level];
	}
	return true;
}

static unsigned int missing(const struct series_entry *e, unsigned int wanted)
{
	return __builtin_popcount(wanted & ~(e ? e->has : 0));
}

/* Families that the delta is counted in, without those of errors. */
struct wanted {
	unsigned int counters, latency;
};

static struct wanted wanted_of(const struct series_key *key, const struct series_delta *delta,
			       bool operations)
{
	bool bytes = delta->bytes || opcode_is_bulk(CELL_OPCODE(key->op));

	if (key->op < OP_MAX)
		return (struct wanted){
			HAS_OPERATIONS | (op_table[key->op].flags & OPF_BYTES ? HAS_BYTES : 0),
			HAS_LATENCY};
	/* Started and completed stand on the same label set, so that they meet. */
	if (key->op == CELL_RPC)
		return (struct wanted){HAS_ERROR(RPC_STARTED) | HAS_ERROR(RPC_COMPLETED) |
					       HAS_INFLIGHT | (operations ? HAS_OPERATIONS : 0),
				       operations ? HAS_LATENCY : 0};
	if (key->op == CELL_IMPORT)
		return (struct wanted){0, HAS_LATENCY};
	return (struct wanted){HAS_OPERATIONS | (bytes ? HAS_BYTES : 0),
			       is_of_target(key) ? HAS_LATENCY : 0};
}

/* Finds or makes the label set; NULL: no memory. */
static struct series_entry *entry_get(struct series_table *t, const struct series_key *key)
{
	struct series_entry *e = entry_find(t, key);

	return e ? e : entry_create(t, key);
}

/* Room for buckets first .. last. */
static int latency_reserve(struct series_entry *e, unsigned int first, unsigned int last)
{
	struct series_histogram *old = e->latency, *new;

	if (old && old->first <= first && last < (unsigned int)old->first + old->n)
		return 0;
	if (old) {
		first = old->first < first ? old->first : first;
		if (old->first + old->n - 1u > last)
			last = old->first + old->n - 1u;
	}
	new = calloc(1, sizeof(*new) + (last - first + 1) * sizeof(new->count[0]));
	if (!new)
		return -ENOMEM;
	new->first = first;
	new->n = last - first + 1;
	if (old) {
		new->sum_ns = old->sum_ns;
		memcpy(&new->count[old->first - first], old->count, old->n * sizeof(old->count[0]));
	}
	free(old);
	e->latency = new;
	return 0;
}

/* The level at which the operations are counted, and their two label sets. */
static int find_counters(struct series_table *t, const struct series_key *key,
			 const struct wanted *wanted, enum level *level, unsigned int *pending,
			 struct target *to)
{
	for (;; ++*level) {
		struct series_key k = key_at(t, key, *level), lk = latency_key(t, &k);

		to->counters = entry_find(t, &k);
		to->latency = entry_find(t, &lk);
		*pending = missing(to->counters, wanted->counters) +
			   missing(to->latency, wanted->latency);
		if (*pending && !may_create(t, &k, *level, *pending))
			continue;
		if (!to->counters)
			to->counters = entry_create(t, &k);
		if (!to->latency && wanted->latency)
			to->latency = entry_get(t, &lk);
		return to->counters && (to->latency || !wanted->latency) ? 0 : -ENOMEM;
	}
}

/* Where the errors of a class are counted: an error may be what a label set has no room for. */
static int find_errors(struct series_table *t, const struct series_key *key, enum level level,
		       unsigned int class, unsigned int *pending, struct target *to)
{
	struct series_entry *e;

	for (;; level++) {
		struct series_key k = key_at(t, key, level);
		unsigned int more;

		e = entry_find(t, &k);
		more = missing(e, HAS_ERROR(class));
		if (more && !may_create(t, &k, level, *pending + more))
			continue;
		*pending += more;
		if (!e)
			e = entry_create(t, &k);
		break;
	}
	if (e && !e->errors)
		e->errors = calloc(ERRNO_CLASS_MAX, sizeof(e->errors[0]));
	to->errors[class] = e;
	return e && e->errors ? 0 : -ENOMEM;
}

/* Counted together with the operations. */
static int find_paired(struct target *to, unsigned int class)
{
	struct series_entry *e = to->counters;

	if (!e->errors)
		e->errors = calloc(ERRNO_CLASS_MAX, sizeof(e->errors[0]));
	to->errors[class] = e;
	return e->errors ? 0 : -ENOMEM;
}

static void has(struct series_table *t, struct series_entry *e, unsigned int families)
{
	unsigned int more = missing(e, families);

	e->has |= families;
	e->last_active = t->now_ms / 1000;
	t->stats.series += more;
	if (e->owner)
		e->owner->series += more;
}

static void add_totals(struct series_table *t, const struct series_key *key, uint64_t operations,
		       uint64_t bytes)
{
	struct series_mount *m = t->mounts[key->mount];

	m->last_active_ms = t->now_ms;
	if (key->op >= OP_MAX)
		return;
	m->operations[key->op] += operations;
	m->bytes[key->op] += bytes;
}

int series_add(struct series_table *t, const struct series_key *key,
	       const struct series_delta *delta)
{
	enum level level = key->folded ? LEVEL_ALL : LEVEL_FULL;
	unsigned int first = LATENCY_BUCKETS, last = 0, pending;
	struct series_histogram *h;
	struct target to = {0};
	uint64_t operations = 0, any = delta->bytes;
	struct wanted wanted;
	int err;

	assert(key->mount < t->n_mounts && t->mounts[key->mount]);
	for (unsigned int b = 0; b < LATENCY_BUCKETS; b++) {
		if (!delta->latency[b])
			continue;
		operations += delta->latency[b];
		last = b;
		if (first == LATENCY_BUCKETS)
			first = b;
	}
	for (unsigned int c = 0; c < ERRNO_CLASS_MAX; c++)
		any |= delta->errors[c];
	/* Bytes and errors may be seen a pass before their operation. */
	if (!operations && !any)
		return 0;

	wanted = wanted_of(key, delta, operations);
	if (!operations)
		wanted.latency = 0;
	err = find_counters(t, key, &wanted, &level, &pending, &to);
	if (err)
		return err;
	if (wanted.latency)
		err = latency_reserve(to.latency, first, last);
	for (unsigned int c = 0; c < ERRNO_CLASS_MAX && !err; c++) {
		if (wanted.counters & HAS_ERROR(c))
			err = find_paired(&to, c);
		else if (delta->errors[c])
			err = find_errors(t, key, level, c, &pending, &to);
	}
	if (err)
		return err;

	has(t, to.counters, wanted.counters);
	to.counters->operations += operations;
	to.counters->bytes += delta->bytes;

	if (wanted.latency) {
		has(t, to.latency, HAS_LATENCY);
		h = to.latency->latency;
		h->sum_ns += delta->latency_sum_ns;
		for (unsigned int b = first; b <= last; b++)
			h->count[b - h->first] += delta->latency[b];
	}

	for (unsigned int c = 0; c < ERRNO_CLASS_MAX; c++) {
		if (!to.errors[c])
			continue;
		has(t, to.errors[c], HAS_ERROR(c));
		to.errors[c]->errors[c] += delta->errors[c];
	}
	add_totals(t, key, operations, delta->bytes);
	if (level > LEVEL_FULL)
		t->stats.folded[level - LEVEL_PROCESS] += operations;
	return 0;
}

void series_add_sizes(struct series_table *t, uint16_t mount, bool is_write,
		      const struct size_cell *delta)
{
	struct series_mount *m = t->mounts[mount];
	struct series_sizes *s = &m->sizes[is_write];

	s->sum += delta->sum;
	for (unsigned int b = 0; b < SIZE_BUCKETS; b++) {
		s->count[b] += delta->count[b];
		s->used |= delta->count[b] != 0;
	}
}

void series_begin(struct series_table *t, uint64_t monotonic_ms, uint64_t unix_ms)
{
	t->created_ms = t->now_unix_ms ? t->now_unix_ms : unix_ms;
	t->now_unix_ms = unix_ms;
	t->now_ms = monotonic_ms;
}

static void mount_free(struct series_mount *m)
{
	if (!m)
		return;
	free(m->fs);
	free(m->mount);
	free(m);
}

static struct series_mount *mount_create(struct series_table *t, const char *fs, const char *mount)
{
	struct series_mount *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fs = strdup(fs);
	m->mount = strdup(mount);
	m->created_ms = t->created_ms;
	m->last_active_ms = t->now_ms;
	if (m->fs && m->mount)
		return m;
	mount_free(m);
	return NULL;
}

int series_mount_get(struct series_table *t, const char *fs, const char *mount, uint16_t *id)
{
	char clean_fs[LABEL_VALUE_MAX], clean_mount[LABEL_VALUE_MAX];
	uint32_t slot = t->n_mounts;

	label_clean(clean_fs, fs);
	label_clean(clean_mount, mount);
	for (uint32_t i = 0; i < t->n_mounts; i++) {
		struct series_mount *m = t->mounts[i];

		if (!m) {
			slot = i;
		} else if (!strcmp(m->fs, clean_fs) && !strcmp(m->mount, clean_mount)) {
			m->holders++;
			*id = i;
			return 0;
		}
	}
	if (slot == SERIES_MOUNTS_MAX)
		return -ENOSPC;
	if (slot == t->n_mounts) {
		struct series_mount **mounts = realloc(t->mounts, (slot + 1) * sizeof(*t->mounts));

		if (!mounts)
			return -ENOMEM;
		t->mounts = mounts;
		t->mounts[slot] = NULL;
		t->n_mounts++;
	}
	t->mounts[slot] = mount_create(t, clean_fs, clean_mount);
	if (!t->mounts[slot])
		return -ENOMEM;
	t->mounts[slot]->holders = 1;
	*id = slot;
	return 0;
}

void series_mount_put(struct series_table *t, uint16_t id)
{
	struct series_mount *m = t->mounts[id];

	assert(m && m->holders > 0);
	m->holders--;
	m->last_active_ms = t->now_ms;
}

static void entry_retire(struct series_table *t, struct series_entry *e)
{
	unsigned int series = __builtin_popcount(e->has);

	t->stats.series -= series;
	t->stats.retired += series;
	if (e->owner)
		e->owner->series -= series;
	HASH_DEL(t->entries, e);
	entry_free(t, e);
}

void series_retire(struct series_table *t)
{
	struct series_entry *e, *next;

	if (!t->options.ttl_ms)
		return;
	HASH_ITER (hh, t->entries, e, next) {
		/* Requests under way: their end is to meet their beginning. */
		if (e->key.op == CELL_RPC && e->errors &&
		    e->errors[RPC_STARTED] != e->errors[RPC_COMPLETED])
			continue;
		if (e->last_active * 1000ULL + t->options.ttl_ms <= t->now_ms)
			entry_retire(t, e);
	}
	for (uint32_t i = 0; i < t->n_mounts; i++) {
		struct series_mount *m = t->mounts[i];

		if (!m || m->holders || m->entries ||
		    m->last_active_ms + t->options.ttl_ms > t->now_ms)
			continue;
		mount_free(m);
		t->mounts[i] = NULL;
	}
}

void series_table_free(struct series_table *t)
{
	struct series_entry *e, *next;

	if (!t)
		return;
	HASH_ITER (hh, t->entries, e, next) {
		HASH_DEL(t->entries, e);
		entry_free(t, e);
	}
	for (uint32_t i = 0; i < t->n_mounts; i++)
		mount_free(t->mounts[i]);
	free(t->mounts);
	free(t);
}

void series_stats(const struct series_table *t, struct series_stats *stats)
{
	*stats = t->stats;
}
