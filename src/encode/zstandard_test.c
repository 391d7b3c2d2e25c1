// SPDX-License-Identifier: Apache-2.0
/* What is compressed unpacks to the same bytes, in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <zstd.h>
#include <cmocka.h>

#include "encode/sample_world.h"
#include "encode/zstandard.h"

static void test_round_trip(void **state)
{
	static const size_t pieces[] = {1, 100, 1 << 20};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct snapshot *s = sample_world();
		struct zstd *z = zstd_new(exposition_new(s, &text_encoder));
		size_t len, packed = 0;
		char *text = world_encode(s, &text_encoder, 4096, &len);
		char *buf = malloc(len + (1 << 20)), *back = calloc(1, len + 1);
		ssize_t n;

		while ((n = zstd_read(z, buf + packed, pieces[i])) > 0)
			packed += n;
		assert_int_equal(n, 0);
		assert_true(packed < len / 2);
		/* One frame and nothing behind it. */
		assert_int_equal(ZSTD_findFrameCompressedSize(buf, packed), packed);
		assert_int_equal(ZSTD_decompress(back, len, buf, packed), len);
		assert_string_equal(back, text);
		free(buf);
		free(back);
		free(text);
		zstd_free(z);
		snapshot_put(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
