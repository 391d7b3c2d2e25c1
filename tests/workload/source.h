/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where counts of operations are read from: the simulated client's own counts
 * (debugfs lustre_sim/operations), a real client's statistics (llite.*.stats),
 * or the exporter's metrics. All end in a tally per file system.
 */
#ifndef WORKLOAD_SOURCE_H
#define WORKLOAD_SOURCE_H

#include <stddef.h>

#include "prom.h"
#include "tally.h"

#define SOURCE_MAX  64
#define FS_NAME_LEN 64

struct fs_tally {
	char name[FS_NAME_LEN]; /* "lustre-ffff8881...": instance, or the file system's name */
	struct tally tally;
};

struct tallies {
	struct fs_tally fs[SOURCE_MAX];
	size_t n;
};

/* The entry of that name, made if it does not exist; NULL when full. */
struct tally *tallies_at(struct tallies *t, const char *name, size_t len);

/*
 * Lines "<fsname>-<16 hex> <op> <operations> <bytes> <timeout> <notconn> <perm>
 * <notfound> <io> <again> <other>". by_instance: keep the instances of one file
 * system apart. Returns 0 or -EINVAL (reported on stderr).
 */
int tallies_from_sim(struct tallies *t, char *text, bool by_instance);

/* The exporter's totals, by file system or (by_mount) by mount point. */
int tallies_from_prom(struct tallies *t, const struct prom *prom, bool by_mount);

/* Everything in one. */
void tallies_sum(struct tally *sum, const struct tallies *t);

/*
 * Reads one tally of everything from: a URL (the exporter) or a file, either the
 * simulated client's or a saved scrape. Returns 0 or -errno (reported on stderr).
 */
int tally_read(struct tally *t, const char *where);

#endif
