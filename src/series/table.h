/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The series stage: what has been counted so far, per label set.
 *
 * The collecting thread adds what a kernel cell has grown by; a scrape reads a copy
 * (series/snapshot.h). Not thread-safe: one thread owns a table.
 *
 * Two levels. A USER label set is (mount, op, uid, actor, job) and carries the
 * histogram; a PROCESS label set is a user's plus the process name and carries the
 * counters. (--histogram-process-labels: the process label set carries both.) Both
 * are found in the same step, so that the _count of a histogram is at any time the
 * sum of the counters of its processes.
 *
 * Limits. A series is one label set of one family. With max the limit:
 *	- a label set with its process name is made while there are fewer than 7/8
 *	  max series, and fewer than 1/4 max of the same uid;
 *	- beyond that process becomes "other"; 15/16 max, and 5/16 max of the uid;
 *	- beyond that uid and username become "other" as well, up to max;
 *	- beyond that all identity labels are "other". These label sets always can
 *	  be made: there is one per mount and op.
 * What exists goes on being counted where it is: "other" takes only what arrives
 * for label sets that could not be made, and no series ever decreases.
 */
#ifndef SERIES_TABLE_H
#define SERIES_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "series/intern.h"

#define UID_OTHER	  UINT32_MAX /* (uid_t)-1 is never anybody's */
#define SERIES_MOUNTS_MAX 1024

struct series_options {
	bool uid_labels;	       /* --uid-labels */
	bool process_labels;	       /* --process-labels */
	bool histogram_process_labels; /* --histogram-process-labels */
	bool job_labels;	       /* --slurm-jobid */
	uint32_t max_series;	       /* --max-series */
	uint64_t ttl_ms;	       /* --series-ttl; 0: series do not end */
};

/*
 * Who did what where. Parts that are not labels (options) are ignored. In what is told
 * by server target, process is the target and uid is UID_OTHER.
 */
struct series_key {
	uint32_t process; /* interned */
	uint32_t actor;	  /* interned */
	uint32_t job;	  /* interned; INTERN_NONE: in no job */
	uint32_t uid;
	uint16_t mount;	 /* from series_mount_get() */
	uint16_t op;	 /* enum op_id, or CELL_RPC... */
	uint32_t folded; /* the kernel had no cell for the identity: all of it is "other" */
};

/* What a cell has grown by, see struct cell. The number of operations is the sum of latency[]. */
struct series_delta {
	uint64_t bytes;
	uint64_t latency_sum_ns;
	uint64_t errors[ERRNO_CLASS_MAX];
	uint64_t latency[LATENCY_BUCKETS];
};

/* How many operations lost which labels on their way to a series. */
enum series_fold {
	FOLD_PROCESS,
	FOLD_USER,
	FOLD_ALL,
	FOLD_MAX,
};

struct series_stats {
	uint32_t series;
	uint32_t max_series;
	uint64_t folded[FOLD_MAX]; /* operations */
	uint64_t retired;	   /* series ended by ttl */
};

struct series_table;

/* The table keeps a pointer to the strings, not to the options. NULL: no memory. */
struct series_table *series_table_new(const struct series_options *options, struct intern *strings);
void series_table_free(struct series_table *t);

/*
 * Begins a pass of collection: time of what is added until the next call.
 * A series made in this pass is told as created at the time of the pass before,
 * when its value was still 0.
 */
void series_begin(struct series_table *t, uint64_t monotonic_ms, uint64_t unix_ms);

/*
 * The number of a mount: fs name and mount point, the label values. One pair has one
 * number, also when the mount goes and comes back. Held until put; its totals then
 * stay for the ttl. 0, -ENOMEM, or -ENOSPC (SERIES_MOUNTS_MAX).
 */
int series_mount_get(struct series_table *t, const char *fs, const char *mount, uint16_t *id);
void series_mount_put(struct series_table *t, uint16_t id);

/*
 * Adds to the series of the key and to the totals of its mount. 0, or -ENOMEM with
 * nothing added at all: the caller offers the same again in its next pass.
 * Takes references of its own on the key's strings.
 */
int series_add(struct series_table *t, const struct series_key *key,
	       const struct series_delta *delta);

/* Request sizes of reads or writes, which have no labels of identity. */
void series_add_sizes(struct series_table *t, uint16_t mount, bool is_write,
		      const struct size_cell *delta);

/* Ends what has been idle for the ttl. Walks everything: once in a while, not per pass. */
void series_retire(struct series_table *t);

void series_stats(const struct series_table *t, struct series_stats *stats);

#endif
