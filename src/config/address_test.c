// SPDX-License-Identifier: Apache-2.0
#include "address.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void good(const char *text, enum address_kind kind, const char *name, int port)
{
	struct address a;
	const char *why;

	assert_int_equal(address_parse(&a, text, &why), 0);
	assert_int_equal(a.kind, kind);
	assert_string_equal(a.name, name);
	assert_int_equal(a.port, port);
}

static void bad(const char *text, const char *reason)
{
	struct address a;
	const char *why = NULL;

	assert_int_equal(address_parse(&a, text, &why), -EINVAL);
	assert_string_equal(why, reason);
}

static void test_good(void **state)
{
	good(":9108", ADDRESS_INET, "", 9108);
	good(":0", ADDRESS_INET, "", 0);
	good(":65535", ADDRESS_INET, "", 65535);
	good("127.0.0.1:9108", ADDRESS_INET, "127.0.0.1", 9108);
	good("node-1.x_y:80", ADDRESS_INET, "node-1.x_y", 80);
	good("[::1]:9108", ADDRESS_INET, "::1", 9108);
	good("[::]:9108", ADDRESS_INET, "::", 9108);
	good("[fe80::1%eth0]:9108", ADDRESS_INET, "fe80::1%eth0", 9108);
	good("[::ffff:10.0.0.1]:1", ADDRESS_INET, "::ffff:10.0.0.1", 1);
	good("unix:/run/x.sock", ADDRESS_UNIX, "/run/x.sock", 0);
	good("unix:/run/a:1", ADDRESS_UNIX, "/run/a:1", 0);
}

static void test_bad(void **state)
{
	char path[200] = "unix:/", host[300];

	bad("", "has no port, as in :9108");
	bad("9108", "has no port, as in :9108");
	bad("host", "has no port, as in :9108");
	bad("[::1]", "has no port, as in :9108");
	bad(":", "has a port that is not a number from 0 to 65535");
	bad("host:http", "has a port that is not a number from 0 to 65535");
	bad(":65536", "has a port that is not a number from 0 to 65535");
	bad(":-1", "has a port that is not a number from 0 to 65535");
	bad(":9108 ", "has a port that is not a number from 0 to 65535");
	bad("::1:9108", "has an IPv6 address without brackets, as in [::1]:9108");
	bad("::9108", "has an IPv6 address without brackets, as in [::1]:9108");
	bad("[]:9108", "has no IPv6 address between its brackets");
	bad("[:9108", "has no IPv6 address between its brackets");
	bad("[1.2.3.4]:9108", "has no IPv6 address between its brackets");
	bad("[::1%]:9108", "has no IPv6 address between its brackets");
	bad("[fe80::1%eth0]:9]:9", "has no IPv6 address between its brackets");
	bad("[::1]x:9108", "has no IPv6 address between its brackets");
	bad("a b:9108", "has characters in its host that no host name has");
	bad("a/b:9108", "has characters in its host that no host name has");
	bad("\xff:9108", "has characters in its host that no host name has");
	bad("http://a:9108", "has an IPv6 address without brackets, as in [::1]:9108");
	bad("unix:run", "needs an absolute path after unix:");
	memset(path + 6, 'a', 108);
	bad(path, "is longer than the 107 bytes of a socket's path");
	memset(host, 'a', 254);
	strcpy(host + 254, ":1");
	bad(host, "has a host that is too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
