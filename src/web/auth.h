/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic authentication. A bcrypt check takes a large part of a second by design, so
 * that it runs in a thread of its own and its results are kept. A name that does
 * not exist costs as much as one that does.
 */
#ifndef WEB_AUTH_H
#define WEB_AUTH_H

#include <pthread.h>
#include <stdbool.h>

#include "web/webconfig.h"

#define AUTH_KEY_LEN  32
#define AUTH_CACHE    128 /* answers kept of each kind: wrong ones cannot push out right ones */
#define AUTH_HASH_MAX 64

/* A name and password that await their check. */
struct credentials {
	unsigned char key[AUTH_KEY_LEN]; /* digest of name, hash and password */
	char hash[AUTH_HASH_MAX];
	char *password;
	bool known; /* the name is one of the users */
};

struct auth_answers {
	unsigned char key[AUTH_CACHE][AUTH_KEY_LEN];
	unsigned int n;	   /* in use */
	unsigned int next; /* to be written, the oldest once all are in use */
};

struct auth_cache {
	pthread_mutex_t lock;
	struct auth_answers answers[2]; /* no, yes */
};

void auth_cache_init(struct auth_cache *a);
void auth_cache_destroy(struct auth_cache *a);

/* 0, or -ENOMEM. The caller frees with credentials_clear(). */
int credentials_set(struct credentials *c, const struct webconfig *config, const char *user,
		    const char *password);
void credentials_clear(struct credentials *c);

/* Is the answer known? Then it is in *good. */
bool auth_cached(struct auth_cache *a, const struct credentials *c, bool *good);

/* Finds the answer, slowly, and keeps it. */
bool auth_check(struct auth_cache *a, const struct credentials *c);

#endif
