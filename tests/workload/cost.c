// SPDX-License-Identifier: Apache-2.0
/*
 * cost: what a one-byte pread costs, for clocks that count instructions
 * (tests/vm/run --icount). The least of many short series: an interrupt can
 * only add.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SERIES 400
#define CALLS  100

static long nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long least = -1;
	char byte;
	int fd;

	if (argc != 2) {
		fputs("usage: cost FILE\nPrints what 100 reads of one byte cost, in ns.\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &byte, 1, 0) != 1) {
		fprintf(stderr, "%s: %s\n", argv[1], fd < 0 ? strerror(errno) : "cannot be read");
		return 2;
	}
	for (int s = 0; s < SERIES; s++) {
		long begin = nanoseconds(), took;

		for (int i = 0; i < CALLS; i++) {
			if (pread(fd, &byte, 1, 0) != 1)
				return 1;
		}
		took = nanoseconds() - begin;
		if (least < 0 || took < least)
			least = took;
	}
	close(fd);
	printf("%ld\n", least);
	return 0;
}
