// SPDX-License-Identifier: Apache-2.0
/*
 * A million random additions with folding, retirement and return. Whatever is
 * drawn: no series decreases while it exists, no label set is there twice, the
 * limit holds, and the sum of what is shown, with what the ended series had shown,
 * is the sum of what was added.
 *
 * The seed is printed; property_test SEED draws the same again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>

#include "ops/table.h"
#include "series/testing.h"
#include <uthash.h>

#define STEPS	       1000000
#define STEPS_PER_LOOK 2500
#define MOUNTS	       3
#define MAX_SERIES     400

static uint64_t seed, state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % below;
}

/* A series that was seen, with the value of the last look. */
struct seen {
	UT_hash_handle hh;
	uint64_t value;
	unsigned int look;
	char *line;
};

enum sum {
	SUM_OPERATIONS,
	SUM_BYTES,
	SUM_ERRORS,
	SUM_LATENCY,
	SUM_FS_OPERATIONS,
	SUM_FS_BYTES,
	SUMS,
};

static const char *const sum_family[SUMS] = {
	[SUM_OPERATIONS] = "lustre_client_access_operations_total",
	[SUM_BYTES] = "lustre_client_data_bytes_total",
	[SUM_ERRORS] = "lustre_client_operation_errors_total",
	[SUM_LATENCY] = "lustre_client_access_duration_seconds",
	[SUM_FS_OPERATIONS] = "lustre_client_fs_operations_total",
	[SUM_FS_BYTES] = "lustre_client_fs_data_bytes_total",
};

struct world {
	struct series_table *t;
	struct intern *strings;
	struct seen *seen;
	unsigned int looks;
	uint64_t added[SUMS];
	uint64_t ended[SUMS];
	uint16_t mount[MOUNTS];
};

static unsigned int sum_of(const char *name)
{
	for (unsigned int i = 0; i < SUMS; i++)
		if (!strncmp(sum_family[i], name, strlen(sum_family[i])))
			return i;
	return SUMS;
}

/* Compares everything with the look before. ending: series may have ended, none may have grown. */
static void look(struct world *w, bool ending)
{
	uint64_t shown[SUMS] = {0};
	struct snapshot *snapshot;
	struct sample_walk walk;
	const struct family *f;
	const struct sample *s;
	struct seen *seen, *next;
	unsigned int series = 0;
	struct series_stats stats;

	assert_int_equal(snapshot_take(w->t, NULL, testing_username, NULL, 0, &snapshot), 0);
	w->looks++;
	samples_begin(&walk, snapshot);
	while ((f = samples_next_family(&walk))) {
		unsigned int sum = sum_of(f->name);

		while ((s = samples_next(&walk))) {
			char *line = testing_line(f, s);

			assert_true(sum < SUMS);
			series += sum < SUM_FS_OPERATIONS;
			shown[sum] += testing_value(s);
			HASH_FIND_STR(w->seen, line, seen);
			if (seen) {
				assert_int_not_equal(seen->look, w->looks);
				assert_true(testing_value(s) >= seen->value);
				assert_true(!ending || testing_value(s) == seen->value);
				free(line);
			} else {
				assert_false(ending);
				seen = calloc(1, sizeof(*seen));
				seen->line = line;
				HASH_ADD_KEYPTR(hh, w->seen, seen->line, strlen(line), seen);
			}
			seen->value = testing_value(s);
			seen->look = w->looks;
		}
	}
	snapshot_put(snapshot);
	HASH_ITER (hh, w->seen, seen, next) {
		if (seen->look == w->looks)
			continue;
		assert_true(ending);
		w->ended[sum_of(seen->line)] += seen->value;
		HASH_DEL(w->seen, seen);
		free(seen->line);
		free(seen);
	}
	for (unsigned int i = 0; i < SUMS; i++)
		assert_int_equal(shown[i] + w->ended[i], w->added[i]);
	series_stats(w->t, &stats);
	assert_int_equal(stats.series, series);
	/* Label sets of nothing but "other" may stand above the limit: 2 or 3 families and errors.
	 */
	assert_true(series <= MAX_SERIES + MOUNTS * OP_MAX * (3 + ERRNO_CLASS_MAX));
}

static void add_random(struct world *w)
{
	static const char *const jobs[] = {"", "1", "22", "333"};
	static const char *const actors[] = {"user", "batch_job"};
	struct series_delta d = {0};
	struct series_key key = {
		.mount = w->mount[draw(MOUNTS)],
		.op = draw(OP_MAX),
		.uid = draw(4) ? draw(5) : draw(50),
		.folded = !draw(50),
	};
	char name[32];
	uint64_t operations = 0;

	/* Uid 0 makes names up. */
	snprintf(name, sizeof(name), "p%u", key.uid ? draw(6) : draw(100000));
	assert_int_equal(intern_get(w->strings, name, &key.process), 0);
	assert_int_equal(intern_get(w->strings, actors[draw(2)], &key.actor), 0);
	assert_int_equal(intern_get(w->strings, jobs[draw(4)], &key.job), 0);

	for (unsigned int i = draw(3) + 1; i > 0; i--) {
		uint64_t n = draw(10) + 1;

		d.latency[draw(LATENCY_BUCKETS)] += n;
		operations += n;
	}
	d.latency_sum_ns = draw(1000000);
	if (op_table[key.op].flags & OPF_BYTES)
		d.bytes = draw(5000);
	if (!draw(4)) {
		uint64_t n = draw(operations) + 1;

		d.errors[draw(ERRNO_CLASS_MAX)] += n;
		w->added[SUM_ERRORS] += n;
	}
	assert_int_equal(series_add(w->t, &key, &d), 0);
	w->added[SUM_OPERATIONS] += operations;
	w->added[SUM_LATENCY] += operations;
	w->added[SUM_FS_OPERATIONS] += operations;
	w->added[SUM_BYTES] += d.bytes;
	w->added[SUM_FS_BYTES] += d.bytes;
	intern_put(w->strings, key.process);
	intern_put(w->strings, key.actor);
	intern_put(w->strings, key.job);
}

static void run(struct series_options options, unsigned int steps)
{
	struct world w = {.strings = intern_new()};
	uint64_t now = 1000;
	struct seen *seen, *next;

	w.t = series_table_new(&options, w.strings);
	series_begin(w.t, now, now);
	for (int m = 0; m < MOUNTS; m++) {
		char point[16];

		snprintf(point, sizeof(point), "/lus%d", m);
		assert_int_equal(series_mount_get(w.t, "lus", point, &w.mount[m]), 0);
	}
	for (unsigned int i = 1; i <= steps; i++) {
		add_random(&w);
		if (i % STEPS_PER_LOOK)
			continue;
		look(&w, false);
		now += draw(40000);
		series_begin(w.t, now, now);
		series_retire(w.t);
		look(&w, true);
	}
	/* Everything idle: nothing is left behind, not even a string. */
	now += options.ttl_ms + 1000;
	series_begin(w.t, now, now);
	series_retire(w.t);
	if (options.ttl_ms) {
		look(&w, true);
		assert_int_equal(intern_count(w.strings), 0);
	}
	HASH_ITER (hh, w.seen, seen, next) {
		HASH_DEL(w.seen, seen);
		free(seen->line);
		free(seen);
	}
	series_table_free(w.t);
	assert_int_equal(intern_count(w.strings), 0);
	intern_free(w.strings);
}

static void test_contract_labels(void **unused)
{
	run((struct series_options){.uid_labels = true,
				    .process_labels = true,
				    .job_labels = true,
				    .max_series = MAX_SERIES,
				    .ttl_ms = 60000},
	    STEPS / 2);
}

static void test_histograms_with_process(void **unused)
{
	run((struct series_options){.uid_labels = true,
				    .process_labels = true,
				    .histogram_process_labels = true,
				    .max_series = MAX_SERIES,
				    .ttl_ms = 60000},
	    STEPS / 4);
}

static void test_few_labels(void **unused)
{
	run((struct series_options){.max_series = MAX_SERIES, .ttl_ms = 30000}, STEPS / 8);
}

static void test_no_end(void **unused)
{
	run((struct series_options){.uid_labels = true,
				    .process_labels = true,
				    .max_series = MAX_SERIES},
	    STEPS / 8);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contract_labels),
		cmocka_unit_test(test_histograms_with_process),
		cmocka_unit_test(test_few_labels),
		cmocka_unit_test(test_no_end),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
	state = seed;
	print_message("seed %" PRIu64 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
