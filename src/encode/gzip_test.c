// SPDX-License-Identifier: Apache-2.0
/* What is compressed unpacks to the same bytes, in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <zlib.h>
#include <cmocka.h>

#include "encode/gzip.h"
#include "encode/sample_world.h"

static void test_round_trip(void **state)
{
	static const size_t pieces[] = {1, 100, 1 << 20};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct snapshot *s = sample_world();
		struct gzip *g = gzip_new(exposition_new(s, &text_encoder));
		size_t len, packed = 0;
		char *text = world_encode(s, &text_encoder, 4096, &len);
		unsigned char *buf = malloc(len + (1 << 20)), *back = calloc(1, len + 1);
		z_stream z = {0};
		ssize_t n;

		while ((n = gzip_read(g, buf + packed, pieces[i])) > 0)
			packed += n;
		assert_int_equal(n, 0);
		assert_true(packed < len / 2);
		assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
		z.next_in = buf;
		z.avail_in = packed;
		z.next_out = back;
		z.avail_out = len;
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.avail_in, 0);
		assert_int_equal(z.avail_out, 0);
		assert_string_equal((char *)back, text);
		inflateEnd(&z);
		free(buf);
		free(back);
		free(text);
		gzip_free(g);
		snapshot_put(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
