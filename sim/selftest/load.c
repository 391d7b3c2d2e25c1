// SPDX-License-Identifier: GPL-2.0
/* Eight threads at once: the totals stay exact. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define THREADS 8
#define ROUNDS	500

static void *work(void *number)
{
	char dir[32], name[64], value[8];
	struct stat st;

	snprintf(dir, sizeof(dir), "load%d", (int)(intptr_t)number);
	must(mkdir(dir, 0755) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		int fd;

		snprintf(name, sizeof(name), "%s/%d", dir, i);
		must((fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0644)) >= 0);
		must(pwrite(fd, name, 10, 0) == 10);
		must(pread(fd, value, 5, 0) == 5);
		must(fstat(fd, &st) == 0);
		must(setxattr(name, "user.a", "1", 1, 0) == 0);
		must(getxattr(name, "user.b", value, sizeof(value)) == -1 && errno == ENODATA);
		must(close(fd) == 0);
		must(unlink(name) == 0);
	}
	must(rmdir(dir) == 0);
	return NULL;
}

void suite_load(void)
{
	const uint64_t total = THREADS * ROUNDS;
	pthread_t threads[THREADS];

	check_begin();
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	want(OP_MKDIR, THREADS);
	want(OP_RMDIR, THREADS);
	want(OP_CREATE, total);
	want(OP_OPEN, total);
	want(OP_CLOSE, total);
	want(OP_UNLINK, total);
	want(OP_GETATTR, total);
	want(OP_SETXATTR, total);
	want_errors(OP_GETXATTR, total, ERRNO_OTHER, total);
	want_bytes(OP_WRITE, total, 10 * total);
	want_bytes(OP_READ, total, 5 * total);
	check_end("eight threads");
}
