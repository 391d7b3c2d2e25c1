/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the path of a cgroup says about its processes: which job they belong
 * to, or else which slice. The path is proof of membership, because only root
 * can make directories where a batch system makes them; what a user makes
 * below a directory of his own never counts, whatever it is called.
 */
#ifndef IDENTITY_CGROUP_H
#define IDENTITY_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "identity/jobid.h"

enum cgroup_kind {
	CGROUP_OTHER,
	CGROUP_SYSTEM,	  /* system.slice, init.scope */
	CGROUP_USER,	  /* user.slice */
	CGROUP_CONTAINER, /* docker, podman, kubernetes, lxc, nspawn */
	CGROUP_JOB,
};

enum job_step {
	STEP_NONE,
	STEP_BATCH,
	STEP_EXTERN, /* sessions adopted by pam_slurm_adopt */
	STEP_INTERACTIVE,
	STEP_NUMBERED,
};

struct cgroup_info {
	enum cgroup_kind kind;
	enum batch_manager manager;
	char job_id[JOB_ID_MAX]; /* "" unless kind is CGROUP_JOB */
	bool is_sluid;		 /* job_id is a SLUID, the environment knows its number */
	enum job_step step;
	bool is_stepd; /* a slurmstepd, not what it has launched */
	bool has_uid;
	uint32_t uid;	  /* of user-N.slice or uid_N */
	uint32_t session; /* of session-N.scope, 0: none */
};

/* A path from the root of its hierarchy, as in /proc/PID/cgroup behind the second colon. */
void cgroup_parse_path(struct cgroup_info *info, const char *path, size_t len);

/*
 * All of /proc/PID/cgroup: with several hierarchies (v1, hybrid) the line that
 * names a job, of the controllers that batch systems use first.
 */
void cgroup_parse_proc(struct cgroup_info *info, const char *text, size_t len);

#endif
