// SPDX-License-Identifier: Apache-2.0
/* The series stage by hand: labels, folding, shares, ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "series/testing.h"

struct fixture {
	struct intern *strings;
	struct series_table *t;
	uint16_t mount;
};

static struct fixture setup(struct series_options options)
{
	struct fixture f = {.strings = intern_new()};

	f.t = series_table_new(&options, f.strings);
	series_begin(f.t, 1000, 1700000000000);
	assert_int_equal(series_mount_get(f.t, "lus", "/lus", &f.mount), 0);
	return f;
}

static void teardown(struct fixture *f)
{
	series_table_free(f->t);
	intern_free(f->strings);
}

static void add(struct fixture *f, enum op_id op, uint32_t uid, const char *process,
		const struct series_delta *d)
{
	struct series_key key = {.mount = f->mount, .op = op, .uid = uid};

	assert_int_equal(intern_get(f->strings, process, &key.process), 0);
	assert_int_equal(intern_get(f->strings, "user", &key.actor), 0);
	assert_int_equal(series_add(f->t, &key, d), 0);
	intern_put(f->strings, key.process);
	intern_put(f->strings, key.actor);
}

static const struct series_options all_labels = {
	.uid_labels = true, .process_labels = true, .max_series = 1000, .ttl_ms = 60000};

static void test_families(void **state)
{
	struct fixture f = setup(all_labels);
	struct series_delta d = testing_delta(3, 2000, 4096);

	d.errors[ERRNO_NOTFOUND] = 1;
	add(&f, OP_READ, 1000, "cat", &d);
	add(&f, OP_READ, 1000, "cp", &d);
#define WHERE "fs=lus,mount=/lus,access_intent=data_read,op=read"
#define WHO   WHERE ",uid=1000,username=user1000"
	assert_int_equal(testing_find(f.t, "lustre_client_access_operations_total{" WHO
					   ",process=cat,actor_type=user}"),
			 3);
	assert_int_equal(testing_find(f.t, "lustre_client_data_bytes_total{" WHO
					   ",process=cp,actor_type=user}"),
			 4096);
	assert_int_equal(testing_find(f.t, "lustre_client_operation_errors_total{" WHO
					   ",process=cp,actor_type=user,errno_class=notfound}"),
			 1);
	assert_int_equal(
		testing_find(f.t, "lustre_client_access_duration_seconds{" WHO ",actor_type=user}"),
		6);
	assert_int_equal(testing_find(f.t, "lustre_client_fs_operations_total{" WHERE "}"), 6);
	assert_int_equal(testing_find(f.t, "lustre_client_fs_data_bytes_total{" WHERE "}"), 8192);
	teardown(&f);
}

/* One user with endless names: folded at the share, the next user is not touched. */
static void test_share_of_one_user(void **state)
{
	struct fixture f = setup(all_labels);
	struct series_delta d = testing_delta(1, 100, 0);
	struct series_stats stats;
	char name[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "random%d", i);
		add(&f, OP_GETATTR, 1000, name, &d);
	}
	add(&f, OP_GETATTR, 1001, "stat", &d);
	series_stats(f.t, &stats);
	/* 249 names and the histogram make up the share of 250; then one "other", then user 1001.
	 */
	assert_int_equal(stats.series, 250 + 1 + 2);
	assert_int_equal(stats.folded[FOLD_PROCESS], 100000 - 249);
	assert_int_equal(stats.folded[FOLD_USER], 0);
	/* Names of nobody are not kept. */
	assert_int_equal(intern_count(f.strings), 249 + 2);
#undef WHO
#undef WHERE
#define WHERE "fs=lus,mount=/lus,access_intent=namespace_read,op=getattr"
#define OPS   "lustre_client_access_operations_total{" WHERE
	assert_int_equal(
		testing_find(f.t, OPS ",uid=1000,username=user1000,process=other,actor_type=user}"),
		100000 - 249);
	assert_int_equal(
		testing_find(f.t, OPS ",uid=1001,username=user1001,process=stat,actor_type=user}"),
		1);
	teardown(&f);
}

/* Ten thousand users in turn: the limit holds, then users and at last everything is "other". */
static void test_many_users(void **state)
{
	struct series_options options = all_labels;
	struct series_delta d = testing_delta(1, 100, 0);
	struct series_stats stats;
	struct fixture f;

	options.max_series = 500;
	f = setup(options);
	for (uint32_t uid = 1; uid <= 10000; uid++)
		add(&f, OP_GETATTR, uid, "stat", &d);
	series_stats(f.t, &stats);
	/* Two series a user: 438 = 500 - 500/8, then 470 = 500 - 500/16, then one "other". */
	assert_int_equal(stats.folded[FOLD_PROCESS], (468 - 438) / 2);
	assert_int_equal(stats.folded[FOLD_USER], 10000 - 468 / 2);
	assert_int_equal(stats.folded[FOLD_ALL], 0);
	assert_int_equal(stats.series, 468 + 2);
	assert_int_equal(testing_find(f.t, "lustre_client_fs_operations_total{" WHERE "}"), 10000);
	assert_int_equal(
		testing_find(f.t, OPS ",uid=other,username=other,process=other,actor_type=user}"),
		10000 - 468 / 2);
	teardown(&f);
}

/* An operation that the kernel had no cell for. */
static void test_folded_by_the_kernel(void **state)
{
	struct fixture f = setup(all_labels);
	struct series_key key = {.mount = f.mount, .op = OP_GETATTR, .folded = 1};
	struct series_delta d = testing_delta(2, 100, 0);

	assert_int_equal(series_add(f.t, &key, &d), 0);
	assert_int_equal(
		testing_find(f.t, OPS ",uid=other,username=other,process=other,actor_type=other}"),
		2);
	teardown(&f);
}

static void test_labels_switched_off(void **state)
{
	struct fixture f = setup((struct series_options){.max_series = 100});
	struct series_delta d = testing_delta(1, 100, 0);

	add(&f, OP_GETATTR, 1, "a", &d);
	add(&f, OP_GETATTR, 2, "b", &d);
	assert_int_equal(testing_find(f.t, OPS ",actor_type=user}"), 2);
	assert_int_equal(testing_find(f.t, "lustre_client_access_duration_seconds{" WHERE
					   ",actor_type=user}"),
			 2);
	teardown(&f);
}

static void test_retire_and_return(void **state)
{
	struct fixture f = setup(all_labels);
	struct series_delta d = testing_delta(5, 100, 0);
	const char *line = OPS ",uid=7,username=user7,process=ls,actor_type=user}";
	struct series_stats stats;

	add(&f, OP_GETATTR, 7, "ls", &d);
	series_begin(f.t, 60999, 1700000059999);
	series_retire(f.t);
	assert_int_equal(testing_find(f.t, line), 5);
	series_begin(f.t, 61000, 1700000060000);
	series_retire(f.t);
	assert_int_equal(testing_find(f.t, line), UINT64_MAX);
	series_stats(f.t, &stats);
	assert_int_equal(stats.series, 0);
	assert_int_equal(stats.retired, 2);
	/* The mount is held, so that its totals stay. */
	assert_int_equal(testing_find(f.t, "lustre_client_fs_operations_total{" WHERE "}"), 5);
	add(&f, OP_GETATTR, 7, "ls", &d);
	assert_int_equal(testing_find(f.t, line), 5);
	assert_int_equal(testing_find(f.t, "lustre_client_fs_operations_total{" WHERE "}"), 10);

	series_mount_put(f.t, f.mount);
	series_begin(f.t, 200000, 1700000200000);
	series_retire(f.t);
	assert_int_equal(testing_find(f.t, "lustre_client_fs_operations_total{" WHERE "}"),
			 UINT64_MAX);
	teardown(&f);
}

/* B11, B12: two names that are repaired to the same text are one series. */
static void test_hostile_names(void **state)
{
	struct fixture f = setup(all_labels);
	struct series_delta d = testing_delta(1, 100, 0);

	add(&f, OP_GETATTR, 1, "\xff", &d);
	add(&f, OP_GETATTR, 1, "\xfe", &d);
	assert_int_equal(testing_find(f.t, OPS ",uid=1,username=user1,process=\xef\xbf\xbd"
					       ",actor_type=user}"),
			 2);
	add(&f, OP_GETATTR, 1, "", &d);
	assert_int_equal(testing_find(f.t, OPS ",uid=1,username=user1,process=,actor_type=user}"),
			 1);
	teardown(&f);
}

/* A mount that comes back is the same one. */
static void test_mounts(void **state)
{
	struct fixture f = setup(all_labels);
	uint16_t a, b;

	assert_int_equal(series_mount_get(f.t, "lus", "/lus", &a), 0);
	assert_int_equal(a, f.mount);
	assert_int_equal(series_mount_get(f.t, "lus", "/other", &b), 0);
	assert_int_not_equal(a, b);
	for (int i = 2; i < SERIES_MOUNTS_MAX; i++) {
		char point[16];

		snprintf(point, sizeof(point), "/%d", i);
		assert_int_equal(series_mount_get(f.t, "lus", point, &a), 0);
	}
	assert_int_equal(series_mount_get(f.t, "lus", "/more", &a), -28 /* ENOSPC */);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_share_of_one_user),
		cmocka_unit_test(test_many_users),
		cmocka_unit_test(test_folded_by_the_kernel),
		cmocka_unit_test(test_labels_switched_off),
		cmocka_unit_test(test_retire_and_return),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
