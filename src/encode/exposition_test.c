// SPDX-License-Identifier: Apache-2.0
/* However large a snapshot is, writing it takes a fixed amount of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <malloc.h>
#include <cmocka.h>

#include "encode/gzip.h"
#include "encode/sample_world.h"
#include "encode/zstandard.h"

#define USERS	   20000
#define SERIES_MIN 200000  /* by Prometheus' count: each bucket is one */
#define GROWTH_MAX 1500000 /* bytes; the exposition itself has tens of millions */

static struct snapshot *large_snapshot(void)
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .max_series = 1000000};
	struct intern *strings = intern_new();
	struct series_table *t = series_table_new(&options, strings);
	struct series_delta d = testing_delta(1, 1000, 0);
	struct series_key key = {.op = OP_OPEN};
	struct snapshot *s;

	series_begin(t, 1, 1);
	assert_int_equal(series_mount_get(t, "lus", "/lus", &key.mount), 0);
	for (key.uid = 0; key.uid < USERS; key.uid++)
		assert_int_equal(series_add(t, &key, &d), 0);
	assert_int_equal(snapshot_take(t, NULL, testing_username, NULL, 1, &s), 0);
	series_table_free(t);
	intern_free(strings);
	return s;
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static ssize_t read_plain(void *reader, void *buf, size_t size)
{
	return exposition_read(reader, buf, size);
}

static ssize_t read_gzip(void *reader, void *buf, size_t size)
{
	return gzip_read(reader, buf, size);
}

static ssize_t read_zstd(void *reader, void *buf, size_t size)
{
	return zstd_read(reader, buf, size);
}

/* Reads to the end, never more memory in use than the bound. Bytes; lines in *lines. */
static size_t drain(void *reader, ssize_t (*read)(void *reader, void *buf, size_t size),
		    size_t before, size_t *lines)
{
	static char buf[32768];
	size_t sum = 0;
	ssize_t n;

	*lines = 0;
	while ((n = read(reader, buf, sizeof(buf))) > 0) {
		sum += n;
		for (ssize_t i = 0; i < n; i++)
			*lines += buf[i] == '\n';
		assert_true(allocated() < before + GROWTH_MAX);
	}
	assert_int_equal(n, 0);
	return sum;
}

static void test_bounded_memory(void **state)
{
	static const struct encoder *const encoders[] = {&text_encoder, &openmetrics_encoder,
							 &protobuf_encoder};
	struct snapshot *s = large_snapshot();
	size_t before = allocated(), lines, plain = 0;
	struct exposition *e;
	struct gzip *g;
	struct zstd *z;

	for (size_t i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++) {
		size_t n;

		e = exposition_new(s, encoders[i]);
		n = drain(e, read_plain, before, &lines);
		exposition_free(e);
		if (i)
			continue;
		plain = n;
		assert_true(lines > SERIES_MIN);
		assert_true(plain > 20 * GROWTH_MAX);
	}
	g = gzip_new(exposition_new(s, &text_encoder));
	assert_true(drain(g, read_gzip, before, &lines) < plain / 4);
	gzip_free(g);
	z = zstd_new(exposition_new(s, &text_encoder));
	assert_true(drain(z, read_zstd, before, &lines) < plain / 4);
	zstd_free(z);
	snapshot_put(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounded_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
