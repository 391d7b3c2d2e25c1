/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram in native (exponential) buckets, for the formats that have them. */
#ifndef ENCODE_NATIVE_H
#define ENCODE_NATIVE_H

#include "series/family.h"

#define NATIVE_MAX LATENCY_BUCKETS /* buckets of any layout */

_Static_assert(SIZE_BUCKETS <= NATIVE_MAX, "NATIVE_MAX");

/* Consecutive native buckets first .. first + n - 1. */
struct native {
	int schema;
	double zero_threshold;
	uint64_t zero_count; /* observations up to the threshold */
	int first;
	unsigned int n; /* 0: none above the threshold */
	uint64_t count[NATIVE_MAX];
};

void native_buckets(const struct histogram *h, struct native *native);

/* The sum in the family's unit. */
double histogram_sum(const struct histogram *h);

/* Classic bound number b, likewise. */
double histogram_bound(const struct histogram_layout *layout, unsigned int b);

#endif
