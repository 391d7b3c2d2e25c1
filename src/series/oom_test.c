// SPDX-License-Identifier: Apache-2.0
/*
 * Each allocation of the stage fails in turn: an addition that fails has added
 * nothing and succeeds when it is offered again.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "series/testing.h"

static unsigned int calls, fail_at; /* 0: never */

static bool fails(void)
{
	return ++calls == fail_at;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static const struct family extra = {.name = "x", .type = METRIC_GAUGE, .unit = "", .help = "X."};

#define NO_TABLE UINT64_MAX

/* The same work each time; how much of it was refused for want of memory. */
static unsigned int work(uint64_t *operations, uint64_t *latency)
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .max_series = 100};
	struct intern *strings = intern_new();
	struct series_table *t;
	struct snapshot *snapshot = NULL;
	struct extras *extras;
	struct sample_walk walk;
	const struct family *f;
	const struct sample *s;
	unsigned int refused = 0;
	uint16_t mount;

	*operations = *latency = NO_TABLE;
	if (!strings)
		return 1;
	t = series_table_new(&options, strings);
	if (!t) {
		intern_free(strings);
		return 1;
	}
	*operations = *latency = 0;
	series_begin(t, 1000, 1000);
	while (series_mount_get(t, "lus", "/lus", &mount))
		refused++;
	for (unsigned int i = 0; i < 20; i++) {
		struct series_key key = {.mount = mount, .op = OP_READ, .uid = i % 3};
		struct series_delta d = testing_delta(1, 10 << i, 1);
		char name[16];

		d.errors[i % ERRNO_CLASS_MAX] = 1;
		snprintf(name, sizeof(name), "p%u", i % 4);
		while (intern_get(strings, name, &key.process))
			refused++;
		while (series_add(t, &key, &d)) {
			refused++;
			assert_int_equal(
				testing_find(t, "lustre_client_fs_operations_total{fs=lus,"
						"mount=/lus,access_intent=data_read,op=read}"),
				i ? i : UINT64_MAX);
		}
		intern_put(strings, key.process);
	}
	extras = extras_new(1);
	if (!extras || EXTRAS_ADD(extras, &extra, 1, {"a", "b"}))
		refused++;
	if (snapshot_take(t, extras, testing_username, NULL, 1, &snapshot)) {
		refused++;
		assert_int_equal(snapshot_take(t, NULL, testing_username, NULL, 1, &snapshot), 0);
	}
	samples_begin(&walk, snapshot);
	while ((f = samples_next_family(&walk)))
		while ((s = samples_next(&walk))) {
			if (!strcmp(f->name, "lustre_client_access_operations_total"))
				*operations += testing_value(s);
			if (f->type == METRIC_HISTOGRAM)
				*latency += testing_value(s);
		}
	snapshot_put(snapshot);
	series_table_free(t);
	intern_free(strings);
	return refused;
}

static void test_every_allocation(void **state)
{
	uint64_t operations, latency;
	unsigned int total;

	calls = 0;
	fail_at = 0;
	assert_int_equal(work(&operations, &latency), 0);
	total = calls;
	assert_int_equal(operations, 20);
	assert_int_equal(latency, 20);
	assert_true(total > 60);

	for (unsigned int n = 1; n <= total; n++) {
		calls = 0;
		fail_at = n;
		assert_int_equal(work(&operations, &latency), 1);
		assert_true(operations == 20 || operations == NO_TABLE);
		assert_int_equal(operations, latency);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
