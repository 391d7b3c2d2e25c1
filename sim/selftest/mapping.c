// SPDX-License-Identifier: GPL-2.0
/* Memory mappings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define BLOCK 4096

static sigjmp_buf after_sigbus;

static void on_sigbus(int sig)
{
	siglongjmp(after_sigbus, sig);
}

static bool faults(volatile char *p)
{
	if (sigsetjmp(after_sigbus, 1))
		return true;
	(void)*p;
	return false;
}

static volatile char *map(int fd, int pages)
{
	return mmap(NULL, pages * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

void suite_mmap(void)
{
	int fd = open("map", O_CREAT | O_RDWR, 0644);
	volatile char *p;

	signal(SIGBUS, on_sigbus);
	must(ftruncate(fd, N * BLOCK) == 0);

	check_begin();
	p = map(fd, N + 1);
	for (int i = 0; i < N; i++)
		must(p[i * BLOCK] == 0);
	want(OP_MMAP, 1);
	want(OP_FAULT, N);
	check_end("reading a mapping: retries are not counted");

	check_begin();
	for (int i = 0; i < N; i++)
		p[i * BLOCK] = 'm';
	want(OP_PAGE_MKWRITE, N);
	check_end("writing a mapping");

	check_begin();
	must(faults(p + N * BLOCK));
	want_errors(OP_FAULT, 1, ERRNO_IO, 1);
	check_end("a fault behind the end");

	check_begin();
	must(msync((void *)p, N * BLOCK, MS_SYNC) == 0);
	want(OP_FSYNC, 1);
	check_end("msync");

	must(munmap((void *)p, (N + 1) * BLOCK) == 0);
	drop_caches();
	p = map(fd, N);
	check_begin();
	for (int i = 0; i < N; i++)
		must(p[i * BLOCK] == 'm');
	want(OP_FAULT, N);
	check_end("written data came back from the store");

	sim_write("inject", "ll_fault retry=3");
	munmap((void *)p, N * BLOCK);
	p = map(fd, N);
	check_begin();
	uint64_t calls = sim_calls_of("ll_fault");
	for (int i = 0; i < N; i++)
		must(p[i * BLOCK] == 'm');
	must(sim_calls_of("ll_fault") - calls > N);
	want(OP_FAULT, N);
	check_end("injected VM_FAULT_RETRY");

	sim_write("inject", "clear\nll_page_mkwrite retry=3");
	check_begin();
	for (int i = 0; i < N; i++)
		p[i * BLOCK] = 'n';
	want(OP_PAGE_MKWRITE, N);
	check_end("injected VM_FAULT_RETRY in page_mkwrite");

	munmap((void *)p, N * BLOCK);
	p = map(fd, N);
	sim_write("inject", "clear\nll_fault errno=5 count=1");
	check_begin();
	must(faults(p));
	must(!faults(p));
	want_errors(OP_FAULT, 2, ERRNO_IO, 1);
	check_end("injected SIGBUS");
	sim_write("inject", "clear");
	munmap((void *)p, N * BLOCK);
	close(fd);
}
