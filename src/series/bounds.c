// SPDX-License-Identifier: Apache-2.0
/* The tables behind bounds.h. */
#include "series/bounds.h"

const uint64_t latency_bound_ns[LATENCY_BOUNDS] = {
#define BOUND(native, ns) ns,
#include "series/bounds.def"
};

static const int16_t latency_to_native[LATENCY_BUCKETS] = {
#define BOUND(native, ns) native,
#include "series/bounds.def"
	29, /* (2^7 s, ...) */
};

/* The classic bounds of the contract, in nanoseconds. */
static const uint64_t latency_classic[LATENCY_CLASSIC] = {
	10000,	  50000,     250000,	1000000,    2500000,	10000000,
	25000000, 100000000, 250000000, 1000000000, 2500000000, 10000000000,
};

/* Number of classic bounds below ns: the classic bucket that a bound of ns ends in. */
#define ABOVE(ns, bound) ((ns) > (bound))
#define CLASSIC_OF(ns)                                                                           \
	(ABOVE(ns, 10000) + ABOVE(ns, 50000) + ABOVE(ns, 250000) + ABOVE(ns, 1000000) +          \
	 ABOVE(ns, 2500000) + ABOVE(ns, 10000000) + ABOVE(ns, 25000000) + ABOVE(ns, 100000000) + \
	 ABOVE(ns, 250000000) + ABOVE(ns, 1000000000) + ABOVE(ns, 2500000000) +                  \
	 ABOVE(ns, 10000000000))

static const uint8_t latency_to_classic[LATENCY_BUCKETS] = {
#define BOUND(native, ns) CLASSIC_OF(ns),
#include "series/bounds.def"
	LATENCY_CLASSIC,
};

/* Powers of four from 64 bytes to 1 GiB: the page, the stripe and the RPC size are among them. */
static const uint64_t size_classic[SIZE_CLASSIC] = {
	1 << 6,	 1 << 8,  1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
	1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30,
};

static const uint8_t size_to_classic[SIZE_BUCKETS] = {
	0, 0, 0, 0, 0, 0,  0,  1,  1,  2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,
	7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 13, 13, 13, 13, 13, 13, 13,
};

static const int16_t size_to_native[SIZE_BUCKETS] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
};

const struct histogram_layout latency_layout = {
	.buckets = LATENCY_BUCKETS,
	.classic = LATENCY_CLASSIC,
	.schema = NATIVE_SCHEMA_LATENCY,
	.decimals = 9,
	.classic_bound = latency_classic,
	.to_classic = latency_to_classic,
	.to_native = latency_to_native,
	.zero_threshold = 0x1p-27,
};

const struct histogram_layout size_layout = {
	.buckets = SIZE_BUCKETS,
	.classic = SIZE_CLASSIC,
	.schema = NATIVE_SCHEMA_SIZE,
	.decimals = 0,
	.classic_bound = size_classic,
	.to_classic = size_to_classic,
	.to_native = size_to_native,
	.zero_threshold = 1,
};

int native_reduce(int i, int from, int to)
{
	int shift = from - to;

	/* ceil(i / 2^shift): upper bounds are inclusive. */
	return (i + (1 << shift) - 1) >> shift;
}
