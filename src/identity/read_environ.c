// SPDX-License-Identifier: Apache-2.0
/* May block for as long as the process's memory map is held. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "identity/procstat.h"
#include "identity/reader.h"

/* What is longer is cut: Slurm's variables come first, the user's own behind them. */
#define ENVIRON_MAX (1024 * 1024)

/* The unit of times in /proc, whatever the kernel's own tick is. */
#define NS_PER_TICK (UINT64_C(1000000000) / sysconf(_SC_CLK_TCK))

/* Returns the length or -errno. */
static ssize_t read_file(const char *procfs, uint32_t pid, const char *name, char *buf, size_t size)
{
	char path[4096];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/%s", procfs, pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? n : (ssize_t)len;
}

/* Whether the pid is still, or already, that process. Returns 0 or -errno. */
static int verify(const char *procfs, const struct lasting_id *process)
{
	struct procstat stat;
	char text[1024];
	ssize_t len = read_file(procfs, process->pid, "stat", text, sizeof(text));

	if (len < 0)
		return len;
	if (procstat_parse(&stat, text, len) || stat.start_ticks != process->number / NS_PER_TICK)
		return -ESRCH;
	return 0;
}

int read_environ(const char *procfs, const struct lasting_id *process, struct environ_jobs *jobs)
{
	char *text = malloc(ENVIRON_MAX);
	ssize_t len;
	int err;

	if (!text)
		return -ENOMEM;
	err = verify(procfs, process);
	if (!err) {
		len = read_file(procfs, process->pid, "environ", text, ENVIRON_MAX);
		/* The pid may have gone to another process meanwhile. */
		err = len < 0 ? (int)len : verify(procfs, process);
		/* A process that ends has no environment any more. */
		if (!err && !len)
			err = -ESRCH;
	}
	if (!err)
		environ_parse(jobs, text, len);
	free(text);
	return err;
}
