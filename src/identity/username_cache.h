/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known about the names of users, and which one is to be asked for
 * next. No thread, no clock and no lock of its own: see username.h.
 *
 * A known name stays while it is asked for again, also when the name service
 * fails meanwhile; then the next attempt comes after a time that doubles.
 */
#ifndef IDENTITY_USERNAME_CACHE_H
#define IDENTITY_USERNAME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "identity/nss.h"

#define USERNAME_UNKNOWN "unknown"

struct username_limits {
	size_t entries;	      /* users known at once; the one not asked for longest goes */
	size_t queue;	      /* users waiting for the name service */
	int64_t found_ttl_ns; /* asked for again after this */
	int64_t not_found_ttl_ns;
	int64_t retry_min_ns; /* after a failure; doubles with each */
	int64_t retry_max_ns;
};

struct username_stats {
	size_t entries;
	size_t queued;
	uint64_t answers[NSS_RETRY + 1];
	uint64_t queue_full; /* questions put off */
	uint64_t evicted;
	uint64_t changes; /* raised whenever a name that was handed out is no longer right */
};

struct username_cache;

/* NULL: no memory. */
struct username_cache *username_cache_new(const struct username_limits *limits);
void username_cache_free(struct username_cache *cache);

/* The name, or USERNAME_UNKNOWN; valid until the next call. Queues uid when it is time. */
const char *username_cache_get(struct username_cache *cache, uint32_t uid, int64_t now_ns);

/* Takes the next uid to ask for off the queue; false: there is none. */
bool username_cache_next(struct username_cache *cache, uint32_t *uid);

/* What the name service said; name counts only with NSS_FOUND. */
void username_cache_answer(struct username_cache *cache, uint32_t uid, enum nss_answer answer,
			   const char *name, int64_t now_ns);

void username_cache_stats(const struct username_cache *cache, struct username_stats *stats);

#endif
