// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "quote.h"

static int pipe_fds[2];
static char line[LOG_LINE_MAX + 1];

static int setup(void **state)
{
	return pipe(pipe_fds);
}

static int teardown(void **state)
{
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return 0;
}

/* The line that was written, without the value of ts, which is checked for its form. */
static const char *take(size_t before_ts)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
	ssize_t n = read(pipe_fds[0], line, LOG_LINE_MAX);
	size_t i;

	assert_true(n > 0);
	line[n] = '\0';
	for (i = 0; i < strlen(form); i++) {
		char c = line[before_ts + i];

		if (form[i] == 'd')
			assert_in_range(c, '0', '9');
		else
			assert_int_equal(c, form[i]);
	}
	return line + before_ts + strlen(form);
}

static void test_logfmt(void **state)
{
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, pipe_fds[1]);
	log_info("%d probes attached", 70);
	assert_string_equal(take(3), " level=info msg=\"70 probes attached\"\n");
	log_kv(LOG_LEVEL_WARN, "lost", LOG_S("mount", "/lus"), LOG_N("n", -3), LOG_S("fs", ""));
	assert_string_equal(take(3), " level=warn msg=lost mount=/lus n=-3 fs=\"\"\n");
}

static void test_json(void **state)
{
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_JSON, pipe_fds[1]);
	log_error("plain");
	assert_string_equal(take(7), "\",\"level\":\"error\",\"msg\":\"plain\"}\n");
	log_kv(LOG_LEVEL_INFO, "lost", LOG_S("mount", "/l \"us\""), LOG_N("n", 3));
	assert_string_equal(take(7), "\",\"level\":\"info\",\"msg\":\"lost\","
				     "\"mount\":\"/l \\\"us\\\"\",\"n\":3}\n");
}

static void test_level(void **state)
{
	log_init(LOG_LEVEL_WARN, LOG_FORMAT_LOGFMT, pipe_fds[1]);
	assert_false(log_enabled(LOG_LEVEL_INFO));
	log_debug("no");
	log_info("no");
	log_warn("yes");
	assert_string_equal(take(3), " level=warn msg=yes\n");
}

static void test_B66_hostile_values(void **state)
{
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, pipe_fds[1]);
	log_kv(LOG_LEVEL_INFO, "x", LOG_S("comm", "a\nlevel=error \"\\\x1b[0m\xff\x7f\xc2\x9b"));
	assert_string_equal(take(3), " level=info msg=x comm=\"a\\nlevel=error \\\"\\\\\\u001b[0m"
				     "\xef\xbf\xbd\\u007f\\u009b\"\n");
}

static void test_long_values(void **state)
{
	char huge[3 * LOG_LINE_MAX], cut[1025];
	const char *rest;
	size_t i;

	memset(huge, 'a', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	memset(cut, 'a', sizeof(cut) - 1);
	cut[0] = '"';
	strcpy(cut + 1019, "...\"");
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_JSON, pipe_fds[1]);
	log_kv(LOG_LEVEL_INFO, "x", LOG_S("a", huge), LOG_S("b", huge), LOG_S("c", huge),
	       LOG_S("d", huge), LOG_N("e", 5));
	rest = take(7);
	rest += strlen("\",\"level\":\"info\",\"msg\":\"x\"");
	for (i = 0; i < 3; i++) {
		assert_int_equal(rest[2], 'a' + i);
		rest += 5;
		assert_memory_equal(rest, cut, strlen(cut));
		rest += strlen(cut);
	}
	/* The fourth did not fit and is missing; the line is whole. */
	assert_string_equal(rest, ",\"e\":5}\n");
}

static void test_errno_is_kept(void **state)
{
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, -1);
	errno = ENOTCONN;
	log_info("into the void");
	assert_int_equal(errno, ENOTCONN);
}

static void test_quote(void **state)
{
	char buf[QUOTE_MIN];

	assert_int_equal(quote(buf, sizeof(buf), "abc"), 5);
	assert_string_equal(buf, "\"abc\"");
	quote(buf, sizeof(buf), "abcde");
	assert_string_equal(buf, "\"abcde\"");
	assert_int_equal(quote(buf, sizeof(buf), "abcdef"), 7);
	assert_string_equal(buf, "\"ab...\"");
	quote(buf, sizeof(buf), "\n\n\n");
	assert_string_equal(buf, "\"\\n...\"");
	quote(buf, sizeof(buf), "\n\n");
	assert_string_equal(buf, "\"\\n\\n\"");
	quote(buf, sizeof(buf), "");
	assert_string_equal(buf, "\"\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logfmt),	    cmocka_unit_test(test_json),
		cmocka_unit_test(test_level),	    cmocka_unit_test(test_B66_hostile_values),
		cmocka_unit_test(test_long_values), cmocka_unit_test(test_errno_is_kept),
		cmocka_unit_test(test_quote),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
