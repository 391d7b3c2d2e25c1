// SPDX-License-Identifier: Apache-2.0
/*
 * A page with the consumer's position, which is ours to write; one with the
 * producer's; then the data, mapped twice in a row, so that no record is split.
 * A record is a header of 8 bytes and the data, rounded up to 8.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helper/ring.h"

struct ring {
	int fd;
	size_t page, bytes;
	unsigned long *consumer;
	const unsigned long *producer;
	const char *data;
};

int ring_open(struct ring **result, int fd, size_t bytes)
{
	struct ring *r = calloc(1, sizeof(*r));
	void *p;
	int err;

	if (!r) {
		close(fd);
		return -ENOMEM;
	}
	r->fd = fd;
	r->bytes = bytes;
	r->page = sysconf(_SC_PAGESIZE);
	r->consumer = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->consumer == MAP_FAILED) {
		r->consumer = NULL;
		goto fail;
	}
	p = mmap(NULL, r->page + 2 * bytes, PROT_READ, MAP_SHARED, fd, r->page);
	if (p == MAP_FAILED)
		goto fail;
	r->producer = p;
	r->data = (char *)p + r->page;
	*result = r;
	return 0;
fail:
	err = -errno;
	ring_close(r);
	return err;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	if (r->producer)
		munmap((void *)r->producer, r->page + 2 * r->bytes);
	if (r->consumer)
		munmap(r->consumer, r->page);
	close(r->fd);
	free(r);
}

int ring_fd(const struct ring *r)
{
	return r->fd;
}

void ring_drain(struct ring *r, ring_fn fn, void *ctx)
{
	unsigned long at = *r->consumer;

	while (at < __atomic_load_n(r->producer, __ATOMIC_ACQUIRE)) {
		const char *record = r->data + (at & (r->bytes - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
		uint32_t size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT))
			fn(ctx, record + BPF_RINGBUF_HDR_SZ, size);
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7UL;
		__atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);
	}
}
