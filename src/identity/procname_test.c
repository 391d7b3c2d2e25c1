// SPDX-License-Identifier: Apache-2.0
#include "procname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void expect(const char *in, const char *out)
{
	char name[64];
	size_t len = strlen(in);

	strcpy(name, in);
	assert_int_equal(procname_fold(name, len), strlen(out));
	assert_string_equal(name, out);
}

static void test_contract_table(void **state)
{
	expect("Bun Pool 1", "Bun Pool");
	expect("worker-3", "worker");
	expect("thread_42", "thread");
	expect("kworker/107", "kworker");
	expect("ray-dashboard-E", "ray-dashboard");
	expect("ray-dashboard-a", "ray-dashboard");
	expect("pool (3)", "pool");
	expect("pool[3]", "pool");
	expect("a-1-2", "a");
	expect("ptlrpcd_00_01", "ptlrpcd");
	expect("python3.11", "python3.11");
	expect("go1.21.5", "go1.21.5");
	expect("python3", "python3");
	expect("client.poll12", "client.poll");
	expect("1234", "1234");
	expect("-5", "-5");
	expect("(1)", "(1)");
	expect("x-y", "x");
	expect("name--42", "name");
}

static void test_B14_neighbours(void **state)
{
	expect("", "");
	expect("5", "5");
	expect("a", "a");
	expect("-", "-");
	expect("--5", "--5");
	expect("- (1)", "- (1)");
	expect("-a-5", "-a");
	expect("foo-", "foo-");
	expect("foo:7", "foo");
	expect("foo - 7", "foo");
	expect("foo_[12]", "foo");
	expect("foo (1) (2)", "foo");
	expect("foo (1) 2-b", "foo");
	expect("foo(1]", "foo(1]");
	expect("foo()", "foo()");
	expect("foo(a)", "foo(a)");
	expect("foo(1)x", "foo(1)x");
	expect("1)", "1)");
	expect("worker-3a", "worker-3a");
	expect("worker-ab", "worker-ab");
	expect("kworker/0:1", "kworker");
	expect("kworker/0:1-events", "kworker/0:1-events");
	expect("libfoo.so.6", "libfoo.so.6");
	expect(".foo12", ".foo");
	expect(".12", ".12");
	expect("a.12", "a.12");
	expect("a.", "a.");
	expect("a.b1-2", "a.b");
	expect("a.b-1", "a.b");
	expect("x.1a2", "x.1a2");
	expect("a12", "a12");
	expect("pool-\xc3\xa9", "pool-\xc3\xa9");
	expect("\xff-1", "\xff");
}

/* Every name of up to five characters out of those that the rules know. */
static void test_properties(void **state)
{
	static const char letters[] = "a1-. ([)]";
	const size_t base = sizeof(letters) - 1;
	size_t len, code, count = 1;

	for (len = 1; len <= 5; len++) {
		count *= base;
		for (code = 0; code < count; code++) {
			char once[8], twice[8];
			size_t i, rest = code, n;

			for (i = 0; i < len; i++, rest /= base)
				once[i] = letters[rest % base];
			once[len] = '\0';
			memcpy(twice, once, sizeof(once));
			n = procname_fold(once, len);
			assert_in_range(n, 1, len);
			/* What is left is the beginning of what was there. */
			assert_memory_equal(once, twice, n);
			assert_int_equal(once[n], '\0');
			memcpy(twice, once, sizeof(once));
			assert_int_equal(procname_fold(twice, n), n);
			assert_string_equal(once, twice);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contract_table),
		cmocka_unit_test(test_B14_neighbours),
		cmocka_unit_test(test_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
