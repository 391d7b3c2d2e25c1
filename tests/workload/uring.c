// SPDX-License-Identifier: Apache-2.0
/* io_uring by its system calls: a library would hide which requests are made. */
#include "uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES 8

struct uring {
	int fd;
	struct io_uring_params params;
	char *sq, *cq;
	size_t sq_len, cq_len, sqes_len;
	struct io_uring_sqe *sqes;
};

static void *map(int fd, size_t len, off_t offset)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

struct uring *uring_open(void)
{
	struct uring *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &r->params);
	if (r->fd < 0) {
		free(r);
		return NULL;
	}
	r->sq_len = r->params.sq_off.array + r->params.sq_entries * sizeof(unsigned int);
	r->cq_len = r->params.cq_off.cqes + r->params.cq_entries * sizeof(struct io_uring_cqe);
	r->sqes_len = r->params.sq_entries * sizeof(struct io_uring_sqe);
	r->sq = map(r->fd, r->sq_len, IORING_OFF_SQ_RING);
	r->cq = map(r->fd, r->cq_len, IORING_OFF_CQ_RING);
	r->sqes = map(r->fd, r->sqes_len, IORING_OFF_SQES);
	if (r->sq && r->cq && r->sqes)
		return r;
	uring_close(r);
	errno = ENOMEM;
	return NULL;
}

void uring_close(struct uring *r)
{
	if (!r)
		return;
	if (r->sq)
		munmap(r->sq, r->sq_len);
	if (r->cq)
		munmap(r->cq, r->cq_len);
	if (r->sqes)
		munmap(r->sqes, r->sqes_len);
	close(r->fd);
	free(r);
}

static unsigned int *word(char *ring, unsigned int offset)
{
	return (unsigned int *)(void *)(ring + offset);
}

long uring_do(struct uring *r, const struct io_uring_sqe *sqe)
{
	unsigned int *sq_tail = word(r->sq, r->params.sq_off.tail);
	unsigned int *cq_head = word(r->cq, r->params.cq_off.head);
	unsigned int *cq_tail = word(r->cq, r->params.cq_off.tail);
	unsigned int cq_mask = *word(r->cq, r->params.cq_off.ring_mask);
	unsigned int slot = *sq_tail & *word(r->sq, r->params.sq_off.ring_mask);
	const struct io_uring_cqe *cqes = (void *)(r->cq + r->params.cq_off.cqes);
	unsigned int submit = 1;
	long rc;

	r->sqes[slot] = *sqe;
	word(r->sq, r->params.sq_off.array)[slot] = slot;
	__atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(cq_tail, __ATOMIC_ACQUIRE) == *cq_head) {
		rc = syscall(SYS_io_uring_enter, r->fd, submit, 1, IORING_ENTER_GETEVENTS, NULL, 0);
		if (rc < 0 && errno != EINTR)
			return -errno;
		if (rc > 0)
			submit = 0;
	}
	rc = cqes[*cq_head & cq_mask].res;
	__atomic_store_n(cq_head, *cq_head + 1, __ATOMIC_RELEASE);
	return rc;
}
