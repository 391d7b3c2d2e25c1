// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct cgroup_info info;

static void parse(const char *path)
{
	cgroup_parse_path(&info, path, strlen(path));
}

static void parse_proc(const char *text)
{
	cgroup_parse_proc(&info, text, strlen(text));
}

static void expect_job(const char *path, enum batch_manager manager, const char *id,
		       enum job_step step)
{
	parse(path);
	assert_int_equal(info.kind, CGROUP_JOB);
	assert_int_equal(info.manager, manager);
	assert_string_equal(info.job_id, id);
	assert_int_equal(info.step, step);
	assert_false(info.is_stepd);
}

static void expect_none(const char *path, enum cgroup_kind kind)
{
	parse(path);
	assert_int_equal(info.kind, kind);
	assert_string_equal(info.job_id, "");
	assert_false(info.is_sluid);
}

#define SCOPE "/system.slice/slurmstepd.scope/"

static void test_B1_sluid(void **state)
{
	expect_job(SCOPE "sEKNKTV3WPV500/step_batch/user/task_0", BATCH_SLURM, "sEKNKTV3WPV500",
		   STEP_BATCH);
	assert_true(info.is_sluid);
	expect_job(SCOPE "job_123/step_batch/user/task_0", BATCH_SLURM, "123", STEP_BATCH);
	assert_false(info.is_sluid);
	expect_none(SCOPE "sEKNKTV3WPV50/step_batch/user/task_0", CGROUP_SYSTEM);
	expect_none(SCOPE "sEKNKTV3WPVIL0/step_batch/user/task_0", CGROUP_SYSTEM);
	expect_none(SCOPE "sEKNKTV3WPV5000/step_batch/user/task_0", CGROUP_SYSTEM);
	expect_none(SCOPE "seknktv3wpv500/step_batch/user/task_0", CGROUP_SYSTEM);
	expect_none(SCOPE "EKNKTV3WPV5000/step_batch", CGROUP_SYSTEM);
	expect_none(SCOPE "system", CGROUP_SYSTEM);
	assert_true(info.is_stepd);
}

static void test_B2_node_in_scope(void **state)
{
	expect_job("/system.slice/gpu-01.x_slurmstepd.scope/job_123/step_0/user/task_2",
		   BATCH_SLURM, "123", STEP_NUMBERED);
	expect_job("/slurmstepd.scope/job_1", BATCH_SLURM, "1", STEP_NONE);
	expect_job("slurmstepd.scope/job_1/step_1", BATCH_SLURM, "1", STEP_NUMBERED);
	expect_job("/slurm.slice/slurm-x.slice/a_b_slurmstepd.scope/job_1/step_interactive/user",
		   BATCH_SLURM, "1", STEP_INTERACTIVE);
	expect_none("/system.slice/_slurmstepd.scope/job_123/step_0", CGROUP_SYSTEM);
	expect_none("/system.slice/xslurmstepd.scope/job_123/step_0", CGROUP_SYSTEM);
	expect_none("/system.slice/slurmstepd.scopex/job_123/step_0", CGROUP_SYSTEM);
}

static void test_B3_look_alikes(void **state)
{
	static const char *const user[] = {
		"/user.slice/user-1000.slice/user@1000.service/app.slice/job_99/x",
		"/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_99/step_0",
		"/user.slice/slurmstepd.scope/job_99/step_0",
		"/user.slice/user-1000.slice/session-3.scope/slurmstepd.scope/job_99/step_0",
		"/user.slice/user-1000.slice/user@1000.service/slurm/uid_0/job_99",
		"/user.slice/user-1000.slice/user@1000.service/pbs_jobs.service/jobid/99.srv",
		"/user.slice/user-1000.slice/user@1000.service/sge/99.1",
		"/user.slice/user-1000.slice/user@1000.service/lsf/c/job.99.1.1",
	};
	size_t i;

	for (i = 0; i < sizeof(user) / sizeof(user[0]); i++)
		expect_none(user[i], CGROUP_USER);
	expect_none("/system.slice/job_99.scope", CGROUP_SYSTEM);
	expect_none("/system.slice/app.service/slurmstepd.scope/job_99/step_0", CGROUP_SYSTEM);
	expect_none("/system.slice/run-1.scope/slurmstepd.scope/job_99/step_0", CGROUP_SYSTEM);
	expect_none("/job_99/step_0", CGROUP_OTHER);
	expect_none("/x/slurm/uid_5/job_99/step_0", CGROUP_OTHER);
	expect_none("/slurmx/uid_5/job_99/step_0", CGROUP_OTHER);
	expect_none("/slurm/job_99/step_0", CGROUP_OTHER);
	expect_none("/slurm/uid_x/job_99/step_0", CGROUP_OTHER);
	/* A job inside a job is the outer one. */
	expect_job(SCOPE "job_5/step_0/user/slurmstepd.scope/job_99/step_0", BATCH_SLURM, "5",
		   STEP_NUMBERED);
}

static void test_B67_forged_numbers(void **state)
{
	expect_none(SCOPE "job_", CGROUP_SYSTEM);
	expect_none(SCOPE "job_0", CGROUP_SYSTEM);
	expect_none(SCOPE "job_012", CGROUP_SYSTEM);
	expect_none(SCOPE "job_12;x", CGROUP_SYSTEM);
	expect_none(SCOPE "job_-1", CGROUP_SYSTEM);
	expect_none(SCOPE "job_4294967296", CGROUP_SYSTEM);
	expect_none(SCOPE "job_12345678901", CGROUP_SYSTEM);
	expect_none(SCOPE "job_1\n2", CGROUP_SYSTEM);
	expect_job(SCOPE "job_4294967295", BATCH_SLURM, "4294967295", STEP_NONE);
	expect_none("", CGROUP_OTHER);
	expect_none("/", CGROUP_OTHER);
	expect_none("////", CGROUP_OTHER);
	expect_none("/\xff/\xff", CGROUP_OTHER);
}

static void test_B4_v1_and_hybrid(void **state)
{
	static const char job[] = "11:cpuset:/slurm/uid_5/job_8/step_batch/task_0\n"
				  "1:name=systemd:/system.slice/slurmd.service\n"
				  "0::/\n";

	parse_proc(job);
	assert_int_equal(info.kind, CGROUP_JOB);
	assert_string_equal(info.job_id, "8");
	assert_int_equal(info.step, STEP_BATCH);
	assert_true(info.has_uid);
	assert_int_equal(info.uid, 5);
	parse_proc("12:cpuset:/\n0::/\n9:memory:/slurm_node7/uid_0/job_9/step_extern/task_0\n"
		   "3:devices:/slurm/uid_1/job_10");
	assert_string_equal(info.job_id, "9");
	assert_int_equal(info.step, STEP_EXTERN);
	assert_int_equal(info.uid, 0);
	parse_proc("7:cpu,cpuacct:/slurm/uid_5/job_8/step_0\n2:memory:/user.slice\n");
	assert_string_equal(info.job_id, "8");
	parse_proc("0::" SCOPE "job_7/step_0/user/task_0 (deleted)\n");
	assert_string_equal(info.job_id, "7");
	parse_proc("0::" SCOPE "job_7 (deleted)");
	assert_string_equal(info.job_id, "7");
	/* A path may hold colons. */
	parse_proc("0::/a:b/slurmstepd.scope/job_7\n");
	assert_string_equal(info.job_id, "7");
	parse_proc("12:cpuset:/\n1:name=systemd:/user.slice/user-7.slice/session-2.scope\n0::/\n");
	assert_int_equal(info.kind, CGROUP_USER);
	assert_int_equal(info.uid, 7);
	assert_int_equal(info.session, 2);
	parse_proc("garbage\n::\n\n:\n");
	assert_int_equal(info.kind, CGROUP_OTHER);
	parse_proc("");
	assert_int_equal(info.kind, CGROUP_OTHER);
}

/* Paths that name no job leave no id behind, whatever the kind. */
static void test_B5_no_empty_job(void **state)
{
	expect_none(SCOPE "job_/step_0", CGROUP_SYSTEM);
	assert_int_equal(info.manager, BATCH_SLURM);
	expect_none("/slurm/uid_5/job_/step_0", CGROUP_OTHER);
	assert_int_equal(info.manager, BATCH_NONE);
	assert_false(info.has_uid);
}

static void test_B7_steps(void **state)
{
	expect_job(SCOPE "job_5/step_extern/user/task_4294967295", BATCH_SLURM, "5", STEP_EXTERN);
	expect_job(SCOPE "job_5/step_0+1/user/task_0", BATCH_SLURM, "5", STEP_NUMBERED);
	expect_job(SCOPE "job_5/step_batch+0/user/task_0", BATCH_SLURM, "5", STEP_BATCH);
	expect_job(SCOPE "job_5/step_x/user/task_0", BATCH_SLURM, "5", STEP_NONE);
	expect_job(SCOPE "job_5/step_0/user/slurm", BATCH_SLURM, "5", STEP_NUMBERED);
	parse(SCOPE "job_5/step_0/slurm");
	assert_int_equal(info.kind, CGROUP_JOB);
	assert_string_equal(info.job_id, "5");
	assert_true(info.is_stepd);
}

static void test_B8_other_managers(void **state)
{
	expect_job("/pbspro.service/jobid/42.srv", BATCH_PBS, "42.srv", STEP_NONE);
	expect_job("/pbs_jobs.service/jobid/42[7].srv.x/y", BATCH_PBS, "42[7].srv.x", STEP_NONE);
	expect_none("/pbspro.service/jobid", CGROUP_OTHER);
	expect_none("/pbspro.service/jobid/x42", CGROUP_OTHER);
	expect_none("/pbspro.service/jobid/42 x", CGROUP_OTHER);
	expect_job("/sge/42.1", BATCH_SGE, "42", STEP_NONE);
	expect_job("/UGE/42", BATCH_SGE, "42", STEP_NONE);
	expect_none("/sge/x", CGROUP_OTHER);
	expect_job("/lsf/cluster1/job.123.4567.1690000000", BATCH_LSF, "123", STEP_NONE);
	expect_job("/lsf/cluster1/job.123[4].5.6/x", BATCH_LSF, "123", STEP_NONE);
	expect_none("/lsf/cluster1/job.x", CGROUP_OTHER);
	expect_none("/lsf/job.1", CGROUP_OTHER);
	parse_proc("5:devices:/pbspro.service/jobid/42.srv\n0::/system.slice/pbs.service\n");
	assert_int_equal(info.manager, BATCH_PBS);
	assert_string_equal(info.job_id, "42.srv");

	expect_none("/user.slice/user-1001.slice/session-3.scope", CGROUP_USER);
	assert_true(info.has_uid);
	assert_int_equal(info.uid, 1001);
	assert_int_equal(info.session, 3);
	expect_none("/user.slice/user-x.slice/session-c1.scope", CGROUP_USER);
	assert_false(info.has_uid);
	assert_int_equal(info.session, 0);
	expect_none("/system.slice/cron.service", CGROUP_SYSTEM);
	expect_none("/init.scope", CGROUP_SYSTEM);
	expect_none("/system.slice/docker-0123456789abcdef.scope", CGROUP_CONTAINER);
	expect_none("/docker/0123456789abcdef", CGROUP_CONTAINER);
	expect_none("/kubepods.slice/kubepods-pod1.slice/cri-containerd-1.scope", CGROUP_CONTAINER);
	expect_none("/machine.slice/libpod-1.scope/container", CGROUP_CONTAINER);
	expect_none("/user.slice/user-7.slice/user@7.service/libpod-1.scope", CGROUP_CONTAINER);
	assert_int_equal(info.uid, 7);
	/* Slurm in a container of root's. */
	expect_job("/system.slice/docker-1.scope/system.slice/slurmstepd.scope/job_3/step_0",
		   BATCH_SLURM, "3", STEP_NUMBERED);
}

/* More components than are looked at. */
static void test_depth(void **state)
{
	char path[2048] = "";
	int i;

	for (i = 0; i < 100; i++)
		strcat(path, "/x.slice");
	strcat(path, "/slurmstepd.scope/job_1");
	expect_none(path, CGROUP_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B1_sluid),
		cmocka_unit_test(test_B2_node_in_scope),
		cmocka_unit_test(test_B3_look_alikes),
		cmocka_unit_test(test_B4_v1_and_hybrid),
		cmocka_unit_test(test_B5_no_empty_job),
		cmocka_unit_test(test_B7_steps),
		cmocka_unit_test(test_B8_other_managers),
		cmocka_unit_test(test_B67_forged_numbers),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
