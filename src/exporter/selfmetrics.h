/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exporter says about itself: its probes, its limits, its own cost.
 * Families lustre_ebpf_exporter_* and process_*.
 */
#ifndef EXPORTER_SELFMETRICS_H
#define EXPORTER_SELFMETRICS_H

#include <linux/types.h>

#include "probe/report.h"
#include "series/extras.h"
#include "series/table.h"

struct self_state {
	const struct probe_report *report;
	const uint64_t *kernel_counters;
	uint32_t cells, max_cells; /* in use, of */
	unsigned int mounts, mounts_missing;
	struct series_stats series;
	double collect_seconds; /* what the pass before this scrape took */
};

/* Adds all families. Returns 0 or -ENOMEM. */
int selfmetrics_add(struct extras *extras, const struct self_state *state);

#endif
