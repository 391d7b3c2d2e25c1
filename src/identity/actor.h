/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of actor does an operation: label "actor_type". */
#ifndef IDENTITY_ACTOR_H
#define IDENTITY_ACTOR_H

#include <stdbool.h>

enum actor_type {
	ACTOR_USER,
	ACTOR_CLIENT_WORKER, /* kernel threads that work for the Lustre client */
	ACTOR_BATCH_JOB,     /* programs launched by a batch system, and its daemons */
	ACTOR_SYSTEM_DAEMON,
	ACTOR_TYPE_MAX,
};

const char *actor_type_name(enum actor_type type);

/*
 * By the name of the process before folding and allowlist, whether it is a thread
 * of the kernel's own, and whether it was launched by a batch system. A job's
 * programs are the job's whatever they are called, and only the kernel's threads
 * can be workers of the client.
 */
enum actor_type actor_type(const char *name, bool is_kthread, bool in_job);

#endif
