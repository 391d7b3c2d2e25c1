/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families outside the table of series: gauges of the moment and what the exporter
 * says about itself. Built anew for each scrape and handed to the snapshot.
 *
 *	static const struct family refused = {
 *		.name = "lustre_ebpf_exporter_map_refused_total", ...
 *	};
 *	EXTRAS_ADD(x, &refused, n, {"map", "cells"});
 */
#ifndef SERIES_EXTRAS_H
#define SERIES_EXTRAS_H

#include "series/family.h"

#define EXTRAS_LABELS_MAX 12

struct extras;

/* started_ms: Unix time at which the counters among them were 0. NULL: no memory. */
struct extras *extras_new(uint64_t started_ms);
void extras_free(struct extras *x);

/*
 * One sample. Families are exposed in the order of their first sample. Label names
 * are constant data, values are copied (and repaired where they are not UTF-8). A
 * label set that is there already is added up: no duplicates. 0 or -ENOMEM.
 */
int extras_add(struct extras *x, const struct family *family, double value,
	       const struct label *labels, unsigned int n_labels);

#define EXTRAS_ADD(x, family, value, ...)                                 \
	extras_add(x, family, value, (const struct label[]){__VA_ARGS__}, \
		   sizeof((const struct label[]){__VA_ARGS__}) / sizeof(struct label))

/*
 * Walk: family number i, NULL past the end; its samples through *cursor, which
 * begins as NULL, until the result is 0.
 */
const struct family *extras_family(const struct extras *x, unsigned int i);
int extras_next(const struct extras *x, unsigned int i, const void **cursor, struct sample *sample);

#endif
