// SPDX-License-Identifier: Apache-2.0
/* One state per slot of the kernel's array, valid for one generation of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identity/cgroup.h"
#include "identity/jobs.h"

#define SECOND INT64_C(1000000000)

/* New processes come faster than environments can be read. */
#define GAP_NS (SECOND / 50)

const struct job_limits job_limits_default = {
	.ttl_ns = 30 * SECOND,
	.negative_ttl_ns = 5 * SECOND,
	.verify_ttl_ns = SECOND,
	.patience_ns = 3 * SECOND,
	.deadline_ns = SECOND,
	.idle_ns = 3600 * SECOND,
	.idle_full_ns = 60 * SECOND,
};

enum state {
	JOB_EMPTY,    /* not met yet */
	JOB_INVALID,  /* its directory is not one of a job */
	JOB_NUMBERED, /* text is final, or good until next_ns */
	JOB_ASKING,   /* text stands in for the number */
};

struct job {
	uint32_t generation; /* of the slot */
	enum state state;
	char text[JOB_ID_MAX];
	char sluid[SLUID_MAX]; /* "": the environment alone knows */
	uint32_t version;
	int64_t met_ns, used_ns;
	int64_t next_ns;    /* not asked before */
	int64_t since_ns;   /* of the question that is open, 0: none is */
	uint16_t number;    /* of the question: an answer to an older one comes too late */
	uint32_t tried;	    /* candidates asked in this round */
	uint32_t n_members; /* told when the last one was asked */
};

struct jobs {
	struct job_slot *slots;
	struct job_limits limits;
	job_ask_fn ask;
	void *ctx;
	struct job_stats stats;
	uint32_t versions;
	struct job job[JOB_SLOTS];
};

struct jobs *jobs_new(struct job_slot *slots, const struct job_limits *limits, job_ask_fn ask,
		      void *ctx)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->slots = slots;
	jobs->limits = *limits;
	jobs->ask = ask;
	jobs->ctx = ctx;
	return jobs;
}

void jobs_free(struct jobs *jobs)
{
	free(jobs);
}

static void set_text(struct jobs *jobs, struct job *job, const char *text)
{
	if (job->version && !strcmp(job->text, text))
		return;
	snprintf(job->text, sizeof(job->text), "%s", text);
	job->version = ++jobs->versions;
}

/* What the directories say. */
static void read_dirs(struct jobs *jobs, struct job *job, const struct job_slot *slot)
{
	/* Outer directories first; Slurm's own two or three are all that is looked at. */
	int first = slot->proof == JOB_SLURM_V1 ? 2 : 1;
	char path[JOB_DIRS * (JOB_NAME_LEN + 1) + 1];
	struct cgroup_info info;
	int len = 0;

	for (int i = first; i >= 0; i--)
		len += snprintf(path + len, sizeof(path) - len, "/%.*s", JOB_NAME_LEN - 1,
				slot->dir[i]);
	cgroup_parse_path(&info, path, len);
	if (info.kind != CGROUP_JOB || info.manager != BATCH_SLURM) {
		job->state = JOB_INVALID;
		return;
	}
	if (info.is_sluid)
		memcpy(job->sluid, info.job_id, SLUID_MAX);
	job->state = info.is_sluid ? JOB_ASKING : JOB_NUMBERED;
	set_text(jobs, job, info.job_id);
}

/* The state of a job, begun if it is new; NULL: not complete yet, or gone. */
static struct job *meet(struct jobs *jobs, uint64_t key, int64_t now_ns, enum job_label *why)
{
	struct job_slot *slot = &jobs->slots[JOB_KEY_SLOT(key)];
	struct job *job = &jobs->job[JOB_KEY_SLOT(key)];
	uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);

	*why = state == JOB_FREE || slot->generation != JOB_KEY_GENERATION(key) ? JOB_LABEL_GONE
										: JOB_LABEL_WAIT;
	if (*why == JOB_LABEL_GONE || state != JOB_MET)
		return NULL;
	job->used_ns = now_ns;
	if (job->state != JOB_EMPTY && job->generation == slot->generation)
		return job;

	if (job->state == JOB_EMPTY)
		jobs->stats.jobs++;
	*job = (struct job){.generation = slot->generation,
			    .met_ns = now_ns,
			    .used_ns = now_ns,
			    .number = job->number};
	if (slot->proof == JOB_ANCESTOR) {
		job->state = JOB_ASKING;
		set_text(jobs, job, "");
	} else {
		read_dirs(jobs, job, slot);
	}
	if (job->state != JOB_ASKING)
		slot->answered = 1;
	return job;
}

enum job_label jobs_label(struct jobs *jobs, uint64_t key, int64_t now_ns, const char **text,
			  uint32_t *version)
{
	enum job_label why;
	const struct job *job = meet(jobs, key, now_ns, &why);

	if (!job)
		return why;
	if (job->state == JOB_INVALID)
		return JOB_LABEL_NONE;
	if (job->state == JOB_ASKING && now_ns - job->met_ns < jobs->limits.patience_ns)
		return JOB_LABEL_WAIT;
	*text = job->text;
	*version = job->version;
	return JOB_LABEL_TEXT;
}

/* Whom to ask as number n of a round: what the slurmstepd launched, then who was met last. */
static bool candidate(const struct job_slot *slot, uint32_t n, struct lasting_id *process)
{
	uint32_t told = __atomic_load_n(&slot->n_members, __ATOMIC_ACQUIRE);

	if (slot->proof == JOB_ANCESTOR) {
		if (!n) {
			*process = slot->launched;
			return true;
		}
		n--;
	}
	if (n >= told || n >= JOB_MEMBERS)
		return false;
	*process = slot->member[(told - 1 - n) & (JOB_MEMBERS - 1)];
	return true;
}

static void ask(struct jobs *jobs, uint32_t at, int64_t now_ns)
{
	struct job_slot *slot = &jobs->slots[at];
	struct job *job = &jobs->job[at];
	uint32_t first = slot->proof == JOB_ANCESTOR;
	struct lasting_id process;

	if (job->since_ns || now_ns < job->next_ns)
		return;
	/* Who was met since the last question comes first: the others may be gone. */
	if (job->n_members != slot->n_members && job->tried > first)
		job->tried = first;
	job->n_members = slot->n_members;
	if (!candidate(slot, job->tried, &process))
		return;
	job->number++;
	if (jobs->ask(jobs->ctx, (uint64_t)job->number << 48 | JOB_KEY(at, job->generation),
		      &process))
		return;
	jobs->stats.asked++;
	job->since_ns = now_ns;
	job->tried++;
}

void jobs_meet(struct jobs *jobs, uint64_t key, int64_t now_ns)
{
	enum job_label why;
	const struct job *job = meet(jobs, key, now_ns, &why);

	if (job && job->state == JOB_ASKING)
		ask(jobs, JOB_KEY_SLOT(key), now_ns);
}

/* The number of the job, if the environment has it; NULL: it has not. */
static const char *number_in(const struct job *job, const struct environ_jobs *environ)
{
	if (*job->sluid)
		return environ_number_of_sluid(environ, job->sluid);
	return *environ->slurm ? environ->slurm : NULL;
}

static void begin_round(struct job *job, int64_t next_ns)
{
	job->tried = 0;
	job->next_ns = next_ns;
}

void jobs_answer(struct jobs *jobs, uint64_t question, int error,
		 const struct environ_jobs *environ, int64_t now_ns)
{
	uint32_t at = JOB_KEY_SLOT(question);
	struct job_slot *slot = &jobs->slots[at];
	struct job *job = &jobs->job[at];
	const struct job_limits *l = &jobs->limits;
	const char *number = NULL;
	struct lasting_id next;

	if (!job->since_ns || (uint16_t)(question >> 48) != job->number)
		return;
	job->since_ns = 0;
	if (!error)
		number = number_in(job, environ);
	if (number) {
		jobs->stats.answered++;
		job->state = JOB_NUMBERED;
		set_text(jobs, job, number);
		slot->answered = 1;
		begin_round(job,
			    now_ns + (l->ttl_ns > l->verify_ttl_ns ? l->ttl_ns : l->verify_ttl_ns));
		return;
	}
	if (candidate(slot, job->tried, &next)) {
		job->next_ns = now_ns;
	} else if (job->state == JOB_NUMBERED) {
		/* Nobody left to ask: the number is the job's all the same. */
		begin_round(job, now_ns + l->ttl_ns);
	} else if (error == -ESRCH) {
		/* All were gone already; the next that is met may live longer. */
		job->next_ns = now_ns + GAP_NS;
	} else {
		begin_round(job, now_ns + l->negative_ttl_ns);
	}
	if (job->state == JOB_ASKING)
		ask(jobs, at, now_ns);
}

/* Gives the slot back to the kernel. */
static void release(struct jobs *jobs, uint32_t at)
{
	jobs->job[at].state = JOB_EMPTY;
	jobs->stats.jobs--;
	__atomic_store_n(&jobs->slots[at].state, JOB_FREE, __ATOMIC_RELEASE);
}

void jobs_update(struct jobs *jobs, int64_t now_ns)
{
	const struct job_limits *l = &jobs->limits;
	int64_t idle = jobs->stats.jobs > JOB_SLOTS * 3 / 4 ? l->idle_full_ns : l->idle_ns;

	for (uint32_t at = 0; jobs->stats.jobs && at < JOB_SLOTS; at++) {
		struct job *job = &jobs->job[at];

		if (job->state == JOB_EMPTY)
			continue;
		if (job->since_ns && now_ns - job->since_ns > l->deadline_ns) {
			jobs->stats.timeouts++;
			jobs_answer(jobs,
				    (uint64_t)job->number << 48 | JOB_KEY(at, job->generation),
				    -ETIMEDOUT, NULL, now_ns);
		}
		if (now_ns - job->used_ns > idle && !job->since_ns) {
			release(jobs, at);
			continue;
		}
		/* A number that only an environment told is good for the ttl. */
		if (job->state == JOB_ASKING ||
		    (job->state == JOB_NUMBERED && jobs->slots[at].proof == JOB_ANCESTOR &&
		     now_ns - job->used_ns < l->ttl_ns))
			ask(jobs, at, now_ns);
	}
}

void jobs_stats(const struct jobs *jobs, struct job_stats *stats)
{
	*stats = jobs->stats;
}
