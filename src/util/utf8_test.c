// SPDX-License-Identifier: Apache-2.0
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

static void expect(const char *in, size_t len, const char *out)
{
	char buf[UTF8_SANITIZED_MAX(64)];

	assert_int_equal(utf8_sanitize(buf, sizeof(buf), in, len), strlen(out));
	assert_string_equal(buf, out);
}

#define EXPECT(in, out) expect(in, sizeof(in) - 1, out)

static void test_B11_cut_comm(void **state)
{
	EXPECT("inner-job-\xe5\x90\x8c\xe6\xad", "inner-job-\xe5\x90\x8c");
	EXPECT("inner-job-\xe5\x90\x8c\xe6", "inner-job-\xe5\x90\x8c");
	EXPECT("\xf0\x9f\x98", "");
	/* An incomplete character in the middle is not a tail. */
	EXPECT("\xe6\xad.", BAD BAD ".");
	/* The kernel pads with NUL: the tail stands before it. */
	EXPECT("ab\xe6\xad\0\0\0", "ab");
}

static void test_B12_label_characters(void **state)
{
	EXPECT("", "");
	EXPECT("a\"b\\c\nd\te#{}", "a\"b\\c\nd\te#{}");
	EXPECT("a\0b", "a");
	EXPECT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	       BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD);
	EXPECT("\xed\xa0\x80", BAD BAD BAD);
	EXPECT("\xed\x9f\xbf", "\xed\x9f\xbf");
	EXPECT("\xc0\x80", BAD BAD);
	EXPECT("\xc1\xbf", BAD BAD);
	EXPECT("\xe0\x80\x80", BAD BAD BAD);
	EXPECT("\xf0\x80\x80\x80", BAD BAD BAD BAD);
	EXPECT("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
	EXPECT("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	EXPECT("\xf5\x80", BAD BAD);
	EXPECT("\x80", BAD);
	/* No completion makes these valid: bad bytes, not a tail. */
	EXPECT("\xed\xa0", BAD BAD);
	EXPECT("\xe0\x9f", BAD BAD);
	EXPECT("\xf4\x90", BAD BAD);
}

static void test_small_destination(void **state)
{
	char buf[5];

	assert_int_equal(utf8_sanitize(buf, sizeof(buf), "ab\xe5\x90\x8c", 5), 2);
	assert_string_equal(buf, "ab");
	assert_int_equal(utf8_sanitize(buf, sizeof(buf),
				       "a\xff"
				       "b",
				       3),
			 4);
	assert_string_equal(buf, "a" BAD);
	assert_int_equal(utf8_sanitize(buf, 1, "a", 1), 0);
	assert_string_equal(buf, "");
}

static void test_decode(void **state)
{
	assert_int_equal(utf8_decode("a", 1), 'a');
	assert_int_equal(utf8_decode("\xc2\x9f", 2), 0x9f);
	assert_int_equal(utf8_decode("\xe5\x90\x8c", 3), 0x540c);
	assert_int_equal(utf8_decode("\xf4\x8f\xbf\xbf", 4), 0x10ffff);
}

/* Every sequence of two bytes and a NUL: the result is valid and stays as it is when repeated. */
static void test_result_is_valid(void **state)
{
	unsigned int pair;

	for (pair = 0; pair < 0x10000; pair++) {
		char in[3] = {(char)(pair >> 8), (char)pair, 'x'};
		char once[UTF8_SANITIZED_MAX(3)], twice[UTF8_SANITIZED_MAX(9)];
		size_t len = utf8_sanitize(once, sizeof(once), in, 3), pos = 0;

		while (pos < len) {
			int n = utf8_char_len(once + pos, len - pos);

			assert_true(n > 0);
			pos += n;
		}
		assert_int_equal(utf8_sanitize(twice, sizeof(twice), once, len), len);
		assert_string_equal(twice, once);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B11_cut_comm),
		cmocka_unit_test(test_B12_label_characters),
		cmocka_unit_test(test_small_destination),
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_result_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
