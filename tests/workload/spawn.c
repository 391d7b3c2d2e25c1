// SPDX-License-Identifier: Apache-2.0
/*
 * Processes as a job has them: many, short, and of changing identity.
 *
 *	spawn PATH STEP...
 *
 * carries out the steps one after the other:
 *
 *	stat=N		stat(PATH) N times
 *	name=TEXT	changes the name of the process
 *	uid=N		changes its user for good; fsuid=N only for the file system
 *	cgroup=FILE	enters the cgroup with that cgroup.procs
 *	each=N		forks N children one after the other; each goes on with the steps
 *			that follow, the parent ends with them
 *	uids=A,B,...	child number i of each= becomes user number i mod n of the list ...
 *	names=A,B,...	... and is called number i / n mod m
 *	orphan		goes on in a child that has done one stat(PATH), after its parent
 *			and all others above it have ended
 *	wait=MS		sleeps
 *	lock=FILE	waits until FILE exists
 *
 * Exit status 1 and a line of reason if anything failed, in any process.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct spawn {
	const char *path;
	unsigned long child; /* number of this process among those of each= */
	unsigned long uids;  /* entries of uids= */
};

static int fail(const char *what)
{
	fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
	return 1;
}

static int do_stat(struct spawn *s, const char *value)
{
	struct stat st;

	for (unsigned long n = strtoul(value, NULL, 10); n; n--)
		if (stat(s->path, &st))
			return fail(s->path);
	return 0;
}

static int do_name(struct spawn *s, const char *value)
{
	return prctl(PR_SET_NAME, value) ? fail("name") : 0;
}

static int do_uid(struct spawn *s, const char *value)
{
	uid_t uid = strtoul(value, NULL, 10);

	return setresuid(uid, uid, uid) ? fail("uid") : 0;
}

static int do_fsuid(struct spawn *s, const char *value)
{
	uid_t uid = strtoul(value, NULL, 10);

	setfsuid(uid);
	return (uid_t)setfsuid(-1) != uid ? fail("fsuid") : 0;
}

static int do_cgroup(struct spawn *s, const char *value)
{
	FILE *f = fopen(value, "we");

	if (!f)
		return fail(value);
	fprintf(f, "%d\n", getpid());
	return fclose(f) ? fail(value) : 0;
}

/* Entry number i of a list, counted round; n: how many there are. */
static void pick(const char *list, unsigned long i, char *out, size_t size, unsigned long *n)
{
	*n = 1;
	for (const char *p = list; *p; p++)
		*n += *p == ',';
	for (i %= *n; i; i--)
		list = strchr(list, ',') + 1;
	snprintf(out, size, "%.*s", (int)strcspn(list, ","), list);
}

static int do_uids(struct spawn *s, const char *value)
{
	char uid[16];

	pick(value, s->child, uid, sizeof(uid), &s->uids);
	return do_uid(s, uid);
}

static int do_names(struct spawn *s, const char *value)
{
	unsigned long n;
	char name[16];

	pick(value, s->child / s->uids, name, sizeof(name), &n);
	return do_name(s, name);
}

static int do_wait(struct spawn *s, const char *value)
{
	usleep(strtoul(value, NULL, 10) * 1000);
	return 0;
}

static int do_lock(struct spawn *s, const char *value)
{
	while (access(value, F_OK))
		usleep(10000);
	return 0;
}

static int run(struct spawn *s, char **step);

static int do_each(struct spawn *s, const char *value, char **rest)
{
	unsigned long n = strtoul(value, NULL, 10);
	int failed = 0, status;

	for (unsigned long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return fail("fork");
		if (!pid) {
			s->child = i;
			_exit(run(s, rest));
		}
		if (waitpid(pid, &status, 0) != pid || status)
			failed = 1;
	}
	return failed;
}

static int do_orphan(struct spawn *s, char **rest)
{
	int pair[2];
	char done;

	if (pipe(pair))
		return fail("pipe");
	switch (fork()) {
	case -1:
		return fail("fork");
	case 0:
		if (do_stat(s, "1") || write(pair[1], "", 1) != 1)
			_exit(1);
		while (getppid() != 1)
			usleep(10000);
		/* Those above have seen this one's parent end, and end too. */
		usleep(300000);
		_exit(run(s, rest));
	}
	return read(pair[0], &done, 1) != 1;
}

static const struct {
	const char *name;
	int (*step)(struct spawn *s, const char *value);
} steps[] = {
	{"stat=", do_stat},   {"name=", do_name},     {"uid=", do_uid},
	{"fsuid=", do_fsuid}, {"cgroup=", do_cgroup}, {"uids=", do_uids},
	{"names=", do_names}, {"wait=", do_wait},     {"lock=", do_lock},
};

/* Returns the exit status. */
static int run(struct spawn *s, char **step)
{
	for (; *step; step++) {
		size_t i, n = sizeof(steps) / sizeof(steps[0]);

		if (!strncmp(*step, "each=", 5))
			return do_each(s, *step + 5, step + 1);
		if (!strcmp(*step, "orphan"))
			return do_orphan(s, step + 1);
		for (i = 0; i < n; i++)
			if (!strncmp(*step, steps[i].name, strlen(steps[i].name)))
				break;
		if (i == n) {
			fprintf(stderr, "spawn: no such step: %s\n", *step);
			return 1;
		}
		if (steps[i].step(s, *step + strlen(steps[i].name)))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct spawn s = {.uids = 1};

	if (argc < 3) {
		fprintf(stderr, "usage: spawn PATH STEP...\n");
		return 1;
	}
	s.path = argv[1];
	return run(&s, argv + 2);
}
