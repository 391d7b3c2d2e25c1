// SPDX-License-Identifier: Apache-2.0
/*
 * Every bound derived again with integers of any size: n <= 2^(i/4) * 10^9 is
 * n^4 <= 2^i * 10^36.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "series/bounds.h"

#define LIMBS 16 /* 512 bits */

struct big {
	uint32_t limb[LIMBS];
};

static struct big big_from(uint64_t v)
{
	struct big b = {{(uint32_t)v, (uint32_t)(v >> 32)}};

	return b;
}

static struct big big_mul(struct big a, uint64_t m)
{
	uint32_t part[2] = {(uint32_t)m, (uint32_t)(m >> 32)};
	struct big r = {{0}};

	for (int p = 0; p < 2; p++) {
		uint64_t carry = 0;

		for (int i = 0; i + p < LIMBS; i++) {
			carry += (uint64_t)a.limb[i] * part[p] + r.limb[i + p];
			r.limb[i + p] = (uint32_t)carry;
			carry >>= 32;
		}
		assert_int_equal(carry, 0);
	}
	return r;
}

static int big_cmp(struct big a, struct big b)
{
	for (int i = LIMBS - 1; i >= 0; i--)
		if (a.limb[i] != b.limb[i])
			return a.limb[i] < b.limb[i] ? -1 : 1;
	return 0;
}

/* Is n nanoseconds at most 2^(i/4) seconds? */
static int within_native(uint64_t n, int i)
{
	struct big left = big_from(1), right = big_from(1);

	for (int k = 0; k < 4; k++)
		left = big_mul(left, n);
	for (int k = 0; k < 4; k++)
		right = big_mul(right, 1000000000);
	for (; i > 0; i--)
		right = big_mul(right, 2);
	for (; i < 0; i++)
		left = big_mul(left, 2);
	return big_cmp(left, right) <= 0;
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int b = 0;

	while (b < LATENCY_BOUNDS && ns > latency_bound_ns[b])
		b++;
	return b;
}

static void test_ascending(void **state)
{
	for (int b = 1; b < LATENCY_BOUNDS; b++)
		assert_true(latency_bound_ns[b - 1] < latency_bound_ns[b]);
}

/* Each native bound and each classic bound is there, and nothing else. */
static void test_complete(void **state)
{
	unsigned int native = 0, classic = 0, both = 0;

	for (int b = 0; b < LATENCY_BOUNDS; b++) {
		uint64_t ns = latency_bound_ns[b];
		int i = latency_layout.to_native[b];
		int is_native = within_native(ns, i) && !within_native(ns + 1, i);
		int is_classic = 0;

		for (int c = 0; c < LATENCY_CLASSIC; c++)
			is_classic |= latency_layout.classic_bound[c] == ns;
		assert_true(is_native || is_classic);
		native += is_native;
		classic += is_classic;
		both += is_native && is_classic;
	}
	assert_int_equal(native, 4 * (27 + 7) + 1);
	assert_int_equal(classic, LATENCY_CLASSIC);
	assert_int_equal(both, 2);
}

/* At every bound and one nanosecond above it, both forms are as the definition has them. */
static void test_exact_at_the_bounds(void **state)
{
	for (int b = 0; b < LATENCY_BOUNDS; b++) {
		for (uint64_t n = latency_bound_ns[b]; n <= latency_bound_ns[b] + 1; n++) {
			unsigned int bucket = bucket_of(n);
			int i = latency_layout.to_native[bucket];
			unsigned int c = latency_layout.to_classic[bucket];

			if (bucket < LATENCY_BOUNDS)
				assert_true(within_native(n, i));
			if (bucket > 0)
				assert_false(within_native(n, i - 1));
			if (c < LATENCY_CLASSIC)
				assert_true(n <= latency_layout.classic_bound[c]);
			if (c > 0)
				assert_true(n > latency_layout.classic_bound[c - 1]);
		}
	}
	assert_int_equal(bucket_of(0), 0);
	assert_int_equal(bucket_of(UINT64_MAX), LATENCY_BOUNDS);
	assert_int_equal(latency_layout.to_native[0], -108);
	assert_int_equal(latency_layout.to_native[LATENCY_BOUNDS], 29);
}

static void test_size_layout(void **state)
{
	for (unsigned int b = 0; b < SIZE_BUCKETS; b++) {
		uint64_t top = 1ULL << b, bottom = b ? top / 2 + 1 : 0;
		unsigned int c = size_layout.to_classic[b];

		assert_int_equal(size_layout.to_native[b], b);
		if (b == SIZE_BUCKETS - 1) {
			assert_int_equal(c, SIZE_CLASSIC);
			continue;
		}
		if (c < SIZE_CLASSIC)
			assert_true(top <= size_layout.classic_bound[c]);
		if (c > 0)
			assert_true(bottom > size_layout.classic_bound[c - 1]);
	}
}

static void test_reduce(void **state)
{
	/* Bucket i of schema 2 ends at 2^(i/4); of schema 0 at 2^i. */
	static const int in[] = {-108, -107, -5, -4, -3, -1, 0, 1, 3, 4, 5, 28, 29};
	static const int schema0[] = {-27, -26, -1, -1, 0, 0, 0, 1, 1, 1, 2, 7, 8};
	static const int schema1[] = {-54, -53, -2, -2, -1, 0, 0, 1, 2, 2, 3, 14, 15};

	for (size_t k = 0; k < sizeof(in) / sizeof(in[0]); k++) {
		assert_int_equal(native_reduce(in[k], 2, 2), in[k]);
		assert_int_equal(native_reduce(in[k], 2, 1), schema1[k]);
		assert_int_equal(native_reduce(in[k], 2, 0), schema0[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ascending),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_exact_at_the_bounds),
		cmocka_unit_test(test_size_layout),
		cmocka_unit_test(test_reduce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
