// SPDX-License-Identifier: Apache-2.0
#include "environ.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct environ_jobs jobs;

/* text: a literal with \0 between the variables; its own NUL ends the last one. */
#define PARSE(text) environ_parse(&jobs, text, sizeof(text))

static void expect(const char *slurm, const char *sluid, const char *pbs, const char *sge,
		   const char *lsf)
{
	assert_string_equal(jobs.slurm, slurm);
	assert_string_equal(jobs.sluid, sluid);
	assert_string_equal(jobs.pbs, pbs);
	assert_string_equal(jobs.sge, sge);
	assert_string_equal(jobs.lsf, lsf);
}

static void test_variables(void **state)
{
	PARSE("HOME=/root\0SLURM_JOB_ID=123\0SLURM_JOBID=123\0SLURM_JOB_SLUID=sEKNKTV3WPV500\0A");
	expect("123", "sEKNKTV3WPV500", "", "", "");
	assert_int_equal(environ_manager(&jobs), BATCH_SLURM);
	PARSE("SLURM_JOBID=4294967295");
	expect("4294967295", "", "", "", "");
	PARSE("PBS_JOBID=42[1].server.example");
	expect("", "", "42[1].server.example", "", "");
	assert_int_equal(environ_manager(&jobs), BATCH_PBS);
	PARSE("JOB_ID=7\0SGE_ROOT=/opt/sge");
	expect("", "", "", "7", "");
	assert_int_equal(environ_manager(&jobs), BATCH_SGE);
	PARSE("SGE_TASK_ID=undefined\0JOB_ID=7");
	expect("", "", "", "7", "");
	PARSE("JOB_ID=7\0XSGE_ROOT=/opt/sge\0SGE_=");
	expect("", "", "", "", "");
	PARSE("LSB_JOBID=99");
	expect("", "", "", "", "99");
	assert_int_equal(environ_manager(&jobs), BATCH_LSF);
	PARSE("HOME=/root");
	expect("", "", "", "", "");
	assert_int_equal(environ_manager(&jobs), BATCH_NONE);
}

static void test_B67_forged_values(void **state)
{
	char huge[5000 + 14];

	PARSE("SLURM_JOB_ID=12;x");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID= 12");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=012");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=0");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=-1");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=4294967296");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=12345678901");
	expect("", "", "", "", "");
	PARSE("XSLURM_JOB_ID=1\0SLURM_JOB_IDX=1\0slurm_job_id=1\0=1\0\0=");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_SLUID=sEKNKTV3WPVIL0\0PBS_JOBID=x1\0LSB_JOBID=1x");
	expect("", "", "", "", "");
	PARSE("PBS_JOBID=1\xff");
	expect("", "", "", "", "");
	memset(huge, '1', sizeof(huge));
	memcpy(huge, "SLURM_JOB_ID=", 13);
	huge[sizeof(huge) - 1] = '\0';
	environ_parse(&jobs, huge, sizeof(huge));
	expect("", "", "", "", "");
	memset(huge, '\0', sizeof(huge));
	environ_parse(&jobs, huge, sizeof(huge));
	expect("", "", "", "", "");
	environ_parse(&jobs, NULL, 0);
	expect("", "", "", "", "");
}

static void test_B67_contradictions(void **state)
{
	PARSE("SLURM_JOB_ID=1\0SLURM_JOB_ID=2");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=1\0SLURM_JOB_ID=1");
	expect("1", "", "", "", "");
	PARSE("SLURM_JOB_ID=1\0SLURM_JOBID=2");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=1\0SLURM_JOBID=x");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=x\0SLURM_JOB_ID=1");
	expect("", "", "", "", "");
	PARSE("SLURM_JOB_ID=1\0SLURM_JOB_ID=x\0SLURM_JOB_ID=1");
	expect("", "", "", "", "");
}

static void test_cut_off(void **state)
{
	/* Perhaps the beginning of 12345. */
	environ_parse(&jobs, "A=1\0SLURM_JOB_ID=12", 19);
	expect("", "", "", "", "");
	environ_parse(&jobs, "A=1\0SLURM_JOB_ID=12", 20);
	expect("12", "", "", "", "");
}

static void test_B1_sluid_to_number(void **state)
{
	PARSE("SLURM_JOB_ID=123\0SLURM_JOB_SLUID=sEKNKTV3WPV500");
	assert_string_equal(environ_number_of_sluid(&jobs, "sEKNKTV3WPV500"), "123");
	assert_null(environ_number_of_sluid(&jobs, "sEKNKTV3WPV501"));
	assert_null(environ_number_of_sluid(&jobs, ""));
	PARSE("SLURM_JOB_ID=123");
	assert_null(environ_number_of_sluid(&jobs, "sEKNKTV3WPV500"));
	assert_null(environ_number_of_sluid(&jobs, ""));
	PARSE("SLURM_JOB_SLUID=sEKNKTV3WPV500");
	assert_null(environ_number_of_sluid(&jobs, "sEKNKTV3WPV500"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),	   cmocka_unit_test(test_B67_forged_values),
		cmocka_unit_test(test_B67_contradictions), cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_B1_sluid_to_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
