/* SPDX-License-Identifier: GPL-2.0 */
/* Which bucket a latency or a size belongs to; the bounds are explained in shared.h. */
#ifndef BPF_LATENCY_H
#define BPF_LATENCY_H

#include "maps.h"

/* Position of the highest bit set; v must not be 0. */
static __always_inline __u32 log2_floor(__u64 v)
{
	__u32 r = 0;

	if (v >> 32) {
		r += 32;
		v >>= 32;
	}
	if (v >> 16) {
		r += 16;
		v >>= 16;
	}
	if (v >> 8) {
		r += 8;
		v >>= 8;
	}
	if (v >> 4) {
		r += 4;
		v >>= 4;
	}
	if (v >> 2) {
		r += 2;
		v >>= 2;
	}
	if (v >> 1)
		r += 1;
	return r;
}

static __always_inline __u32 latency_bucket(__u64 ns)
{
	__u32 msb, start, bucket, i;

	/* The lowest bound, 2^-27 s, is 7 ns. */
	if (ns < 1 << LATENCY_START_BITS)
		return 0;
	msb = log2_floor(ns);
	start = msb << LATENCY_START_BITS |
		(ns >> (msb - LATENCY_START_BITS) & ((1 << LATENCY_START_BITS) - 1));
	bucket = latency_table.start[start & (LATENCY_STARTS - 1)];
	/* An eighth of an octave holds at most one native and one classic bound. */
	for (i = 0; i < 2; i++) {
		if (bucket < LATENCY_BOUNDS && ns > latency_table.bound_ns[bucket])
			bucket++;
	}
	return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

static __always_inline __u32 size_bucket(__u64 bytes)
{
	__u32 bucket = bytes > 1 ? log2_floor(bytes - 1) + 1 : 0;

	return bucket < SIZE_BUCKETS ? bucket : SIZE_BUCKETS - 1;
}

#endif
