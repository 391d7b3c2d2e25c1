// SPDX-License-Identifier: Apache-2.0
/* Environments as a tree of files, and B26: one that never comes. */
#include "reader.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define TICK UINT64_C(10000000) /* ns, at 100 ticks a second */

static char procfs[] = "/tmp/reader_test.XXXXXX";

static void write_file(const char *pid, const char *name, const char *text, size_t len)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", procfs, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", procfs, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void write_stat(const char *pid, const char *start)
{
	char text[256];
	int len = snprintf(text, sizeof(text),
			   "%s (a) b) S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 %s 0 0\n", pid,
			   start);

	write_file(pid, "stat", text, len);
}

static int setup(void **state)
{
	static const char environment[] = "A=1\0SLURM_JOB_ID=4711\0SLURM_JOB_SLUID=x\0";

	assert_non_null(mkdtemp(procfs));
	write_stat("10", "500");
	write_file("10", "environ", environment, sizeof(environment) - 1);
	write_stat("11", "500");
	write_file("11", "environ", "", 0);
	return 0;
}

static int teardown(void **state)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s", procfs);
	return system(command);
}

static int read_one(uint32_t pid, uint64_t start_ns, struct environ_jobs *jobs)
{
	return read_environ(procfs, &(struct lasting_id){.pid = pid, .number = start_ns}, jobs);
}

static void test_read(void **state)
{
	struct environ_jobs jobs;

	assert_int_equal(read_one(10, 500 * TICK + 123, &jobs), 0);
	assert_string_equal(jobs.slurm, "4711");
	assert_string_equal(jobs.sluid, "");
	/* B20: another process with the same pid. */
	assert_int_equal(read_one(10, 501 * TICK, &jobs), -ESRCH);
	assert_int_equal(read_one(10, 499 * TICK, &jobs), -ESRCH);
	assert_int_equal(read_one(11, 500 * TICK, &jobs), -ESRCH);
	assert_int_equal(read_one(12, 500 * TICK, &jobs), -ESRCH);
}

static void take(struct reader *reader, struct reader_answer *answer)
{
	struct pollfd fd = {.fd = reader_fd(reader), .events = POLLIN};

	assert_int_equal(poll(&fd, 1, 60000), 1);
	assert_int_equal(reader_take(reader, answer), 1);
}

/* One reading that hangs keeps no other one from being answered. */
static void test_hanging(void **state)
{
	struct lasting_id hanging = {.pid = 13, .number = 500 * TICK};
	struct lasting_id good = {.pid = 10, .number = 500 * TICK};
	struct reader_answer answer;
	struct reader *reader;
	char path[256];

	write_stat("13", "500");
	snprintf(path, sizeof(path), "%s/13/environ", procfs);
	assert_int_equal(mkfifo(path, 0600), 0);

	assert_int_equal(reader_start(&reader, procfs), 0);
	assert_int_equal(reader_ask(reader, 1, &hanging), 0);
	for (uint64_t i = 2; i < 10; i++) {
		assert_int_equal(reader_ask(reader, i, &good), 0);
		take(reader, &answer);
		assert_int_equal(answer.question, i);
		assert_int_equal(answer.error, 0);
		assert_string_equal(answer.environ.slurm, "4711");
	}
	assert_int_equal(reader_take(reader, &answer), 0);
	/* With every thread stuck, whoever asks is not held. */
	for (int i = 0; i < 100000; i++) {
		int err = reader_ask(reader, 100 + i, &hanging);

		if (err == -EAGAIN)
			break;
		assert_int_equal(err, 0);
		assert_int_not_equal(i, 99999);
	}
	reader_stop(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_hanging),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
