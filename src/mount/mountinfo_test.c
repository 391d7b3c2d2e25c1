// SPDX-License-Identifier: Apache-2.0
#include "mountinfo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static struct mountinfo info;

static void parse(const char *text)
{
	mountinfo_free(&info);
	assert_int_equal(mountinfo_parse(&info, text, strlen(text)), 0);
}

static int teardown(void **state)
{
	mountinfo_free(&info);
	return 0;
}

/* One line of a Lustre mount with these fields. */
static const struct mountinfo_entry *parse_mount(const char *root, const char *point,
						 const char *source)
{
	char line[512];

	snprintf(line, sizeof(line), "36 35 0:52 %s %s rw,relatime shared:1 - lustre %s rw\n", root,
		 point, source);
	parse(line);
	assert_int_equal(info.skipped, 0);
	return info.count ? &info.entries[0] : NULL;
}

static void expect_fsname(const char *source, const char *fsname)
{
	const struct mountinfo_entry *e = parse_mount("/", "/lus", source);

	if (!fsname) {
		assert_null(e);
		return;
	}
	assert_non_null(e);
	assert_string_equal(e->fsname, fsname);
}

static void test_B22_octal_escapes(void **state)
{
	const struct mountinfo_entry *e;

	e = parse_mount("/", "/mnt/my\\040fs", "10.0.0.1@o2ib:/fs");
	assert_string_equal(e->mount_point, "/mnt/my fs");
	e = parse_mount("/", "/a\\134040b", "1@tcp:/fs");
	assert_string_equal(e->mount_point, "/a\\040b");
	e = parse_mount("/s\\011", "/\\012\\043\\377\\303\\244", "1@tcp:/f\\040s");
	assert_string_equal(e->root, "/s\t");
	assert_string_equal(e->mount_point, "/\n#\xff\xc3\xa4");
	assert_string_equal(e->source, "1@tcp:/f s");
	assert_string_equal(e->fsname, "f s");
	/* What is no escape stays as it is. */
	e = parse_mount("/", "/a\\04", "1@tcp:/fs");
	assert_string_equal(e->mount_point, "/a\\04");
	e = parse_mount("/", "/a\\08\\0", "1@tcp:/fs");
	assert_string_equal(e->mount_point, "/a\\08\\0");
	e = parse_mount("/", "/a\\400\\000\\", "1@tcp:/fs");
	assert_string_equal(e->mount_point, "/a\\400\\000\\");
	e = parse_mount("/", "/\xff\xfe", "1@tcp:/fs");
	assert_string_equal(e->mount_point, "/\xff\xfe");
}

static void test_B23_shapes(void **state)
{
	static const char *const optional[] = {"", "shared:1 ", "shared:1 master:2 ",
					       "shared:1 master:2 propagate_from:3 unbindable x "};
	char line[256];
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(line, sizeof(line),
			 "36 35 3953:876890 / /lus rw %s- lustre 1@tcp:2@tcp:/scratch rw\n",
			 optional[i]);
		parse(line);
		assert_int_equal(info.count, 1);
		assert_int_equal(info.skipped, 0);
		assert_int_equal(info.entries[0].id, 36);
		assert_int_equal(info.entries[0].parent, 35);
		assert_int_equal(info.entries[0].major, 3953);
		assert_int_equal(info.entries[0].minor, 876890);
		assert_string_equal(info.entries[0].root, "/");
		assert_string_equal(info.entries[0].mount_point, "/lus");
		assert_string_equal(info.entries[0].source, "1@tcp:2@tcp:/scratch");
		assert_string_equal(info.entries[0].fsname, "scratch");
	}
}

static void test_B23_malformed_lines(void **state)
{
	static const char *const bad[] = {
		"36 35 0:52 / /lus rw shared:1 lustre 1@tcp:/fs rw",
		"36 35 0:52 / /lus rw -",
		"36 35 0:52 / /lus rw - lustre",
		"36 35 0:52 / /lus",
		"",
		"x 35 0:52 / /lus rw - lustre 1@tcp:/fs rw",
		"-1 35 0:52 / /lus rw - lustre 1@tcp:/fs rw",
		"4294967296 35 0:52 / /lus rw - lustre 1@tcp:/fs rw",
		"36  35 0:52 / /lus rw - lustre 1@tcp:/fs rw",
		"36 35 052 / /lus rw - lustre 1@tcp:/fs rw",
		"36 35 :52 / /lus rw - lustre 1@tcp:/fs rw",
		"36 35 0: / /lus rw - lustre 1@tcp:/fs rw",
		"\xff\xff\xff",
	};
	static const char with_nul[] = "1 2 3:4 / /\0 rw - lustre 1@t:/f rw\n";
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text),
			 "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n%s\n"
			 "36 35 0:52 / /lus rw - lustre 1@tcp:/fs rw",
			 bad[i]);
		parse(text);
		assert_int_equal(info.skipped, 1);
		/* The line behind it is found, also without a newline at its end. */
		assert_int_equal(info.count, 1);
		assert_string_equal(info.entries[0].mount_point, "/lus");
	}
	parse("");
	assert_int_equal(info.count + info.skipped, 0);
	/* A NUL is a byte like others. */
	mountinfo_free(&info);
	assert_int_equal(mountinfo_parse(&info, with_nul, sizeof(with_nul) - 1), 0);
	assert_int_equal(info.count, 1);
	assert_string_equal(info.entries[0].mount_point, "/");
}

static void test_B28_fsname(void **state)
{
	expect_fsname("10.0.0.1@tcp:/scratch", "scratch");
	expect_fsname("10.0.0.1@o2ib:10.0.0.2@o2ib:/scratch/sub/dir", "scratch");
	expect_fsname("10.0.0.1@o2ib,10.1.0.1@tcp:10.0.0.2@o2ib:/scratch/", "scratch");
	expect_fsname("1@tcp://scratch//sub", "scratch");
	expect_fsname("1@tcp:/a:/b", "a:");
	expect_fsname("mgs.example:/scratch", "scratch");
	/* Targets of a server on this node. */
	expect_fsname("/dev/vdb", NULL);
	expect_fsname("scratch-MDT0000", NULL);
	expect_fsname("tank/mdt0", NULL);
	expect_fsname("1@tcp:/", NULL);
	expect_fsname("1@tcp:///", NULL);
	expect_fsname("", NULL);
	parse("36 35 0:52 / /t rw - lustre_tgt 1@tcp:/fs rw\n"
	      "37 35 0:52 / /t rw - lustr 1@tcp:/fs rw\n");
	assert_int_equal(info.count + info.skipped, 0);
}

/* 19 mounts, one of them with a blank, and a bind mount. */
static void test_M11_many_mounts(void **state)
{
	char *text;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < 19; i++)
		fprintf(out, "%zu 1 1273:181606 / /lus%zu%s rw - lustre 1@tcp:/lustre rw\n",
			100 + i, i, i == 7 ? "\\040x" : "");
	fputs("200 1 1273:181606 /sub /bind rw - lustre 1@tcp:/lustre rw\n", out);
	fclose(out);
	parse(text);
	free(text);
	assert_int_equal(info.count, 20);
	assert_int_equal(info.skipped, 0);
	assert_string_equal(info.entries[7].mount_point, "/lus7 x");
	assert_int_equal(info.entries[18].id, 118);
	assert_string_equal(info.entries[19].root, "/sub");
}

static void test_read(void **state)
{
	char dir[] = "/tmp/mountinfo_testXXXXXX", path[64];
	struct mountinfo read_info = {0};
	FILE *f;
	int i;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(mountinfo_read(dir, &read_info), -ENOENT);
	snprintf(path, sizeof(path), "%s/self", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/mountinfo");
	f = fopen(path, "w");
	/* More than the first buffer takes. */
	for (i = 0; i < 5000; i++)
		fprintf(f, "%d 1 0:52 / /lus/%d rw - lustre 1@tcp:/fs rw\n", i, i);
	fclose(f);
	assert_int_equal(mountinfo_read(dir, &read_info), 0);
	assert_int_equal(read_info.count, 5000);
	assert_string_equal(read_info.entries[4999].mount_point, "/lus/4999");
	mountinfo_free(&read_info);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dir);
	assert_int_equal(mountinfo_read("/proc", &read_info), 0);
	assert_int_equal(read_info.skipped, 0);
	mountinfo_free(&read_info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B22_octal_escapes),   cmocka_unit_test(test_B23_shapes),
		cmocka_unit_test(test_B23_malformed_lines), cmocka_unit_test(test_B28_fsname),
		cmocka_unit_test(test_M11_many_mounts),	    cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
