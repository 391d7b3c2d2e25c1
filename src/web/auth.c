// SPDX-License-Identifier: Apache-2.0
/* Basic authentication, see auth.h. */
#include "web/auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BCRYPT_LEN 60

/* Salt and result of no password that anybody has. */
#define NOBODY "C6UzMDM.H6dfI/f/IKxGhuQn3zVYEhEzPQuUkNhFLkBqRoLSvBhyu"

void auth_cache_init(struct auth_cache *a)
{
	memset(a, 0, sizeof(*a));
	pthread_mutex_init(&a->lock, NULL);
}

void auth_cache_destroy(struct auth_cache *a)
{
	pthread_mutex_destroy(&a->lock);
}

/* Names that are not there are checked at the cost of those that are. */
static void nobodys_hash(const struct webconfig *config, char hash[AUTH_HASH_MAX])
{
	unsigned int cost = 4;

	for (size_t i = 0; i < config->users.n; i++) {
		unsigned int c = bcrypt_cost(config->users.items[i].value);

		cost = c > cost ? c : cost;
	}
	snprintf(hash, AUTH_HASH_MAX, "$2b$%02u$" NOBODY, cost % 100);
}

int credentials_set(struct credentials *c, const struct webconfig *config, const char *user,
		    const char *password)
{
	size_t size;
	char *text;
	int len;

	memset(c, 0, sizeof(*c));
	nobodys_hash(config, c->hash);
	for (size_t i = 0; i < config->users.n; i++) {
		if (strcmp(config->users.items[i].name, user))
			continue;
		snprintf(c->hash, sizeof(c->hash), "%s", config->users.items[i].value);
		c->known = true;
	}
	c->password = strdup(password);
	if (!c->password)
		return -ENOMEM;
	/* The lengths make the parts distinct whatever they contain. */
	len = asprintf(&text, "%zu:%s%zu:%s%s", strlen(user), user, strlen(c->hash), c->hash,
		       password);
	if (len < 0) {
		credentials_clear(c);
		return -ENOMEM;
	}
	size = len;
	gnutls_hash_fast(GNUTLS_DIG_SHA256, text, size, c->key);
	explicit_bzero(text, size);
	free(text);
	return 0;
}

void credentials_clear(struct credentials *c)
{
	if (c->password)
		explicit_bzero(c->password, strlen(c->password));
	free(c->password);
	c->password = NULL;
}

bool auth_cached(struct auth_cache *a, const struct credentials *c, bool *good)
{
	bool found = false;

	pthread_mutex_lock(&a->lock);
	for (int yes = 0; yes < 2 && !found; yes++) {
		const struct auth_answers *answers = &a->answers[yes];

		for (unsigned int i = 0; i < answers->n && !found; i++)
			found = !memcmp(answers->key[i], c->key, AUTH_KEY_LEN);
		if (found)
			*good = yes;
	}
	pthread_mutex_unlock(&a->lock);
	return found;
}

static bool bcrypt_matches(const char *hash, const char *password)
{
	struct crypt_data *data = calloc(1, sizeof(*data));
	unsigned char difference = 0;
	const char *result;

	if (!data)
		return false;
	result = crypt_rn(password, hash, data, sizeof(*data));
	if (!result || strlen(result) != BCRYPT_LEN)
		difference = 1;
	else
		for (size_t i = 0; i < BCRYPT_LEN; i++)
			difference |= result[i] ^ hash[i];
	explicit_bzero(data, sizeof(*data));
	free(data);
	return !difference;
}

bool auth_check(struct auth_cache *a, const struct credentials *c)
{
	bool good = bcrypt_matches(c->hash, c->password) && c->known;

	struct auth_answers *answers = &a->answers[good];

	pthread_mutex_lock(&a->lock);
	memcpy(answers->key[answers->next], c->key, AUTH_KEY_LEN);
	answers->next = (answers->next + 1) % AUTH_CACHE;
	if (answers->n < AUTH_CACHE)
		answers->n++;
	pthread_mutex_unlock(&a->lock);
	return good;
}
