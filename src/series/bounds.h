/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of the latency and size buckets (bpf/shared.h), and what a bucket of the
 * kernel's is called in a classic and in a native histogram.
 *
 * A histogram in the kernel is finer than either form: each of its buckets lies in
 * exactly one classic and in exactly one native bucket, so that both come out
 * exact.
 */
#ifndef SERIES_BOUNDS_H
#define SERIES_BOUNDS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf/shared.h"

#define LATENCY_CLASSIC 12 /* bounds; one more bucket for +Inf */
#define SIZE_CLASSIC	13

#define NATIVE_SCHEMA_LATENCY 2 /* finest schema that the buckets can be told in */
#define NATIVE_SCHEMA_SIZE    0

/* Upper bounds, inclusive, for the kernel side. */
extern const uint64_t latency_bound_ns[LATENCY_BOUNDS];

/*
 * One kind of histogram: how its buckets in the kernel map to what is exposed.
 * Both maps ascend with the bucket.
 */
struct histogram_layout {
	unsigned int buckets; /* of the kernel, the open one included */
	unsigned int classic; /* finite classic bounds */
	int schema;	      /* native schema of native[] */

	/*
	 * 10^-decimals of the unit is the unit of the sum and of the classic
	 * bounds in integers: 9 for nanoseconds told in seconds, 0 for bytes.
	 */
	unsigned int decimals;
	const uint64_t *classic_bound;

	/* Bucket of the kernel -> classic bucket, 0 .. classic (+Inf). */
	const uint8_t *to_classic;

	/*
	 * Bucket of the kernel -> index of the native bucket (Prometheus counts:
	 * bucket i of schema n ends at 2^(i * 2^-n)). Bucket 0 of the kernel has
	 * no lower bound: it is the zero bucket, its bound the zero threshold. The
	 * open bucket is told as the native bucket above the last bound.
	 */
	const int16_t *to_native;
	double zero_threshold;
};

extern const struct histogram_layout latency_layout;
extern const struct histogram_layout size_layout;

/* Index of the bucket of a coarser schema that holds native bucket i of schema from. */
int native_reduce(int i, int from, int to);

#endif
