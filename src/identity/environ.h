/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process's environment says about its job. It is the user's own word:
 * it never proves that a process belongs to a job. It translates a SLUID that
 * the cgroup has proven, or stands in where the caller knows otherwise that
 * the process was launched by a batch system.
 */
#ifndef IDENTITY_ENVIRON_H
#define IDENTITY_ENVIRON_H

#include <stddef.h>

#include "identity/jobid.h"

/* "": not there, not of the form of a job id, or there twice with different values. */
struct environ_jobs {
	char slurm[JOB_NUMBER_MAX]; /* SLURM_JOB_ID, or SLURM_JOBID, which must not disagree */
	char sluid[SLUID_MAX];	    /* SLURM_JOB_SLUID */
	char pbs[JOB_ID_MAX];	    /* PBS_JOBID */
	char sge[JOB_NUMBER_MAX];   /* JOB_ID, only beside a variable SGE_* */
	char lsf[JOB_NUMBER_MAX];   /* LSB_JOBID */
};

/*
 * The len bytes of /proc/PID/environ. A last variable without its NUL is left
 * out: it may have been cut off.
 */
void environ_parse(struct environ_jobs *jobs, const char *text, size_t len);

/* The manager whose job the environment names, the first of those of enum batch_manager. */
enum batch_manager environ_manager(const struct environ_jobs *jobs);

/* The job number that belongs to a proven SLUID; NULL if the environment speaks of another one. */
const char *environ_number_of_sluid(const struct environ_jobs *jobs, const char *sluid);

#endif
