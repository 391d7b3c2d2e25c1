/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real client's own statistics (lctl get_param -n llite.*.stats) as the judge
 * of the exporter's counts. They count other things under the same names; the
 * relations are those observed on Lustre 2.15 and 2.17.
 */
#ifndef WORKLOAD_LLITE_H
#define WORKLOAD_LLITE_H

#include <stdint.h>

#include "tally.h"

#define LLITE_STATS    64
#define LLITE_NAME_LEN 32

struct llite_stat {
	char name[LLITE_NAME_LEN];
	uint64_t samples;
	uint64_t sum; /* 0 for plain counts */
};

struct llite_stats {
	struct llite_stat stat[LLITE_STATS];
	int n;
};

/* Several mounts may follow each other in the text; equal names add up. -EINVAL: not understood. */
int llite_parse(struct llite_stats *stats, char *text);

/*
 * Judges what happened between two readings. The workload must stay below a
 * directory of the mount: llite does not count opens of the root. Returns the
 * number of violated relations, one line on stdout each.
 */
int llite_compare(const struct llite_stats *before, const struct llite_stats *after,
		  const struct tally *exporter);

#endif
