// SPDX-License-Identifier: Apache-2.0
/* A thread and its queue, see worker.h. */
#include "web/worker.h"

static struct work *take_all(struct worker *w)
{
	struct work *batch = w->first;

	w->first = NULL;
	w->last = &w->first;
	return batch;
}

static struct work *take_one(struct worker *w)
{
	struct work **newest = NULL, **other = NULL, *work;

	for (struct work **p = &w->first; *p; p = &(*p)->next) {
		newest = p;
		if ((*p)->group != w->last_group)
			other = p;
	}
	if (!newest)
		return NULL;
	if (other)
		newest = other;
	work = *newest;
	*newest = work->next;
	if (w->last == &work->next)
		w->last = newest;
	work->next = NULL;
	w->last_group = work->group;
	return work;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct work *batch;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->first && !w->stopping)
			pthread_cond_wait(&w->wake, &w->lock);
		batch = w->order == WORKER_FAIR ? take_one(w) : take_all(w);
		if (!batch)
			break;
		pthread_mutex_unlock(&w->lock);
		w->process(w->ctx, batch);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int worker_start(struct worker *w, enum worker_order order,
		 void (*process)(void *ctx, struct work *batch), void *ctx)
{
	int err;

	*w = (struct worker){.order = order, .process = process, .ctx = ctx};
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	err = pthread_create(&w->thread, NULL, worker_main, w);
	if (!err)
		return 0;
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	return -err;
}

bool worker_queue(struct worker *w, struct work *work)
{
	bool taken;

	work->next = NULL;
	pthread_mutex_lock(&w->lock);
	taken = !w->stopping;
	if (taken) {
		*w->last = work;
		w->last = &work->next;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return taken;
}

void worker_stop(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
}
