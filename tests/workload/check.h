/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold within one scrape and between two. Each violation is one line
 * on stdout; the functions return how many there were, or -errno.
 */
#ifndef WORKLOAD_CHECK_H
#define WORKLOAD_CHECK_H

#include "prom.h"

/* Families are complete, histograms cumulative, and _count is the +Inf bucket. */
int check_form(const struct prom *prom);

/* The families agree: detailed labels, totals and histograms count the same operations. */
int check_families(const struct prom *prom);

/*
 * No counter and no part of a histogram decreased or vanished. may_vanish: a
 * series that is gone is none (its mount went, or it was idle for long).
 */
int check_monotonic(const struct prom *before, const struct prom *after, bool may_vanish);

#endif
