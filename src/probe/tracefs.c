// SPDX-License-Identifier: Apache-2.0
/* Kprobe definitions in tracefs: define, remove, sweep up what others left. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/tracefs.h"

static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Field 22 of /proc/PID/stat, in ticks since boot; 0: there is no such process. */
static unsigned long long start_time(int pid)
{
	unsigned long long start = 0;
	char path[64], line[1024], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* The name in brackets may contain anything: the fields begin after the last bracket. */
	if (fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		if (sscanf(p + 1,
			   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			   "%*d %*d %llu",
			   &start) != 1)
			start = 0;
	fclose(f);
	return start;
}

int tracefs_open(struct tracefs *fs)
{
	int err = -ENOENT;

	memset(fs, 0, sizeof(*fs));
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/kprobe_events", roots[i]);
		if (!access(path, R_OK | W_OK)) {
			fs->root = roots[i];
			snprintf(fs->group, sizeof(fs->group), TRACEFS_GROUP_PREFIX "%d_%llu",
				 getpid(), start_time(getpid()));
			return 0;
		}
		if (errno != ENOENT)
			err = -errno;
	}
	return err;
}

static int write_command(const struct tracefs *fs, const char *command)
{
	char path[128];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/kprobe_events", fs->root);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, command, strlen(command)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int tracefs_define(const struct tracefs *fs, const char *event, const char *module,
		   const char *symbol, unsigned int maxactive)
{
	char command[256], path[256];
	int err, id = -EIO;
	FILE *f;

	if (maxactive)
		snprintf(command, sizeof(command), "r%u:%s/%s %s:%s\n", maxactive, fs->group, event,
			 module, symbol);
	else
		snprintf(command, sizeof(command), "p:%s/%s %s:%s\n", fs->group, event, module,
			 symbol);
	err = write_command(fs, command);
	if (err)
		return err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", fs->root, fs->group, event);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &id) != 1)
		id = -EIO;
	fclose(f);
	return id;
}

static int remove_event(const struct tracefs *fs, const char *group, const char *event)
{
	char command[256];

	snprintf(command, sizeof(command), "-:%s/%s\n", group, event);
	return write_command(fs, command);
}

int tracefs_remove(const struct tracefs *fs, const char *event)
{
	return remove_event(fs, fs->group, event);
}

bool tracefs_function_exists(const struct tracefs *fs, const char *module, const char *symbol)
{
	int id = tracefs_define(fs, "exists", module, symbol, 0);

	if (id >= 0)
		tracefs_remove(fs, "exists");
	/* Any other error says nothing about the function. */
	return id != -ENOENT;
}

/* Whether the process that a group is named after is still the same one. */
static bool owner_lives(const char *group)
{
	unsigned long long start;
	int pid;

	if (sscanf(group, TRACEFS_GROUP_PREFIX "%d_%llu", &pid, &start) != 2)
		return true; /* not one of ours */
	return start_time(pid) == start;
}

/* The whole of kprobe_events; NULL with *err set. To be freed. */
static char *read_definitions(const struct tracefs *fs, int *err)
{
	size_t used = 0, size = 0;
	char path[128], *text = NULL;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/kprobe_events", fs->root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	do {
		if (size - used < 2) {
			char *larger = realloc(text, size += 16384);

			if (!larger) {
				n = -1;
				errno = ENOMEM;
				break;
			}
			text = larger;
		}
		n = read(fd, text + used, size - used - 1);
		used += n > 0 ? n : 0;
	} while (n > 0);
	*err = n < 0 ? -errno : 0;
	close(fd);
	if (*err) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}

int tracefs_sweep(const struct tracefs *fs, bool own, bool stale)
{
	int removed = 0, err = 0;
	/* At once, before the first removal: the file's position would not survive it. */
	char *text = read_definitions(fs, &err), *line, *rest = text;

	/* Each line: <p|r[n]>:<group>/<event> <place> */
	while (text && (line = strsep(&rest, "\n"))) {
		char group[64], event[64];
		int e;

		if (sscanf(line, "%*[^:]:%63[^/]/%63s", group, event) != 2 ||
		    strncmp(group, TRACEFS_GROUP_PREFIX, strlen(TRACEFS_GROUP_PREFIX)))
			continue;
		if (!strcmp(group, fs->group) ? !own : !stale || owner_lives(group))
			continue;
		e = remove_event(fs, group, event);
		if (!e)
			removed++;
		else if (!err && e != -ENOENT)
			err = e;
	}
	free(text);
	return err ? err : removed;
}

void tracefs_read_missed(const struct tracefs *fs, tracefs_missed_fn *fn, void *ctx)
{
	char path[128], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/kprobe_profile", fs->root);
	f = fopen(path, "re");
	if (!f)
		return;
	/* Each line: <event> <hits> <missed> */
	while (fgets(line, sizeof(line), f)) {
		unsigned long long missed;
		char event[128];

		if (sscanf(line, "%127s %*u %llu", event, &missed) == 2)
			fn(ctx, event, missed);
	}
	fclose(f);
}

int tracefs_perf_open(int event_id, int prog_fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id,
	};
	int fd, err;

	/* One CPU is enough: the program of a probe runs wherever the probe is hit. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}
