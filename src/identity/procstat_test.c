// SPDX-License-Identifier: Apache-2.0
#include "procstat.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define REST                                                                      \
	"S 42 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 -5 1 0 123456789012 9 9 " \
	"18446744073709551615"

static struct procstat st;

static void expect_comm(const char *comm)
{
	char text[512];

	snprintf(text, sizeof(text), "4711 (%s) " REST "\n", comm);
	assert_int_equal(procstat_parse(&st, text, strlen(text)), 0);
	assert_int_equal(st.pid, 4711);
	assert_int_equal(st.ppid, 42);
	assert_int_equal(st.state, 'S');
	assert_false(st.is_kthread);
	assert_true(st.start_ticks == 123456789012);
	assert_string_equal(st.comm, comm);
}

static void test_B66_names(void **state)
{
	expect_comm("bash");
	expect_comm("");
	expect_comm(") (");
	expect_comm("x) R 1 2 3 4 5");
	expect_comm("(sd-pam)");
	expect_comm("((((");
	expect_comm("))))");
	expect_comm("a\nb");
	expect_comm("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
	expect_comm("kworker/u257:3-events_unbound_with_a_very_long_workqueue_name_xy");
}

static void test_kernel_thread(void **state)
{
	static const char text[] = "88 (ptlrpcd_00_01) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 "
				   "0 17 0 0\n";

	assert_int_equal(procstat_parse(&st, text, strlen(text)), 0);
	assert_true(st.is_kthread);
	assert_int_equal(st.ppid, 2);
	assert_true(st.start_ticks == 17);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"",
		"4711",
		"4711 (x",
		"4711 x) S 1",
		"4711 )x( " REST "\n",
		"(x) " REST "\n",
		"4711(x) " REST "\n",
		"-1 (x) " REST "\n",
		"99999999999 (x) " REST "\n",
		"4711 (x)",
		"4711 (x) ",
		"4711 (x)" REST "\n",
		"4711 (x) SS 42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 9\n",
		"4711 (x) S -42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 9\n",
		"4711 (x) S 42 1 1 0 -1 x 1 2 3 4 5 6 7 8 20 0 1 0 5 9\n",
		"4711 (x) S 42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 -5 9\n",
		"4711 (x) S  42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 9\n",
		/* The start time may go on. */
		"4711 (x) S 42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5",
		"4711 (kworker/u257:3-events_unbound_with_a_very_long_workqueue_name_xyz) " REST
		"\n",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(procstat_parse(&st, bad[i], strlen(bad[i])), -EINVAL);
	assert_int_equal(
		procstat_parse(&st, "4711 (x) S 42 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 ", 52), 0);
}

static void test_self(void **state)
{
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	assert_true(n > 0);
	assert_int_equal(procstat_parse(&st, text, n), 0);
	assert_int_equal(st.pid, getpid());
	assert_int_equal(st.ppid, getppid());
	assert_int_equal(st.state, 'R');
	assert_false(st.is_kthread);
	assert_true(st.start_ticks > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B66_names),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
