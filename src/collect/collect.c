// SPDX-License-Identifier: Apache-2.0
/* From cells to series. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "collect/collect.h"
#include "collect/rpc.h"
#include "identity/actor.h"
#include "identity/allowlist.h"
#include "identity/jobs.h"
#include "identity/procname.h"
#include "mount/mounts.h"
#include "series/table.h"
#include "util/utf8.h"

/* The counters of a cell as an array; a series_delta has the same layout. */
#define CELL_COUNTERS (sizeof(struct series_delta) / sizeof(uint64_t))
_Static_assert(sizeof(struct cell) == sizeof(struct cell_key) + sizeof(struct series_delta),
	       "a cell is its key and its counters");
_Static_assert(offsetof(struct cell, latency) - sizeof(struct cell_key) ==
		       offsetof(struct series_delta, latency),
	       "same order of counters");

/*
 * CPUs that take a cell off the stack at once and lose the race give it back:
 * indexes in use may lie that far above the number of cells made.
 */
#define INDEX_SLACK 1024

/* What is known of a cell: its counters at the last pass, and whose they are. */
struct shadow {
	struct series_delta last;
	uint32_t process, actor, job; /* interned */
	uint32_t job_version;	      /* of the job's label, 0: it has none */
	bool known;
};

struct mount_series {
	bool held;
	uint16_t id;	  /* of the series table */
	uint32_t version; /* of the labels, see mounts_label() */
};

struct collector {
	struct collector_options options;
	struct collector_maps maps;
	struct mounts *mounts;
	struct jobs *jobs; /* NULL: not collected */
	struct series_table *series;
	struct intern *strings;
	struct shadow *shadow; /* n_cells, touched only as cells come into use */
	struct size_cell size_shadow[SIZE_CELLS];
	struct mount_series mount[MOUNTS_ALL];
};

static uint64_t now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* What cells without an identity are told by. */
static int identify_target(struct collector *c, const struct cell_key *key, struct shadow *shadow)
{
	char label[TARGET_NAME_LEN];

	rpc_target_label(c->maps.rpc_targets, key, label);
	shadow->known = true;
	return intern_get(c->strings, label, &shadow->process);
}

static enum mount_decision decision(const struct collector *c, unsigned int mount)
{
	return mount == MOUNT_NONE ? MOUNT_SELECTED : mounts_decision(c->mounts, mount);
}

/*
 * Names the owner of a cell: the actor type by the name as it is, the process
 * label after folding and allowlist.
 */
static int identify(struct collector *c, const struct cell_key *key, bool in_job,
		    struct shadow *shadow)
{
	char name[UTF8_SANITIZED_MAX(COMM_LEN)];
	uint32_t process, actor;
	size_t len;
	int err;

	len = utf8_sanitize(name, sizeof(name), key->comm, COMM_LEN);
	err = intern_get(c->strings,
			 actor_type_name(actor_type(name, key->flags & WHO_KTHREAD, in_job)),
			 &actor);
	if (err)
		return err;
	if (c->options.strip_suffix)
		procname_fold(name, len);
	err = intern_get(c->strings, allowlist_apply(c->options.allowlist, name), &process);
	if (err) {
		intern_put(c->strings, actor);
		return err;
	}
	shadow->process = process;
	shadow->actor = actor;
	shadow->known = true;
	return 0;
}

/*
 * Names the job of a cell; -EAGAIN: its id is not known yet. Sets *in_job to
 * whether it is one.
 */
static int identify_job(struct collector *c, const struct cell_key *key, struct shadow *shadow,
			bool *in_job)
{
	const char *text;
	uint32_t version, job = INTERN_NONE;
	int err = 0;

	*in_job = key->flags & WHO_BATCH;
	if (!key->job || !c->jobs)
		return 0;
	switch (jobs_label(c->jobs, key->job, now_ns(), &text, &version)) {
	case JOB_LABEL_WAIT:
		return -EAGAIN;
	case JOB_LABEL_NONE:
		*in_job = false;
		return 0;
	case JOB_LABEL_GONE:
		return 0;
	case JOB_LABEL_TEXT:
		break;
	}
	if (version == shadow->job_version)
		return 0;
	/* An id that is not to be had looks like no job: it must be the same series. */
	if (*text)
		err = intern_get(c->strings, text, &job);
	if (err)
		return err;
	intern_put(c->strings, shadow->job);
	shadow->job = job;
	shadow->job_version = version;
	return 0;
}

/* Fills delta with what the cell has grown by; false if it has not. */
static bool grown(const struct cell *cell, const struct shadow *shadow, struct series_delta *delta)
{
	const uint64_t *now = (const uint64_t *)&cell->bytes,
		       *last = (const uint64_t *)&shadow->last;
	uint64_t *out = (uint64_t *)delta, any = 0;

	/* The latency bucket is what makes an operation; it is written last and read first. */
	for (size_t i = CELL_COUNTERS; i-- > 0;)
		any |= out[i] = load(&now[i]) - last[i];
	return any;
}

static void remember(struct shadow *shadow, const struct series_delta *delta)
{
	uint64_t *last = (uint64_t *)&shadow->last;
	const uint64_t *add = (const uint64_t *)delta;

	for (size_t i = 0; i < CELL_COUNTERS; i++)
		last[i] += add[i];
}

static int take_cell(struct collector *c, uint32_t index, const struct cell_key *key)
{
	const struct cell *cell = &c->maps.cells[index];
	struct shadow *shadow = &c->shadow[index];
	struct series_delta delta;
	bool in_job;
	int err;

	if (!grown(cell, shadow, &delta))
		return 0;
	switch (decision(c, key->mount)) {
	case MOUNT_UNDECIDED: /* kept in the cell until it has a name */
		return 0;
	case MOUNT_REJECTED:
		remember(shadow, &delta);
		return 0;
	case MOUNT_SELECTED:
		break;
	}
	if (rpc_cell_is_of_target(key)) {
		err = shadow->known || key->flags & WHO_FOLDED ? 0
							       : identify_target(c, key, shadow);
		if (err)
			return err;
	} else if (!(key->flags & WHO_FOLDED)) {
		err = identify_job(c, key, shadow, &in_job);
		if (!err && !shadow->known)
			err = identify(c, key, in_job, shadow);
		if (err)
			return err == -EAGAIN ? 0 : err;
	}
	err = series_add(c->series,
			 &(struct series_key){
				 .process = shadow->process,
				 .actor = shadow->actor,
				 .job = shadow->job,
				 .uid = key->uid,
				 .mount = c->mount[key->mount].id,
				 .op = key->op,
				 .folded = key->flags & WHO_FOLDED,
			 },
			 &delta);
	if (!err)
		remember(shadow, &delta);
	return err;
}

static int take_cells(struct collector *c)
{
	uint32_t end =
		FOLDED_CELLS + load(&c->maps.kernel_counters[KC_CELLS_CREATED]) + INDEX_SLACK;
	int err = 0, e;

	for (uint32_t i = 0; i < FOLDED_CELLS; i++) {
		struct cell_key key = {.mount = i / FOLDED_KINDS,
				       .op = FOLDED_OP(i % FOLDED_KINDS),
				       .flags = WHO_FOLDED};

		e = take_cell(c, i, &key);
		err = err ? err : e;
	}
	for (uint32_t i = FOLDED_CELLS; i < end && i < c->maps.n_cells; i++) {
		e = take_cell(c, i, &c->maps.cells[i].key);
		err = err ? err : e;
	}
	return err;
}

static void take_sizes(struct collector *c)
{
	for (uint32_t i = 0; i < SIZE_CELLS; i++) {
		uint64_t *now = (uint64_t *)&c->maps.size_cells[i];
		uint64_t *last = (uint64_t *)&c->size_shadow[i];
		struct size_cell delta;
		uint64_t any = 0, *out = (uint64_t *)&delta;
		unsigned int mount = i / 2;
		enum mount_decision decision = mounts_decision(c->mounts, mount);

		if (decision == MOUNT_UNDECIDED)
			continue;
		for (size_t k = sizeof(delta) / sizeof(uint64_t); k-- > 0;)
			any |= out[k] = load(&now[k]) - last[k];
		if (!any)
			continue;
		if (decision == MOUNT_SELECTED)
			series_add_sizes(c->series, c->mount[mount].id, i % 2, &delta);
		for (size_t k = 0; k < sizeof(delta) / sizeof(uint64_t); k++)
			last[k] += out[k];
	}
}

/* Gives each selected mount its number among the series; its labels may have changed. */
static int name_mounts(struct collector *c)
{
	for (unsigned int i = 0; i < MOUNTS_ALL; i++) {
		struct mount_label label = {"", "", 1}; /* of MOUNT_NONE */
		struct mount_series *m = &c->mount[i];
		int err;

		if (decision(c, i) != MOUNT_SELECTED)
			continue;
		if (i != MOUNT_NONE)
			mounts_label(c->mounts, i, &label);
		if (m->held && m->version == label.version)
			continue;
		if (m->held)
			series_mount_put(c->series, m->id);
		m->held = false;
		err = series_mount_get(c->series, label.fs, label.mount, &m->id);
		if (err)
			return err;
		m->held = true;
		m->version = label.version;
	}
	return 0;
}

/* What is counted of a super block that is gone has been collected: its slot may be used again. */
static void free_gone_mounts(struct collector *c, const bool *gone)
{
	for (unsigned int i = 0; i < MOUNT_SLOTS; i++) {
		if (!gone[i])
			continue;
		if (c->mount[i].held)
			series_mount_put(c->series, c->mount[i].id);
		c->mount[i].held = false;
		mounts_release(c->mounts, i);
	}
}

int collector_pass(struct collector *c)
{
	bool gone[MOUNT_SLOTS];
	int err;

	series_begin(c->series, now_ms(CLOCK_MONOTONIC), now_ms(CLOCK_REALTIME));
	/* Before reading: what was gone then can have grown no more since. */
	for (unsigned int i = 0; i < MOUNT_SLOTS; i++)
		gone[i] = __atomic_load_n(&c->maps.mount_slots[i].state, __ATOMIC_ACQUIRE) ==
			  MOUNT_GONE;
	mounts_update(c->mounts);
	err = name_mounts(c);
	if (!err)
		err = take_cells(c);
	if (err)
		return err;
	take_sizes(c);
	if (c->jobs)
		jobs_update(c->jobs, now_ns());
	free_gone_mounts(c, gone);
	return 0;
}

uint32_t collector_cells(const struct collector *c)
{
	return load(&c->maps.kernel_counters[KC_CELLS_CREATED]);
}

struct collector *collector_new(const struct collector_options *options,
				const struct collector_maps *maps, struct mounts *mounts,
				struct jobs *jobs, struct series_table *series,
				struct intern *strings)
{
	struct collector *c = calloc(1, sizeof(*c));
	void *shadow;

	if (!c)
		return NULL;
	/* Mapped, not allocated: pages of cells that are never used never exist. */
	shadow = mmap(NULL, maps->n_cells * sizeof(struct shadow), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shadow == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->shadow = shadow;
	c->options = *options;
	c->maps = *maps;
	c->mounts = mounts;
	c->jobs = jobs;
	c->series = series;
	c->strings = strings;
	return c;
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	munmap(c->shadow, c->maps.n_cells * sizeof(struct shadow));
	free(c);
}
