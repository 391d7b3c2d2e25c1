// SPDX-License-Identifier: Apache-2.0
/* The kernel's buckets as native ones: those that a classic bound had split come together again. */
#include "encode/native.h"

void native_buckets(const struct histogram *h, struct native *native)
{
	const struct histogram_layout *layout = h->layout;

	*native = (struct native){
		.schema = layout->schema,
		.zero_threshold = layout->zero_threshold,
	};
	for (unsigned int i = 0; i < h->n; i++) {
		unsigned int b = h->first + i;

		if (!h->bucket[i])
			continue;
		if (!b) {
			native->zero_count = h->bucket[i];
			continue;
		}
		if (!native->n)
			native->first = layout->to_native[b];
		native->n = layout->to_native[b] - native->first + 1;
		native->count[native->n - 1] += h->bucket[i];
	}
}

/* v * 10^-decimals; the division is rounded once, as the decimal number would be when it is read.
 */
static double scaled(uint64_t v, unsigned int decimals)
{
	double unit = 1;

	while (decimals--)
		unit *= 10;
	return (double)v / unit;
}

double histogram_sum(const struct histogram *h)
{
	return scaled(h->sum, h->layout->decimals);
}

double histogram_bound(const struct histogram_layout *layout, unsigned int b)
{
	return scaled(layout->classic_bound[b], layout->decimals);
}
