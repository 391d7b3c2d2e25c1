// SPDX-License-Identifier: Apache-2.0
/* A lock around the cache, and the thread that works off its queue. */
#include "username.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/parse.h"

struct usernames {
	pthread_mutex_t lock; /* never held while the name service is asked */
	pthread_cond_t wake;
	pthread_t thread;
	struct username_cache *cache;
	struct username_hooks hooks;
	bool stop;
	bool asking; /* the thread is in the name service */
};

/* 64 KB of queue and some MB of names at most. */
const struct username_limits username_limits_default = {
	.entries = 65536,
	.queue = 16384,
	.found_ttl_ns = 3600 * NSEC_PER_SEC,
	.not_found_ttl_ns = 300 * NSEC_PER_SEC,
	.retry_min_ns = NSEC_PER_SEC,
	.retry_max_ns = 60 * NSEC_PER_SEC,
};

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void usernames_free(struct usernames *u)
{
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->wake);
	username_cache_free(u->cache);
	free(u);
}

static void *work(void *arg)
{
	struct usernames *u = arg;
	bool left_behind = false;
	uint32_t uid;

	pthread_mutex_lock(&u->lock);
	while (!u->stop) {
		char name[USERNAME_MAX];
		enum nss_answer answer;

		if (!username_cache_next(u->cache, &uid)) {
			pthread_cond_wait(&u->wake, &u->lock);
			continue;
		}
		u->asking = true;
		pthread_mutex_unlock(&u->lock);
		answer = nss_user_name(u->hooks.getpwuid, uid, name);
		pthread_mutex_lock(&u->lock);
		u->asking = false;
		left_behind = u->stop;
		username_cache_answer(u->cache, uid, answer, name, u->hooks.now_ns());
	}
	pthread_mutex_unlock(&u->lock);
	if (left_behind)
		usernames_free(u);
	return NULL;
}

int usernames_start(struct usernames **usernames, const struct username_limits *limits,
		    const struct username_hooks *hooks)
{
	struct usernames *u = calloc(1, sizeof(*u));
	sigset_t all, before;
	int err;

	if (!u)
		return -ENOMEM;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->wake, NULL);
	u->hooks.getpwuid = hooks && hooks->getpwuid ? hooks->getpwuid : getpwuid_r;
	u->hooks.now_ns = hooks && hooks->now_ns ? hooks->now_ns : monotonic_ns;
	u->cache = username_cache_new(limits);
	if (!u->cache) {
		usernames_free(u);
		return -ENOMEM;
	}
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&u->thread, NULL, work, u);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		usernames_free(u);
		return -err;
	}
	*usernames = u;
	return 0;
}

void usernames_get(struct usernames *u, uint32_t uid, char name[USERNAME_MAX])
{
	struct username_stats stats;

	pthread_mutex_lock(&u->lock);
	strcpy(name, username_cache_get(u->cache, uid, u->hooks.now_ns()));
	username_cache_stats(u->cache, &stats);
	if (stats.queued)
		pthread_cond_signal(&u->wake);
	pthread_mutex_unlock(&u->lock);
}

void usernames_stats(struct usernames *u, struct username_stats *stats)
{
	pthread_mutex_lock(&u->lock);
	username_cache_stats(u->cache, stats);
	pthread_mutex_unlock(&u->lock);
}

void usernames_stop(struct usernames *u)
{
	pthread_t thread;
	bool asking;

	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->stop = true;
	asking = u->asking;
	thread = u->thread;
	pthread_cond_signal(&u->wake);
	pthread_mutex_unlock(&u->lock);
	/* From here on, a thread that was asking may have freed *u. */
	if (asking) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	usernames_free(u);
}
