/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs by their keys in the kernel's cells: what the label is called. The number
 * stands in the name of the job's cgroup; where that is a SLUID, or where there is
 * no cgroup, the environment of one of the job's processes knows it. Others read
 * environments, see reader.h; nothing here waits or makes a system call.
 *
 * A number, once known, is a job's for good, except where the environment is its
 * only source: there it is asked for again after the ttl, and what is counted
 * from then on goes by the new answer.
 *
 * One thread at a time may use it.
 */
#ifndef IDENTITY_JOBS_H
#define IDENTITY_JOBS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "identity/environ.h"

struct job_limits {
	int64_t ttl_ns;		 /* of a number from an environment alone */
	int64_t negative_ttl_ns; /* before an environment that did not know is read again */
	int64_t verify_ttl_ns;	 /* between two readings for one job, at least */
	int64_t patience_ns;	 /* operations wait that long for the job's number */
	int64_t deadline_ns;	 /* of one reading */
	int64_t idle_ns;	 /* a job's slot is freed after this */
	int64_t idle_full_ns;	 /* the same, with three quarters of the slots in use */
};

extern const struct job_limits job_limits_default;

/*
 * Asks for the environment of a process, to be answered by jobs_answer() with the
 * same question. Returns 0, or -errno if it cannot be asked now.
 */
typedef int (*job_ask_fn)(void *ctx, uint64_t question, const struct lasting_id *process);

enum job_label {
	JOB_LABEL_WAIT, /* not known yet: come again */
	JOB_LABEL_NONE, /* no job after all */
	JOB_LABEL_GONE, /* its slot was freed: what was told before still holds */
	JOB_LABEL_TEXT,
};

struct job_stats {
	size_t jobs;	   /* slots in use */
	uint64_t asked;	   /* environments */
	uint64_t answered; /* with a number */
	uint64_t timeouts;
};

struct jobs;

/* slots: the kernel's, JOB_SLOTS of them; must outlive jobs. NULL: no memory. */
struct jobs *jobs_new(struct job_slot *slots, const struct job_limits *limits, job_ask_fn ask,
		      void *ctx);
void jobs_free(struct jobs *jobs);

/*
 * The label of a job. *text is valid until the next call; *version is another one
 * whenever the text of a job is. "": a job whose number is not to be had.
 */
enum job_label jobs_label(struct jobs *jobs, uint64_t key, int64_t now_ns, const char **text,
			  uint32_t *version);

/* A process of the job was met: asks, if there is something to ask. */
void jobs_meet(struct jobs *jobs, uint64_t key, int64_t now_ns);

/* error: 0 or -errno of the reading; environ counts only with 0. */
void jobs_answer(struct jobs *jobs, uint64_t question, int error,
		 const struct environ_jobs *environ, int64_t now_ns);

/* Asks again where it is time, gives up where it is late, frees slots. Once in a pass. */
void jobs_update(struct jobs *jobs, int64_t now_ns);

void jobs_stats(const struct jobs *jobs, struct job_stats *stats);

#endif
