/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a metric by some of its labels: what "sum by (...)" gives in PromQL. */
#ifndef WORKLOAD_PROJECT_H
#define WORKLOAD_PROJECT_H

#include "prom.h"

#define PROJECT_LABELS 8

struct group {
	const char *value[PROJECT_LABELS]; /* in the order of the labels asked for */
	double sum;
};

struct projection {
	struct group *groups; /* sorted by values */
	size_t n;
	size_t n_labels;
};

/*
 * labels: names, at most PROJECT_LABELS; an absent label has the empty value.
 * The result points into prom. Returns 0 or -ENOMEM.
 */
int project(struct projection *p, const struct prom *prom, const char *metric,
	    const char *const *labels, size_t n_labels, const struct prom_match *match,
	    size_t n_match);
void projection_free(struct projection *p);

/*
 * Compares two projections on the same labels, one line on stdout per group that
 * differs: "a{read,user} 99, b{read,user} 100". Returns the number of those.
 */
int projection_compare(const char *name_a, const struct projection *a, const char *name_b,
		       const struct projection *b);

#endif
