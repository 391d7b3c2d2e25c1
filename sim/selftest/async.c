// SPDX-License-Identifier: GPL-2.0
/* Asynchronous I/O by the bare system calls: libaio's and io_uring's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define BLOCK 4096

static char buffer[N * BLOCK] __attribute__((aligned(BLOCK)));

static int aio(int fd, int opcode)
{
	aio_context_t ctx = 0;
	struct iocb iocbs[N], *list[N];
	struct io_event events[N];
	int n = 0;

	must(syscall(SYS_io_setup, N, &ctx) == 0);
	for (int i = 0; i < N; i++) {
		iocbs[i] = (struct iocb){
			.aio_fildes = fd,
			.aio_lio_opcode = opcode,
			.aio_buf = (uintptr_t)(buffer + i * BLOCK),
			.aio_nbytes = BLOCK,
			.aio_offset = i * BLOCK,
		};
		list[i] = &iocbs[i];
	}
	must(syscall(SYS_io_submit, ctx, N, list) == N);
	must(syscall(SYS_io_getevents, ctx, N, N, events, NULL) == N);
	for (int i = 0; i < N; i++)
		n += events[i].res == BLOCK;
	syscall(SYS_io_destroy, ctx);
	return n;
}

struct ring {
	int fd;
	struct io_uring_params p;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
};

static bool ring_open(struct ring *r)
{
	memset(r, 0, sizeof(*r));
	r->fd = syscall(SYS_io_uring_setup, N, &r->p);
	if (r->fd < 0)
		return false;
	r->sq = mmap(NULL, r->p.sq_off.array + r->p.sq_entries * 4, PROT_READ | PROT_WRITE,
		     MAP_SHARED, r->fd, IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_CQ_RING);
	r->sqes = mmap(NULL, r->p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
		       MAP_SHARED, r->fd, IORING_OFF_SQES);
	return true;
}

/* N blocks at once; the number of them that came back whole. */
static int ring_io(struct ring *r, int fd, int opcode)
{
	unsigned *tail = (unsigned *)(r->sq + r->p.sq_off.tail);
	unsigned *array = (unsigned *)(r->sq + r->p.sq_off.array);
	unsigned mask = *(unsigned *)(r->sq + r->p.sq_off.ring_mask);
	unsigned *cq_head = (unsigned *)(r->cq + r->p.cq_off.head);
	unsigned cq_mask = *(unsigned *)(r->cq + r->p.cq_off.ring_mask);
	struct io_uring_cqe *cqes = (struct io_uring_cqe *)(r->cq + r->p.cq_off.cqes);
	int n = 0;

	for (int i = 0; i < N; i++) {
		unsigned at = (*tail + i) & mask;

		r->sqes[at] = (struct io_uring_sqe){
			.opcode = opcode,
			.fd = fd,
			.addr = (uintptr_t)(buffer + i * BLOCK),
			.len = BLOCK,
			.off = i * BLOCK,
		};
		array[at] = at;
	}
	__atomic_store_n(tail, *tail + N, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, r->fd, N, N, IORING_ENTER_GETEVENTS, NULL, 0) == N);
	for (int i = 0; i < N; i++)
		n += cqes[(*cq_head + i) & cq_mask].res == BLOCK;
	__atomic_store_n(cq_head, *cq_head + N, __ATOMIC_RELEASE);
	return n;
}

static void ring_close(struct ring *r)
{
	munmap(r->sq, r->p.sq_off.array + r->p.sq_entries * 4);
	munmap(r->cq, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe));
	munmap(r->sqes, r->p.sq_entries * sizeof(struct io_uring_sqe));
	close(r->fd);
}

static void rings(int direct, int cached)
{
	uint64_t calls;
	struct ring r;

	if (!ring_open(&r)) {
		must(errno == ENOSYS || errno == EPERM); /* switched off on this kernel */
		return;
	}
	check_begin();
	must(ring_io(&r, direct, IORING_OP_WRITE) == N);
	must(ring_io(&r, direct, IORING_OP_READ) == N);
	want_bytes(OP_WRITE, N, N * BLOCK);
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("io_uring O_DIRECT");

	drop_caches();
	check_begin();
	calls = sim_calls_of("ll_file_read_iter");
	must(ring_io(&r, cached, IORING_OP_READ) == N);
	must(sim_calls_of("ll_file_read_iter") - calls > N);
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("io_uring uncached: the first try is no operation");

	check_begin();
	must(ring_io(&r, cached, IORING_OP_READ) == N);
	must(ring_io(&r, cached, IORING_OP_WRITE) == N);
	want_bytes(OP_READ, N, N * BLOCK);
	want_bytes(OP_WRITE, N, N * BLOCK);
	check_end("io_uring cached");
	ring_close(&r);
}

void suite_async(void)
{
	int direct = open("aio", O_CREAT | O_RDWR | O_DIRECT, 0644), cached = open("aio", O_RDWR);
	uint64_t calls = sim_calls_of("brw_interpret");

	check_begin();
	must(aio(direct, IOCB_CMD_PWRITE) == N);
	must(aio(direct, IOCB_CMD_PREAD) == N);
	must(sim_calls_of("brw_interpret") - calls == 2 * N);
	want_bytes(OP_WRITE, N, N * BLOCK);
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("libaio O_DIRECT");

	check_begin();
	must(aio(cached, IOCB_CMD_PREAD) == N);
	want_bytes(OP_READ, N, N * BLOCK);
	check_end("libaio through the cache");

	rings(direct, cached);
	close(direct);
	close(cached);
}
