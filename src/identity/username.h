/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of users, asked for in one thread of its own: the name service may
 * take 10 ms or 30 s for an answer, and nobody else waits for it.
 *
 * All functions may be called from any thread.
 */
#ifndef IDENTITY_USERNAME_H
#define IDENTITY_USERNAME_H

#include "identity/nss.h"
#include "identity/username_cache.h"

struct usernames;

/* What to use instead of the system's; members that are NULL are not replaced. */
struct username_hooks {
	nss_getpwuid_fn getpwuid;
	int64_t (*now_ns)(void); /* monotonic */
};

/* Starts the thread. hooks may be NULL. Returns 0 or -errno. */
int usernames_start(struct usernames **usernames, const struct username_limits *limits,
		    const struct username_hooks *hooks);

/* The limits that fit a node of any size. */
extern const struct username_limits username_limits_default;

/*
 * Copies the name of uid, or USERNAME_UNKNOWN while it is not known, to name.
 * Never waits for the name service. Within one scrape ask once for each uid:
 * the answer may change between two calls.
 */
void usernames_get(struct usernames *usernames, uint32_t uid, char name[USERNAME_MAX]);

void usernames_stats(struct usernames *usernames, struct username_stats *stats);

/*
 * Ends the thread and frees everything; if the name service holds the thread,
 * it is left behind and frees what it needs when it comes back.
 */
void usernames_stop(struct usernames *usernames);

#endif
