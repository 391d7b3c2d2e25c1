// SPDX-License-Identifier: Apache-2.0
/* A table of names. comm is cut at 15 bytes, so are the names of daemons here. */
#include "actor.h"

#include <stddef.h>
#include <string.h>

enum match {
	MATCH_NAME,
	MATCH_PREFIX,
	MATCH_SUFFIX,
};

static const struct {
	const char *text;
	enum match match;
	enum actor_type type;
} names[] = {
	/* ptlrpc and ldlm; statahead and asynchronous glimpse; import invalidation; pinger */
	{"ptlrpcd_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	{"ldlm_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	{"ll_sa_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	{"ll_agl_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	{"ll_imp_inval", MATCH_NAME, ACTOR_CLIENT_WORKER},
	{"ll_ping", MATCH_NAME, ACTOR_CLIENT_WORKER},
	/* LNet's drivers */
	{"socknal_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	{"kiblnd_", MATCH_PREFIX, ACTOR_CLIENT_WORKER},
	/* write-back, delayed fput, readahead */
	{"kworker/", MATCH_PREFIX, ACTOR_CLIENT_WORKER},

	{"slurm", MATCH_PREFIX, ACTOR_BATCH_JOB},
	{"pbs_", MATCH_PREFIX, ACTOR_BATCH_JOB},
	{"sge_", MATCH_PREFIX, ACTOR_BATCH_JOB},
	{"sbatchd", MATCH_NAME, ACTOR_BATCH_JOB},
	{"mbatchd", MATCH_NAME, ACTOR_BATCH_JOB},

	{"node_exporter", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"sshd", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"systemd", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"systemd-journal", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"dbus-daemon", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"cron", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"crond", MATCH_NAME, ACTOR_SYSTEM_DAEMON},
	{"exporter", MATCH_SUFFIX, ACTOR_SYSTEM_DAEMON},
};

static const char *const type_names[ACTOR_TYPE_MAX] = {
	[ACTOR_USER] = "user",
	[ACTOR_CLIENT_WORKER] = "client_worker",
	[ACTOR_BATCH_JOB] = "batch_job",
	[ACTOR_SYSTEM_DAEMON] = "system_daemon",
};

const char *actor_type_name(enum actor_type type)
{
	return type_names[type];
}

static bool matches(const char *name, const char *text, enum match match)
{
	size_t len = strlen(name), n = strlen(text);

	switch (match) {
	case MATCH_PREFIX:
		return !strncmp(name, text, n);
	case MATCH_SUFFIX:
		return len >= n && !strcmp(name + len - n, text);
	default:
		return !strcmp(name, text);
	}
}

enum actor_type actor_type(const char *name, bool is_kthread, bool in_job)
{
	enum actor_type type = ACTOR_USER;
	size_t i;

	if (in_job)
		return ACTOR_BATCH_JOB;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!matches(name, names[i].text, names[i].match))
			continue;
		type = names[i].type;
		break;
	}
	/* Anybody can give a process the name of a worker. */
	return type == ACTOR_CLIENT_WORKER && !is_kthread ? ACTOR_USER : type;
}
