// SPDX-License-Identifier: Apache-2.0
/* Jobs as the kernel tells of them; the test is the kernel, the reader and the clock. */
#include "jobs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

static const struct job_limits limits = {
	.ttl_ns = 30000 * MS,
	.negative_ttl_ns = 5000 * MS,
	.verify_ttl_ns = 1000 * MS,
	.patience_ns = 3000 * MS,
	.deadline_ns = 1000 * MS,
	.idle_ns = 3600000 * MS,
	.idle_full_ns = 60000 * MS,
};

struct world {
	struct job_slot *slots;
	struct jobs *jobs;
	int64_t now;
	uint64_t question; /* of the last one that was asked */
	uint32_t asked_pid;
	unsigned int asked;
	int refuse; /* -errno for whoever asks */
};

static int on_ask(void *ctx, uint64_t question, const struct lasting_id *process)
{
	struct world *w = ctx;

	if (w->refuse)
		return w->refuse;
	w->question = question;
	w->asked_pid = process->pid;
	w->asked++;
	return 0;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->slots = calloc(JOB_SLOTS, sizeof(*w->slots));
	w->jobs = jobs_new(w->slots, &limits, on_ask, w);
	w->now = 1000 * MS;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	jobs_free(w->jobs);
	free(w->slots);
	free(w);
	return 0;
}

static uint64_t claim(struct world *w, uint32_t at, enum job_proof proof)
{
	struct job_slot *slot = &w->slots[at];

	slot->generation++;
	slot->proof = proof;
	slot->answered = 0;
	slot->n_members = 0;
	slot->state = JOB_MET;
	return JOB_KEY(at, slot->generation);
}

static uint64_t claim_dirs(struct world *w, uint32_t at, enum job_proof proof, const char *job,
			   const char *parent, const char *above)
{
	uint64_t key = claim(w, at, proof);

	snprintf(w->slots[at].dir[0], JOB_NAME_LEN, "%s", job);
	snprintf(w->slots[at].dir[1], JOB_NAME_LEN, "%s", parent);
	snprintf(w->slots[at].dir[2], JOB_NAME_LEN, "%s", above);
	return key;
}

static uint64_t claim_ancestor(struct world *w, uint32_t at, uint32_t launched)
{
	uint64_t key = claim(w, at, JOB_ANCESTOR);

	w->slots[at].launched = (struct lasting_id){.number = 5, .pid = launched};
	return key;
}

/* A process of the job is met in the kernel. */
static void meet(struct world *w, uint64_t key, uint32_t pid)
{
	struct job_slot *slot = &w->slots[JOB_KEY_SLOT(key)];

	slot->member[slot->n_members++ % JOB_MEMBERS] =
		(struct lasting_id){.number = pid, .pid = pid};
	jobs_meet(w->jobs, key, w->now);
}

static void answer(struct world *w, int error, const char *number, const char *sluid)
{
	struct environ_jobs jobs = {};

	snprintf(jobs.slurm, sizeof(jobs.slurm), "%s", number);
	snprintf(jobs.sluid, sizeof(jobs.sluid), "%s", sluid);
	jobs_answer(w->jobs, w->question, error, &jobs, w->now);
}

static enum job_label label(struct world *w, uint64_t key, const char **text, uint32_t *version)
{
	return jobs_label(w->jobs, key, w->now, text, version);
}

static void expect_text(struct world *w, uint64_t key, const char *expected)
{
	const char *text = NULL;
	uint32_t version = 0;

	assert_int_equal(label(w, key, &text, &version), JOB_LABEL_TEXT);
	assert_string_equal(text, expected);
	assert_int_not_equal(version, 0);
}

static void expect_label(struct world *w, uint64_t key, enum job_label expected)
{
	const char *text;
	uint32_t version;

	assert_int_equal(label(w, key, &text, &version), expected);
}

/* B1, B2, B4: what the directory's name says needs no environment. */
static void test_directory(void **state)
{
	struct world *w = *state;

	expect_text(w, claim_dirs(w, 1, JOB_SLURM_V2, "job_42", "slurmstepd.scope", "x"), "42");
	expect_text(w, claim_dirs(w, 2, JOB_SLURM_V2, "job_7", "n-1.x_slurmstepd.scope", "x"), "7");
	expect_text(w, claim_dirs(w, 3, JOB_SLURM_V1, "job_8", "uid_5", "slurm_node"), "8");
	assert_int_equal(w->asked, 0);
	assert_int_equal(w->slots[1].answered, 1);
	/* What the parser does not take for a job is none, whoever told. */
	expect_label(w, claim_dirs(w, 4, JOB_SLURM_V2, "job_4x", "slurmstepd.scope", ""),
		     JOB_LABEL_NONE);
	expect_label(w, claim_dirs(w, 5, JOB_SLURM_V1, "job_4", "uid_x", "slurm"), JOB_LABEL_NONE);
}

static void test_directory_hostile(void **state)
{
	struct world *w = *state;
	uint64_t key = claim(w, 1, JOB_SLURM_V2);

	/* No NUL anywhere. */
	memset(w->slots[1].dir, 0xff, sizeof(w->slots[1].dir));
	expect_label(w, key, JOB_LABEL_NONE);
}

static void test_not_complete(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_dirs(w, 1, JOB_SLURM_V2, "job_42", "slurmstepd.scope", "");

	w->slots[1].state = JOB_CLAIMED;
	expect_label(w, key, JOB_LABEL_WAIT);
	w->slots[1].state = JOB_MET;
	expect_text(w, key, "42");
	/* Another job in the same slot. */
	w->slots[1].generation++;
	expect_label(w, key, JOB_LABEL_GONE);
}

/* B1: once for the cgroup, and only from an environment that speaks of this SLUID. */
static void test_sluid(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_dirs(w, 1, JOB_SLURM_V2, "sEKNKTV3WPV500", "slurmstepd.scope", "");

	meet(w, key, 100);
	assert_int_equal(w->asked_pid, 100);
	expect_label(w, key, JOB_LABEL_WAIT);
	answer(w, 0, "999", "sEKNKTV3WPV501");
	expect_label(w, key, JOB_LABEL_WAIT);
	meet(w, key, 101);
	assert_int_equal(w->asked, 1);
	w->now += limits.negative_ttl_ns;
	meet(w, key, 102);
	assert_int_equal(w->asked, 2);
	assert_int_equal(w->asked_pid, 102);
	/* Patience is over: the SLUID stands in. */
	expect_text(w, key, "sEKNKTV3WPV500");
	answer(w, 0, "12", "sEKNKTV3WPV500");
	expect_text(w, key, "12");
	assert_int_equal(w->slots[1].answered, 1);
	w->now += 10 * limits.ttl_ns;
	expect_text(w, key, "12");
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked, 2);
}

/* The first process is asked, then those that were met last. */
static void test_ancestor(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_ancestor(w, 1, 50);

	meet(w, key, 100);
	assert_int_equal(w->asked_pid, 50);
	meet(w, key, 101);
	assert_int_equal(w->asked, 1);
	answer(w, -ESRCH, "", "");
	assert_int_equal(w->asked_pid, 101);
	answer(w, -ESRCH, "", "");
	assert_int_equal(w->asked_pid, 100);
	answer(w, -ESRCH, "", "");
	assert_int_equal(w->asked, 3);
	/* Nobody lives: the next that is met is asked, soon. */
	w->now += 100 * MS;
	meet(w, key, 102);
	assert_int_equal(w->asked_pid, 102);
	answer(w, 0, "4711", "");
	expect_text(w, key, "4711");
}

static void test_ancestor_ttl(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_ancestor(w, 1, 50);
	const char *text;
	uint32_t first, second;

	meet(w, key, 100);
	answer(w, 0, "1", "");
	assert_int_equal(label(w, key, &text, &first), JOB_LABEL_TEXT);
	w->now += limits.ttl_ns - MS;
	expect_text(w, key, "1");
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked, 1);
	w->now += MS;
	expect_text(w, key, "1");
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked, 2);
	answer(w, 0, "1", "");
	assert_int_equal(label(w, key, &text, &second), JOB_LABEL_TEXT);
	assert_int_equal(first, second);
	/* Nobody is left to ask: what is known stays. */
	w->now += limits.ttl_ns;
	expect_text(w, key, "1");
	jobs_update(w->jobs, w->now);
	answer(w, -ESRCH, "", "");
	jobs_update(w->jobs, w->now);
	answer(w, -ESRCH, "", "");
	expect_text(w, key, "1");
}

/* B67: no number, no label; asked again after the negative ttl. */
static void test_ancestor_without_number(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_ancestor(w, 1, 50);

	jobs_meet(w->jobs, key, w->now);
	answer(w, 0, "", "");
	expect_label(w, key, JOB_LABEL_WAIT);
	w->now += limits.patience_ns;
	expect_text(w, key, "");
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked, 1);
	w->now += limits.negative_ttl_ns;
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked, 2);
	answer(w, 0, "3", "");
	expect_text(w, key, "3");
}

/* B26: a reading that hangs is given up, and its answer comes too late. */
static void test_deadline(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_ancestor(w, 1, 50), late;
	struct environ_jobs wrong = {.slurm = "666"};
	struct job_stats stats;

	meet(w, key, 100);
	late = w->question;
	w->now += limits.deadline_ns + MS;
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked_pid, 100);
	jobs_answer(w->jobs, late, 0, &wrong, w->now);
	expect_label(w, key, JOB_LABEL_WAIT);
	answer(w, 0, "5", "");
	expect_text(w, key, "5");
	jobs_stats(w->jobs, &stats);
	assert_int_equal(stats.timeouts, 1);
	assert_int_equal(stats.answered, 1);
}

static void test_reader_busy(void **state)
{
	struct world *w = *state;
	uint64_t key = claim_ancestor(w, 1, 50);

	w->refuse = -EAGAIN;
	meet(w, key, 100);
	assert_int_equal(w->asked, 0);
	w->refuse = 0;
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->asked_pid, 50);
}

/* Idle jobs give their slots back, the sooner the fewer are left. */
static void test_slots(void **state)
{
	struct world *w = *state;
	struct job_stats stats;
	uint64_t key = claim_dirs(w, 1, JOB_SLURM_V2, "job_42", "slurmstepd.scope", "");

	expect_text(w, key, "42");
	w->now += limits.idle_ns;
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->slots[1].state, JOB_MET);
	w->now += MS;
	jobs_update(w->jobs, w->now);
	assert_int_equal(w->slots[1].state, JOB_FREE);
	expect_label(w, key, JOB_LABEL_GONE);

	for (uint32_t i = 0; i < JOB_SLOTS; i++)
		expect_text(w, claim_dirs(w, i, JOB_SLURM_V2, "job_1", "slurmstepd.scope", ""),
			    "1");
	w->now += limits.idle_full_ns + MS;
	expect_text(w, JOB_KEY(7, w->slots[7].generation), "1");
	jobs_update(w->jobs, w->now);
	jobs_stats(w->jobs, &stats);
	/* As many as are too many go at once; the one that is in use stays. */
	assert_int_equal(stats.jobs, 1);
	assert_int_equal(w->slots[7].state, JOB_MET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_directory_hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_complete, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sluid, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ancestor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ancestor_ttl, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ancestor_without_number, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deadline, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reader_busy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slots, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
