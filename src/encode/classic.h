/* SPDX-License-Identifier: Apache-2.0 */
/* The classic buckets of a histogram, for every format. */
#ifndef ENCODE_CLASSIC_H
#define ENCODE_CLASSIC_H

#include "series/family.h"

#define CLASSIC_MAX 16 /* classic buckets of any layout, +Inf included */

_Static_assert(LATENCY_CLASSIC < CLASSIC_MAX && SIZE_CLASSIC < CLASSIC_MAX, "CLASSIC_MAX");

/* cumulative[b]: observations up to bound b, the last one (+Inf) all of them. */
static inline void classic_buckets(const struct histogram *h, uint64_t cumulative[CLASSIC_MAX])
{
	unsigned int n = h->layout->classic + 1;

	for (unsigned int b = 0; b < n; b++)
		cumulative[b] = 0;
	for (unsigned int i = 0; i < h->n; i++)
		cumulative[h->layout->to_classic[h->first + i]] += h->bucket[i];
	for (unsigned int b = 1; b < n; b++)
		cumulative[b] += cumulative[b - 1];
}

#endif
