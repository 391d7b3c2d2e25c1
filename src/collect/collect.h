/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collection: from the kernel's cells to series. Each pass reads the mapped
 * cells, takes what they have grown by since the pass before, and adds it to the
 * series of the label set that the cell stands for. No system call is made for
 * it, and nothing in the kernel is reset. What a job has done stays in the cell until
 * the job's id is known, but not longer than jobs.h says: a series does not begin
 * without the id that it will have.
 *
 * One thread at a time may use a collector.
 */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"

struct allowlist;
struct intern;
struct jobs;
struct mounts;
struct series_table;

struct collector_options {
	bool strip_suffix;		   /* --process-name-strip-suffix */
	const struct allowlist *allowlist; /* --process-allowlist */
};

/* The mapped arrays; they must outlive the collector. */
struct collector_maps {
	const struct cell *cells;
	uint32_t n_cells;
	const struct size_cell *size_cells;
	const struct rpc_target *rpc_targets;
	struct mount_slot *mount_slots;
	const uint64_t *kernel_counters;
};

struct collector;

/* Borrows all its arguments; jobs NULL: not collected. NULL: no memory. */
struct collector *collector_new(const struct collector_options *options,
				const struct collector_maps *maps, struct mounts *mounts,
				struct jobs *jobs, struct series_table *series,
				struct intern *strings);
void collector_free(struct collector *c);

/*
 * One pass. Returns 0, or -ENOMEM: what could not be added is kept for the next
 * pass, nothing is lost.
 */
int collector_pass(struct collector *c);

/* Cells in use, without the folded ones. */
uint32_t collector_cells(const struct collector *c);

#endif
