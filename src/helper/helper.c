// SPDX-License-Identifier: Apache-2.0
/* The serving process' side: start, hold, let go. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/channel.h"
#include "helper/helper.h"
#include "helper/ring.h"
#include "helper/worker.h"

struct helper {
	pid_t pid;
	int channel;
	struct probe_report *report; /* shared with the helper */
	int held[HOLD_SLOTS];	     /* attached probes, -1: none */
	void *map[OBJECT_MAPS];
	size_t map_size[OBJECT_MAPS];
	struct ring *job_news;
	unsigned int n_cells;
};

static size_t map_bytes(enum object_map map, unsigned int n_cells)
{
	switch (map) {
	case MAP_CELLS:
		return (size_t)n_cells * sizeof(struct cell);
	case MAP_SIZE_CELLS:
		return SIZE_CELLS * sizeof(struct size_cell);
	case MAP_MOUNT_SLOTS:
		return MOUNT_SLOTS * sizeof(struct mount_slot);
	case MAP_RPC_TARGETS:
		return RPC_TARGETS * sizeof(struct rpc_target);
	case MAP_KERNEL_COUNTERS:
		return KC_MAX * sizeof(uint64_t);
	case MAP_JOBS:
		return JOB_SLOTS * sizeof(struct job_slot);
	default:
		return 0;
	}
}

/* The descriptor is the helper's from here on. */
static int take_map(struct helper *h, enum object_map map, int fd)
{
	size_t size = map_bytes(map, h->n_cells);
	/* Only the states of slots are user space's to write. */
	bool writes = map == MAP_MOUNT_SLOTS || map == MAP_JOBS;
	void *p;

	if (map == MAP_JOB_NEWS)
		return ring_open(&h->job_news, fd, JOB_NEWS_BYTES);
	p = mmap(NULL, size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -errno;
	h->map[map] = p;
	h->map_size[map] = size;
	return 0;
}

static void release(struct helper *h, unsigned int slot)
{
	if (slot < HOLD_SLOTS && h->held[slot] >= 0) {
		close(h->held[slot]);
		h->held[slot] = -1;
	}
}

/* Carries out one message. Returns 1 at the end of start-up, 0, or -errno. */
static int handle(struct helper *h, const struct message *msg, int fd, char *err, size_t errlen)
{
	struct message reply = {.type = MSG_DROPPED, .index = msg->index};

	switch (msg->type) {
	case MSG_READY:
		return 1;
	case MSG_FAILED:
		snprintf(err, errlen, "%s", msg->text);
		return -ECANCELED;
	case MSG_MAP:
		if (msg->index == MAP_CELLS)
			h->n_cells = strtoul(msg->text, NULL, 10);
		return take_map(h, msg->index, fd);
	case MSG_HOLD:
		release(h, msg->index);
		if (fd < 0 || msg->index >= HOLD_SLOTS) {
			if (fd >= 0)
				close(fd);
			return -EMFILE;
		}
		h->held[msg->index] = fd;
		return 0;
	case MSG_DROP:
		release(h, msg->index);
		return channel_send(h->channel, &reply, -1);
	}
	return -EBADMSG;
}

int helper_process(struct helper *h)
{
	struct message msg;
	char err[256];
	int fd, n;

	n = channel_receive(h->channel, &msg, &fd);
	if (n <= 0)
		return -EPIPE;
	return handle(h, &msg, fd, err, sizeof(err)) < 0 ? -EPIPE : 0;
}

int helper_start(struct helper **result, const struct helper_options *options, char *err,
		 size_t errlen)
{
	struct helper *h = calloc(1, sizeof(*h));
	struct message msg;
	int pair[2], e, fd;

	if (!h)
		return -ENOMEM;
	for (int i = 0; i < HOLD_SLOTS; i++)
		h->held[i] = -1;
	h->report = mmap(NULL, sizeof(*h->report), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->report == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		e = -errno;
		snprintf(err, errlen, "cannot set up the helper: %s", strerror(-e));
		free(h);
		return e;
	}
	h->channel = pair[0];
	h->pid = fork();
	if (h->pid == 0) {
		close(pair[0]);
		_exit(worker_run(pair[1], options, h->report));
	}
	close(pair[1]);
	if (h->pid < 0) {
		e = -errno;
		snprintf(err, errlen, "cannot start the helper: %s", strerror(-e));
		goto out;
	}
	do {
		e = channel_receive(h->channel, &msg, &fd);
		if (e > 0) {
			e = handle(h, &msg, fd, err, errlen);
			if (e < 0 && e != -ECANCELED)
				snprintf(err, errlen, "cannot map the kernel's counters: %s",
					 strerror(-e));
		} else {
			snprintf(err, errlen, "the helper process ended unexpectedly");
			e = -EPIPE;
		}
	} while (!e);
	e = e > 0 ? 0 : e;
out:
	if (e) {
		helper_stop(h);
		return e;
	}
	*result = h;
	return 0;
}

int helper_fd(const struct helper *h)
{
	return h->channel;
}

void *helper_map(const struct helper *h, enum object_map map)
{
	return h->map[map];
}

struct ring *helper_job_news(const struct helper *h)
{
	return h->job_news;
}

unsigned int helper_cells(const struct helper *h)
{
	return h->n_cells;
}

const struct probe_report *helper_report(const struct helper *h)
{
	return h->report;
}

void helper_stop(struct helper *h)
{
	if (!h)
		return;
	/* Disarmed first: the definitions can be removed only when nobody uses them. */
	for (int i = 0; i < HOLD_SLOTS; i++)
		release(h, i);
	shutdown(h->channel, SHUT_WR);
	if (h->pid > 0) {
		/* A request that crossed ours: answered by the end of the channel. */
		waitpid(h->pid, NULL, 0);
	}
	close(h->channel);
	ring_close(h->job_news);
	for (int i = 0; i < OBJECT_MAPS; i++)
		if (h->map[i])
			munmap(h->map[i], h->map_size[i]);
	munmap(h->report, sizeof(*h->report));
	free(h);
}
