// SPDX-License-Identifier: Apache-2.0
/*
 * A hash of users, which uthash keeps in the order of insertion: an entry that
 * is used is taken out and put in again, so the first one is the oldest.
 */
#include "username_cache.h"

#include <stdlib.h>
#include <string.h>

/* Running out of memory must not end the process: the entry is then not added. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct user {
	UT_hash_handle hh;
	uint32_t uid;
	bool queued;
	int64_t due_ns;	  /* time to ask (again) */
	int64_t retry_ns; /* last time between attempts, 0: the last one did not fail */
	char *name;	  /* NULL: unknown */
};

struct username_cache {
	struct username_limits limits;
	struct username_stats stats;
	struct user *users;
	uint32_t *queue; /* ring */
	size_t queue_head;
};

struct username_cache *username_cache_new(const struct username_limits *limits)
{
	struct username_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->limits = *limits;
	cache->queue = calloc(limits->queue, sizeof(*cache->queue));
	if (!cache->queue) {
		free(cache);
		return NULL;
	}
	return cache;
}

static void user_remove(struct username_cache *cache, struct user *user)
{
	HASH_DEL(cache->users, user);
	cache->stats.entries--;
	free(user->name);
	free(user);
}

void username_cache_free(struct username_cache *cache)
{
	struct user *user, *next;

	if (!cache)
		return;
	HASH_ITER (hh, cache->users, user, next)
		user_remove(cache, user);
	free(cache->queue);
	free(cache);
}

static struct user *user_find(struct username_cache *cache, uint32_t uid)
{
	struct user *user;

	HASH_FIND(hh, cache->users, &uid, sizeof(uid), user);
	return user;
}

/* Puts the user at the end of the order. NULL: no memory, the user is gone. */
static struct user *user_insert(struct username_cache *cache, struct user *user)
{
	HASH_ADD(hh, cache->users, uid, sizeof(user->uid), user);
	if (!user->hh.tbl) {
		free(user->name);
		free(user);
		return NULL;
	}
	cache->stats.entries++;
	return user;
}

static struct user *user_add(struct username_cache *cache, uint32_t uid)
{
	struct user *user = calloc(1, sizeof(*user));

	if (!user)
		return NULL;
	if (cache->stats.entries >= cache->limits.entries) {
		cache->stats.changes += cache->users->name != NULL;
		cache->stats.evicted++;
		user_remove(cache, cache->users);
	}
	user->uid = uid;
	user->due_ns = INT64_MIN;
	return user_insert(cache, user);
}

const char *username_cache_get(struct username_cache *cache, uint32_t uid, int64_t now_ns)
{
	struct user *user = user_find(cache, uid);
	struct username_stats *stats = &cache->stats;

	if (user && user->hh.next) {
		HASH_DEL(cache->users, user);
		stats->entries--;
		user = user_insert(cache, user);
	} else if (!user) {
		user = user_add(cache, uid);
	}
	if (!user)
		return USERNAME_UNKNOWN;
	if (!user->queued && now_ns >= user->due_ns) {
		if (stats->queued < cache->limits.queue) {
			cache->queue[(cache->queue_head + stats->queued++) % cache->limits.queue] =
				uid;
			user->queued = true;
		} else {
			stats->queue_full++;
		}
	}
	return user->name ? user->name : USERNAME_UNKNOWN;
}

bool username_cache_next(struct username_cache *cache, uint32_t *uid)
{
	if (!cache->stats.queued)
		return false;
	*uid = cache->queue[cache->queue_head];
	cache->queue_head = (cache->queue_head + 1) % cache->limits.queue;
	cache->stats.queued--;
	return true;
}

/* Takes over name, which may be NULL. */
static void user_rename(struct username_cache *cache, struct user *user, char *name)
{
	bool same = name && user->name ? !strcmp(name, user->name) : name == user->name;

	cache->stats.changes += !same;
	free(user->name);
	user->name = name;
}

void username_cache_answer(struct username_cache *cache, uint32_t uid, enum nss_answer answer,
			   const char *name, int64_t now_ns)
{
	const struct username_limits *limits = &cache->limits;
	struct user *user = user_find(cache, uid);
	char *copy = NULL;

	if (user && answer == NSS_FOUND) {
		copy = strdup(name);
		if (!copy)
			answer = NSS_RETRY;
	}
	cache->stats.answers[answer]++;
	/* Evicted while the name service was busy with it. */
	if (!user)
		return;
	user->queued = false;
	if (answer == NSS_RETRY) {
		user->retry_ns = user->retry_ns ? user->retry_ns * 2 : limits->retry_min_ns;
		if (user->retry_ns > limits->retry_max_ns)
			user->retry_ns = limits->retry_max_ns;
		user->due_ns = now_ns + user->retry_ns;
		return;
	}
	user->retry_ns = 0;
	user->due_ns = now_ns + (copy ? limits->found_ttl_ns : limits->not_found_ttl_ns);
	user_rename(cache, user, copy);
}

void username_cache_stats(const struct username_cache *cache, struct username_stats *stats)
{
	*stats = cache->stats;
}
