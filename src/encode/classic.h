/* SPDX-License-Identifier: Apache-2.0 */
/* The classic buckets of a histogram, for every format. */
#ifndef ENCODE_CLASSIC_H
#define ENCODE_CLASSIC_H

#include "series/family.h"

#define CLASSIC_MAX 16 /* classic buckets of any layout, +Inf included */

_Static_assert(LATENCY_CLASSIC < CLASSIC_MAX && SIZE_CLASSIC < CLASSIC_MAX, "CLASSIC_MAX");

/* count[b]: observations in bucket b alone. */
static inline void classic_counts(const struct histogram *h, uint64_t count[CLASSIC_MAX])
{
	for (unsigned int b = 0; b <= h->layout->classic; b++)
		count[b] = 0;
	for (unsigned int i = 0; i < h->n; i++)
		count[h->layout->to_classic[h->first + i]] += h->bucket[i];
}

/* cumulative[b]: observations up to bound b, the last one (+Inf) all of them. */
static inline void classic_buckets(const struct histogram *h, uint64_t cumulative[CLASSIC_MAX])
{
	classic_counts(h, cumulative);
	for (unsigned int b = 1; b <= h->layout->classic; b++)
		cumulative[b] += cumulative[b - 1];
}

#endif
