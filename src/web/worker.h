/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for work that must not hold up the serving thread. What is queued while
 * it is busy is handed to it together: twenty scrapes that wait for the same thing
 * get it from one pass.
 */
#ifndef WEB_WORKER_H
#define WEB_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct work {
	struct work *next;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct work *first, **last;
	bool stopping;
	void (*process)(void *ctx, struct work *batch); /* in the order of arrival */
	void *ctx;
};

/* 0 or -errno. */
int worker_start(struct worker *w, void (*process)(void *ctx, struct work *batch), void *ctx);

/* False: the worker stops and takes nothing more. */
bool worker_queue(struct worker *w, struct work *work);

/* Everything queued has been processed when this returns. */
void worker_stop(struct worker *w);

#endif
