/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for work that must not hold up the serving thread, in one of two orders:
 *
 * WORKER_BATCH: what is queued while it is busy is handed to it together. Twenty
 * scrapes that wait for the same thing get it from one pass.
 *
 * WORKER_FAIR: one at a time, the newest first, and if possible of another group
 * than the one before. A crowd of wrong passwords is not waited for by the right
 * one, neither by a later one nor by one from another address.
 */
#ifndef WEB_WORKER_H
#define WEB_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum worker_order {
	WORKER_BATCH,
	WORKER_FAIR,
};

struct work {
	struct work *next;
	uint64_t group;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct work *first, **last;
	atomic_bool stopping; /* what is queued is still handed out, but nobody waits for it */
	enum worker_order order;
	uint64_t last_group;
	void (*process)(void *ctx, struct work *batch); /* a list, or one */
	void *ctx;
};

/* 0 or -errno. */
int worker_start(struct worker *w, enum worker_order order,
		 void (*process)(void *ctx, struct work *batch), void *ctx);

/* False: the worker stops and takes nothing more. */
bool worker_queue(struct worker *w, struct work *work);

/* Everything queued has been processed when this returns. */
void worker_stop(struct worker *w);

#endif
