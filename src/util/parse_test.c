// SPDX-License-Identifier: Apache-2.0
#include "parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void expect_int(const char *s, int64_t value)
{
	int64_t out = -77;

	assert_int_equal(parse_int(s, &out), 0);
	assert_true(out == value);
}

static void test_int(void **state)
{
	static const char *const bad[] = {"",	 " ",	"x",   "-",   "+",    "1 ",  " 1",
					  "1x",	 "0x",	"0o",  "0b",  "0o8",  "0b2", "08",
					  "1.5", "1e3", "_1",  "1_",  "1__2", "0x_", "0__7",
					  "--1", "+-1", "0xg", "\xff"};
	int64_t out = 7;
	size_t i;

	expect_int("0", 0);
	expect_int("-0", 0);
	expect_int("5", 5);
	expect_int("+5", 5);
	expect_int("-5", -5);
	expect_int("1_000_000", 1000000);
	expect_int("0x1F", 31);
	expect_int("0Xf_f", 255);
	expect_int("0x_ff", 255);
	expect_int("-0x10", -16);
	expect_int("0o17", 15);
	expect_int("0O1_7", 15);
	expect_int("0b101", 5);
	expect_int("017", 15);
	expect_int("9223372036854775807", INT64_MAX);
	expect_int("-9223372036854775808", INT64_MIN);
	expect_int("0x7fffffffffffffff", INT64_MAX);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_int(bad[i], &out), -EINVAL);
	assert_int_equal(parse_int("9223372036854775808", &out), -ERANGE);
	assert_int_equal(parse_int("-9223372036854775809", &out), -ERANGE);
	assert_int_equal(parse_int("99999999999999999999999", &out), -ERANGE);
	assert_int_equal(parse_int("99999999999999999999999x", &out), -EINVAL);
	assert_true(out == 7);
}

static void test_digits(void **state)
{
	uint64_t out = 7;

	assert_int_equal(parse_digits("42", 2, 100, &out), 0);
	assert_true(out == 42);
	assert_int_equal(parse_digits("4x", 1, 100, &out), 0);
	assert_true(out == 4);
	assert_int_equal(parse_digits("18446744073709551615", 20, UINT64_MAX, &out), 0);
	assert_true(out == UINT64_MAX);
	assert_int_equal(parse_digits("18446744073709551616", 20, UINT64_MAX, &out), -ERANGE);
	assert_int_equal(parse_digits("100", 3, 100, &out), 0);
	assert_int_equal(parse_digits("101", 3, 100, &out), -ERANGE);
	assert_int_equal(parse_digits("9", 1, 3, &out), -ERANGE);
	assert_int_equal(parse_digits("", 0, 100, &out), -EINVAL);
	assert_int_equal(parse_digits("-1", 2, 100, &out), -EINVAL);
	assert_int_equal(parse_digits("1_0", 3, 100, &out), -EINVAL);
}

static void test_bool(void **state)
{
	static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
	static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};
	static const char *const bad[] = {"", "yes", "no", "on", "tRUE", "2", "truee", " true"};
	bool out;
	size_t i;

	for (i = 0; i < 6; i++) {
		out = false;
		assert_int_equal(parse_bool(yes[i], &out), 0);
		assert_true(out);
		assert_int_equal(parse_bool(no[i], &out), 0);
		assert_false(out);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_bool(bad[i], &out), -EINVAL);
}

static void expect_duration(const char *s, int64_t ns)
{
	int64_t out = -77;

	assert_int_equal(parse_duration(s, &out), 0);
	assert_true(out == ns);
}

static void test_duration(void **state)
{
	static const char *const bad[] = {"",	"10", "s",   "1h30", "1 s",  "1s ",   ".s",
					  "1.", "-",  "1.5", "1x",   "--1s", "1s-1s", "\xc2"};
	int64_t out = 7;
	size_t i;

	expect_duration("0", 0);
	expect_duration("0s", 0);
	expect_duration("10s", 10 * NSEC_PER_SEC);
	expect_duration("1h", 3600 * NSEC_PER_SEC);
	expect_duration("1m30s", 90 * NSEC_PER_SEC);
	expect_duration("500ms", 500000000);
	expect_duration("1.5s", 1500000000);
	expect_duration(".5s", 500000000);
	expect_duration("2.s", 2 * NSEC_PER_SEC);
	expect_duration("1us", 1000);
	expect_duration("1\xc2\xb5s", 1000);
	expect_duration("1\xce\xbcs", 1000);
	expect_duration("7ns", 7);
	expect_duration("1d", 86400 * NSEC_PER_SEC);
	expect_duration("1w", 7 * 86400 * NSEC_PER_SEC);
	expect_duration("1y", 365 * 86400 * NSEC_PER_SEC);
	expect_duration("-1s", -NSEC_PER_SEC);
	expect_duration("+1s", NSEC_PER_SEC);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_duration(bad[i], &out), -EINVAL);
	assert_int_equal(parse_duration("300y", &out), -ERANGE);
	assert_int_equal(parse_duration("200y200y", &out), -ERANGE);
	assert_int_equal(parse_duration("99999999999999999999s", &out), -ERANGE);
	assert_true(out == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
