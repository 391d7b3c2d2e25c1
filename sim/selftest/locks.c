// SPDX-License-Identifier: GPL-2.0
/* File locks on a mount with the option flock and on one without. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

static void *lock_and_unlock(void *fd)
{
	must(flock(*(int *)fd, LOCK_EX) == 0);
	must(flock(*(int *)fd, LOCK_UN) == 0);
	return NULL;
}

void suite_locks(void)
{
	int a = open("lock", O_CREAT | O_RDWR, 0644), b = open("lock", O_RDWR);
	struct flock range = {.l_type = F_WRLCK, .l_len = 10};
	pthread_t waiter;

	check_begin();
	for (int i = 0; i < N; i++) {
		must(flock(a, LOCK_EX) == 0);
		must(flock(b, LOCK_EX | LOCK_NB) == -1 && errno == EAGAIN);
		must(flock(a, LOCK_UN) == 0);
	}
	want_errors(OP_FLOCK, 3 * N, ERRNO_AGAIN, N);
	check_end("flock");

	check_begin();
	for (int i = 0; i < N; i++) {
		range.l_type = F_WRLCK;
		must(fcntl(a, F_SETLKW, &range) == 0);
		must(fcntl(a, F_GETLK, &range) == 0);
		range.l_type = F_UNLCK;
		must(fcntl(a, F_SETLK, &range) == 0);
	}
	want(OP_FLOCK, 3 * N);
	check_end("fcntl locks");

	check_begin();
	must(flock(a, LOCK_EX) == 0);
	must(pthread_create(&waiter, NULL, lock_and_unlock, &b) == 0);
	usleep(100000);
	must(flock(a, LOCK_UN) == 0);
	pthread_join(waiter, NULL);
	want(OP_FLOCK, 4);
	check_end("flock waits");
	close(a);
	close(b);
}

void suite_no_locks(void)
{
	int fd = open("lock", O_CREAT | O_RDWR, 0644);
	struct flock range = {.l_type = F_WRLCK, .l_len = 10};

	check_begin();
	for (int i = 0; i < N; i++) {
		must(flock(fd, LOCK_EX) == -1 && errno == ENOSYS);
		must(fcntl(fd, F_SETLK, &range) == -1 && errno == ENOSYS);
	}
	want_errors(OP_FLOCK, 2 * N, ERRNO_OTHER, 2 * N);
	check_end("flock and fcntl without the mount option");
	close(fd);
}
