// SPDX-License-Identifier: Apache-2.0
#include "actor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "allowlist.h"

static void expect(const char *name, bool is_kthread, bool in_job, const char *type)
{
	assert_string_equal(actor_type_name(actor_type(name, is_kthread, in_job)), type);
}

static void test_by_name(void **state)
{
	static const char *const workers[] = {"ptlrpcd_00_01", "ptlrpcd_rcv",  "ll_sa_4711",
					      "ll_agl_4711",   "ldlm_bl_02",   "ldlm_cb00_000",
					      "ll_ping",       "ll_imp_inval", "socknal_sd00_01",
					      "kiblnd_sd_01",  "kworker/u8:3"};
	static const char *const daemons[] = {
		"node_exporter", "sshd",  "systemd",  "systemd-journal", "dbus-daemon",
		"cron",		 "crond", "exporter", "my-exporter",	 "redis_exporter"};
	static const char *const batch[] = {"slurmd",  "slurmstepd",   "slurm_script",
					    "pbs_mom", "sge_shepherd", "sbatchd"};
	static const char *const users[] = {"",	       "bash",	     "ptlrpcd",	    "ll_pingx",
					    "kworker", "sshd2",	     "crontab",	    "exporters",
					    "xslurmd", "python3.11", "\xef\xbf\xbd"};
	size_t i;

	for (i = 0; i < sizeof(workers) / sizeof(*workers); i++)
		expect(workers[i], true, false, "client_worker");
	for (i = 0; i < sizeof(daemons) / sizeof(*daemons); i++)
		expect(daemons[i], false, false, "system_daemon");
	for (i = 0; i < sizeof(batch) / sizeof(*batch); i++)
		expect(batch[i], false, false, "batch_job");
	for (i = 0; i < sizeof(users) / sizeof(*users); i++)
		expect(users[i], false, false, "user");
}

static void test_in_job(void **state)
{
	expect("bash", false, true, "batch_job");
	expect("my-exporter", false, true, "batch_job");
	expect("ptlrpcd_00_01", false, true, "batch_job");
}

/* B66: a name is anybody's. */
static void test_kernel_thread(void **state)
{
	expect("ptlrpcd_00_01", true, false, "client_worker");
	expect("ptlrpcd_00_01", false, false, "user");
	expect("kworker/u8:3", false, false, "user");
	expect("kswapd0", true, false, "user");
}

static void test_allowlist(void **state)
{
	const char *const names[] = {"python3", "dd", "systemd-journald", "\xef\xbf\xbd"};
	struct allowlist list;

	assert_int_equal(allowlist_init(&list, names, 4), 0);
	assert_string_equal(allowlist_apply(&list, "dd"), "dd");
	assert_string_equal(allowlist_apply(&list, "python3"), "python3");
	assert_string_equal(allowlist_apply(&list, "\xef\xbf\xbd"), "\xef\xbf\xbd");
	assert_string_equal(allowlist_apply(&list, "python3.11"), "other");
	assert_string_equal(allowlist_apply(&list, "python"), "other");
	assert_string_equal(allowlist_apply(&list, "DD"), "other");
	/* The first 15 bytes of an entry are another name. */
	assert_string_equal(allowlist_apply(&list, "systemd-journal"), "other");
	assert_string_equal(allowlist_apply(&list, ""), "other");
	allowlist_free(&list);

	assert_int_equal(allowlist_init(&list, NULL, 0), 0);
	assert_string_equal(allowlist_apply(&list, "bash"), "bash");
	allowlist_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_in_job),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_allowlist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
