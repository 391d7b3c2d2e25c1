// SPDX-License-Identifier: Apache-2.0
#include "mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "config/options.h"
#include "mount/mountinfo.h"

#define END ((const char *)NULL)

static struct mount_slot slots[MOUNT_SLOTS];
static struct mounts *m;
static char sysfs[] = "/tmp/mounts_testXXXXXX";

/* Line n of mountinfo is the mount with id n. */
#define LINE(id, root, point, source) \
#id " 1 1273:181606 " root " " point " rw shared:1 - lustre " source " rw\n"

static void set_mountinfo(const char *text)
{
	struct mountinfo info;

	assert_int_equal(mountinfo_parse(&info, text, strlen(text)), 0);
	mounts_set_mountinfo(m, &info);
}

/* Begins anew with these --mount paths, ended by END. */
static void begin(const char *path, ...)
{
	const char *items[8];
	struct string_list list = {.items = items};
	va_list args;

	va_start(args, path);
	for (; path; path = va_arg(args, const char *))
		items[list.n++] = path;
	va_end(args);
	mounts_free(m);
	memset(slots, 0, sizeof(slots));
	m = mounts_new(slots, &list, NULL, sysfs);
	assert_non_null(m);
}

/* The kernel side: looks at the super block's mounts, ids ended by 0. */
static void look(struct mount_slot *slot, int id, ...)
{
	va_list args;

	slot->n_ids = 0;
	va_start(args, id);
	for (; id; id = va_arg(args, int))
		slot->mnt_id[slot->n_ids++] = id;
	va_end(args);
	slot->refresh = 0;
	slot->looked++;
}

#define CLAIM(i, ...)                                   \
	do {                                            \
		look(&slots[i], __VA_ARGS__);           \
		slots[i].sb = 0xffff888000000000 + (i); \
		slots[i].state = MOUNT_CLAIMED;         \
	} while (0)

static void expect(unsigned int i, enum mount_decision decision, const char *fs, const char *mount)
{
	struct mount_label label;

	assert_int_equal(mounts_decision(m, i), decision);
	mounts_label(m, i, &label);
	assert_string_equal(label.fs, fs);
	assert_string_equal(label.mount, mount);
	if (slots[i].state != MOUNT_FREE && slots[i].state != MOUNT_GONE)
		assert_int_equal(slots[i].state, decision == MOUNT_SELECTED   ? MOUNT_COUNTED
						 : decision == MOUNT_REJECTED ? MOUNT_IGNORED
									      : MOUNT_CLAIMED);
}

static uint32_t version(unsigned int i)
{
	struct mount_label label;

	mounts_label(m, i, &label);
	return label.version;
}

static void test_B28_two_mounts_of_one_fs(void **state)
{
	begin(NULL);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/scratch")
			      LINE(41, "/", "/lus2", "1@tcp:/scratch/sub"));
	CLAIM(1, 41, 0);
	CLAIM(2, 40, 0);
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "scratch", "/lus2");
	expect(2, MOUNT_SELECTED, "scratch", "/lus");
	expect(3, MOUNT_UNDECIDED, "", "");
	assert_int_not_equal(version(1), version(2));
	assert_int_equal(mounts_count(m), 2);
}

static void test_B28_bind_mounts(void **state)
{
	begin(NULL);
	/* The bind mounts are seen first and stand first. */
	set_mountinfo(LINE(50, "/sub", "/bind1", "1@tcp:/scratch")
			      LINE(51, "/sub", "/bind2", "1@tcp:/scratch")
				      LINE(40, "/", "/lus", "1@tcp:/scratch")
					      LINE(52, "/", "/bind3", "1@tcp:/scratch"));
	CLAIM(1, 52, 51, 50, 40, 0);
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "scratch", "/lus");
	/* Only bind mounts of a part are left: the first line. */
	set_mountinfo(LINE(50, "/sub", "/bind1", "1@tcp:/scratch")
			      LINE(51, "/sub", "/bind2", "1@tcp:/scratch"));
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "scratch", "/bind1");
}

static void test_M11_bind_mount_named_by_flag(void **state)
{
	begin("/bind//x/", END);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/scratch")
			      LINE(41, "/", "/lus2", "1@tcp:/scratch"));
	CLAIM(1, 40, 0);
	CLAIM(2, 41, 0);
	mounts_update(m);
	expect(1, MOUNT_REJECTED, "scratch", "/lus");
	expect(2, MOUNT_REJECTED, "scratch", "/lus2");
	assert_int_equal(mounts_missing(m), 1);
	assert_string_equal(mounts_missing_path(m, 0), "/bind/x");
	assert_null(mounts_missing_path(m, 1));
	/* The bind mount comes later: the kernel side has to look again. */
	slots[1].refresh = slots[2].refresh = 0;
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/scratch") LINE(
		41, "/", "/lus2", "1@tcp:/scratch") LINE(42, "/sub", "/bind/x", "1@tcp:/scratch"));
	mounts_update(m);
	expect(2, MOUNT_REJECTED, "scratch", "/lus2");
	assert_int_equal(slots[1].refresh, 1);
	assert_int_equal(slots[2].refresh, 1);
	look(&slots[1], 40, 0);
	look(&slots[2], 42, 41, 0);
	mounts_update(m);
	expect(1, MOUNT_REJECTED, "scratch", "/lus");
	expect(2, MOUNT_SELECTED, "scratch", "/bind/x");
	assert_int_equal(slots[2].refresh, 0);
	assert_int_equal(mounts_missing(m), 0);
}

static void test_B22_selected_by_path(void **state)
{
	begin("/mnt/my fs/", "//lus", "/none", "/", END);
	set_mountinfo(LINE(40, "/", "/mnt/my\\040fs", "1@tcp:/a") LINE(41, "/", "/lus", "1@tcp:/b")
			      LINE(42, "/", "/lus3", "1@tcp:/c"));
	CLAIM(1, 40, 0);
	CLAIM(2, 41, 0);
	CLAIM(3, 42, 0);
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/mnt/my fs");
	expect(2, MOUNT_SELECTED, "b", "/lus");
	expect(3, MOUNT_REJECTED, "c", "/lus3");
	assert_int_equal(mounts_missing(m), 2);
	assert_string_equal(mounts_missing_path(m, 0), "/none");
	assert_string_equal(mounts_missing_path(m, 1), "/");
}

static void test_B66_hostile_paths(void **state)
{
	begin("/l\xff", END);
	set_mountinfo(LINE(40, "/", "/l\xff", "1@tcp:/a\xc0") LINE(41, "/", "/l\xfe", "1@tcp:/b"));
	CLAIM(1, 40, 0);
	CLAIM(2, 41, 0);
	mounts_update(m);
	/* Told apart by their bytes, exported as valid UTF-8. */
	expect(1, MOUNT_SELECTED, "a\xef\xbf\xbd", "/l\xef\xbf\xbd");
	expect(2, MOUNT_REJECTED, "b", "/l\xef\xbf\xbd");
}

static void test_B27_comes_and_goes(void **state)
{
	uint32_t before;

	begin(NULL);
	mounts_update(m);
	assert_int_equal(mounts_count(m), 0);
	/* An operation during mount(2): no mount yet. */
	CLAIM(1, 0);
	mounts_update(m);
	expect(1, MOUNT_UNDECIDED, "", "");
	assert_int_equal(slots[1].refresh, 1);
	look(&slots[1], 40, 0);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a"));
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/lus");
	before = version(1);
	mounts_update(m);
	assert_int_equal(version(1), before);
	/* Unmounted lazily, files are still open. */
	set_mountinfo("");
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/lus");
	assert_int_equal(version(1), before);
	/* Not to be used again before it is gone. */
	mounts_release(m, 1);
	expect(1, MOUNT_SELECTED, "a", "/lus");
	slots[1].sb = 0;
	slots[1].state = MOUNT_GONE;
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/lus");
	mounts_release(m, 1);
	assert_int_equal(slots[1].state, MOUNT_FREE);
	assert_int_equal(slots[1].generation, 1);
	expect(1, MOUNT_UNDECIDED, "", "");
	/* Taken by another one. */
	set_mountinfo(LINE(41, "/", "/lus", "1@tcp:/b"));
	CLAIM(1, 41, 0);
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "b", "/lus");
	assert_int_not_equal(version(1), before);
}

static void test_moved_mount(void **state)
{
	uint32_t before;

	begin(NULL);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a"));
	CLAIM(1, 40, 0);
	mounts_update(m);
	before = version(1);
	set_mountinfo(LINE(40, "/", "/moved", "1@tcp:/a"));
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/moved");
	assert_int_not_equal(version(1), before);
}

static void test_B28_other_mount_namespace(void **state)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/fs/lustre/llite/my-fs-ffff888000000001", sysfs);
	begin(NULL);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a"));
	CLAIM(1, 90, 0);
	CLAIM(2, 91, 0);
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "my-fs", "");
	/* Not even in sysfs. */
	expect(2, MOUNT_SELECTED, "", "");
	assert_int_equal(slots[1].refresh, 1);
	/* It gets a mount in our namespace. */
	look(&slots[1], 90, 92, 0);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a") LINE(92, "/", "/pod", "1@tcp:/my-fs"));
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "my-fs", "/pod");

	begin("/lus", END);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a"));
	CLAIM(1, 90, 0);
	CLAIM(2, 40, 0);
	mounts_update(m);
	expect(1, MOUNT_REJECTED, "my-fs", "");
	expect(2, MOUNT_SELECTED, "a", "/lus");
}

/* It came and went between two updates: decided all the same. */
static void test_gone_before_seen(void **state)
{
	begin(NULL);
	CLAIM(1, 40, 0);
	slots[1].sb = 0;
	slots[1].state = MOUNT_GONE;
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "", "");
	assert_int_equal(slots[1].state, MOUNT_GONE);
	begin("/lus", END);
	CLAIM(1, 40, 0);
	slots[1].sb = 0;
	slots[1].state = MOUNT_GONE;
	mounts_update(m);
	expect(1, MOUNT_REJECTED, "", "");
}

/* A slot whose super block never gets a mount is not undecided for ever. */
static void test_never_mounted(void **state)
{
	begin(NULL);
	CLAIM(2, 0);
	mounts_update(m);
	expect(2, MOUNT_UNDECIDED, "", "");
	mounts_update(m);
	expect(2, MOUNT_SELECTED, "", "");
}

static void test_surplus(void **state)
{
	begin("/lus", END);
	mounts_update(m);
	expect(0, MOUNT_SELECTED, "other", "other");
	assert_int_equal(slots[0].state, MOUNT_FREE);
}

/* What the kernel side claims does not have to make sense. */
static void test_garbage_in_slots(void **state)
{
	begin(NULL);
	set_mountinfo(LINE(40, "/", "/lus", "1@tcp:/a"));
	CLAIM(1, 41, 0);
	slots[1].n_ids = UINT32_MAX;
	slots[1].mnt_id[MOUNT_IDS - 1] = 40;
	mounts_update(m);
	expect(1, MOUNT_SELECTED, "a", "/lus");
}

static void test_system(void **state)
{
	struct string_list none = {0};

	mounts_free(m);
	memset(slots, 0, sizeof(slots));
	m = mounts_new(slots, &none, "/proc", "/sys");
	assert_non_null(m);
	assert_true(mounts_fd(m) >= 0);
	mounts_update(m);
	mounts_free(m);
	m = mounts_new(slots, &none, "/nonexistent", "/nonexistent");
	assert_non_null(m);
	assert_true(mounts_fd(m) < 0);
	mounts_update(m);
	assert_int_equal(mounts_count(m), 0);
}

static int setup(void **state)
{
	static const char *const dirs[] = {"/fs",
					   "/fs/lustre",
					   "/fs/lustre/llite",
					   "/fs/lustre/llite/my-fs-ffff888000000001",
					   "/fs/lustre/llite/-ffff888000000002",
					   "/fs/lustre/llite/x-ffff888000000003"};
	char path[128];
	size_t i;

	if (!mkdtemp(sysfs))
		return -1;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", sysfs, dirs[i]);
		if (mkdir(path, 0700))
			return -1;
	}
	log_init(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT, STDERR_FILENO);
	return 0;
}

static int teardown(void **state)
{
	static const char *const dirs[] = {"/fs/lustre/llite/x-ffff888000000003",
					   "/fs/lustre/llite/-ffff888000000002",
					   "/fs/lustre/llite/my-fs-ffff888000000001",
					   "/fs/lustre/llite",
					   "/fs/lustre",
					   "/fs",
					   ""};
	char path[128];
	size_t i;

	mounts_free(m);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", sysfs, dirs[i]);
		rmdir(path);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B28_two_mounts_of_one_fs),
		cmocka_unit_test(test_B28_bind_mounts),
		cmocka_unit_test(test_M11_bind_mount_named_by_flag),
		cmocka_unit_test(test_B22_selected_by_path),
		cmocka_unit_test(test_B66_hostile_paths),
		cmocka_unit_test(test_B27_comes_and_goes),
		cmocka_unit_test(test_moved_mount),
		cmocka_unit_test(test_B28_other_mount_namespace),
		cmocka_unit_test(test_gone_before_seen),
		cmocka_unit_test(test_never_mounted),
		cmocka_unit_test(test_surplus),
		cmocka_unit_test(test_garbage_in_slots),
		cmocka_unit_test(test_system),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
