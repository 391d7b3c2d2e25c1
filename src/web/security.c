// SPDX-License-Identifier: Apache-2.0
/* The web configuration file as it is now, see security.h. */
#include "web/security.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/log.h"
#include "util/parse.h"

/* A policy with what it was made from, to see whether that has changed. */
struct source {
	struct policy policy; /* first: a policy is found by it */
	atomic_uint refs;
	char *text; /* of the configuration file */
	size_t len;
};

/* Without a file. */
static const struct webconfig nothing;
static const struct policy everything = {.config = (struct webconfig *)&nothing};

struct web_security {
	char *path;
	bool tls;
	pthread_mutex_t lock;
	struct source *current;
	double tokens; /* of the rate limit's bucket */
	int64_t refilled_ns;
	bool rate_begun;
	char fault[512]; /* why nobody is served, as it was logged; empty: all is well */
};

static void source_put(struct source *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
		return;
	tls_free(s->policy.tls);
	tls_material_free(&s->policy.material);
	webconfig_free(s->policy.config);
	free(s->text);
	free(s);
}

/* Takes over text and material, also when it fails. */
static int source_new(struct source **source, const char *path, struct webconfig *config,
		      char *text, size_t len, struct tls_material material, char *err,
		      size_t errlen)
{
	struct source *s = calloc(1, sizeof(*s));
	char why[256];
	int error = 0;

	if (!s) {
		free(text);
		webconfig_free(config);
		tls_material_free(&material);
		snprintf(err, errlen, "out of memory");
		return -ENOMEM;
	}
	atomic_init(&s->refs, 1);
	s->text = text;
	s->len = len;
	s->policy.material = material;
	s->policy.config = config;
	if (config->tls)
		error = tls_new(&s->policy.tls, config, &material, why, sizeof(why));
	if (error) {
		snprintf(err, errlen, "%s: %s", path, why);
		source_put(s);
		return error;
	}
	*source = s;
	return 0;
}

/* The folder that relative paths begin at. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash - path + (slash == path)) : strdup(".");
}

static int parse(struct webconfig **config, const char *path, const char *text, size_t len,
		 char *err, size_t errlen)
{
	char *dir = folder_of(path);
	int error = dir ? webconfig_parse(config, text, len, path, dir, err, errlen) : -ENOMEM;

	free(dir);
	return error;
}

/* Makes s->current what the files say. With the lock held. */
static int refresh(struct web_security *s, bool handshake, char *err, size_t errlen)
{
	struct tls_material material = {0};
	struct webconfig *config = NULL;
	struct source *fresh;
	char *text;
	size_t len;
	bool changed;
	int error = webconfig_read_file(s->path, &text, &len);

	if (error) {
		snprintf(err, errlen, "cannot read %s: %s (see --web.config.file)", s->path,
			 strerror(-error));
		return error;
	}
	changed = !s->current || s->current->len != len || memcmp(s->current->text, text, len);
	if (!changed && (!handshake || !s->current->policy.config->tls)) {
		free(text);
		return 0;
	}
	/* The text is parsed anew in either case: a source has a configuration of its own. */
	error = parse(&config, s->path, text, len, err, errlen);
	if (!error && config->tls)
		error = tls_material_load(&material, config, err, errlen);
	if (!error && !changed && tls_material_equal(&material, &s->current->policy.material)) {
		tls_material_free(&material);
		webconfig_free(config);
		free(text);
		return 0;
	}
	if (error) {
		webconfig_free(config);
		free(text);
		return error;
	}
	error = source_new(&fresh, s->path, config, text, len, material, err, errlen);
	if (error)
		return error;
	source_put(s->current);
	s->current = fresh;
	return 0;
}

int web_security_new(struct web_security **security, const char *path, char *err, size_t errlen)
{
	struct web_security *s = calloc(1, sizeof(*s));
	int error = 0;

	snprintf(err, errlen, "out of memory");
	if (!s)
		return -ENOMEM;
	pthread_mutex_init(&s->lock, NULL);
	s->path = strdup(path);
	error = s->path ? refresh(s, true, err, errlen) : -ENOMEM;
	if (error) {
		web_security_free(s);
		return error;
	}
	s->tls = s->current->policy.tls;
	*security = s;
	return 0;
}

void web_security_free(struct web_security *s)
{
	if (!s)
		return;
	source_put(s->current);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s);
}

bool web_security_tls(const struct web_security *s)
{
	return s && s->tls;
}

int web_security_check(struct web_security *s, char *err, size_t errlen)
{
	int error;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	error = refresh(s, true, err, errlen);
	pthread_mutex_unlock(&s->lock);
	return error;
}

/*
 * One line when a fault begins or becomes another one, one when it has gone: a handshake
 * reads all files, a request on a connection that is there not. With the lock held.
 */
static void log_fault(struct web_security *s, bool handshake, const char *fault)
{
	if (!strcmp(fault, s->fault) || (!*fault && s->tls && !handshake))
		return;
	if (*fault)
		log_error("nobody is served: %s", fault);
	else
		log_info("%s is good again: serving", s->path);
	snprintf(s->fault, sizeof(s->fault), "%s", fault);
}

const struct policy *policy_get(struct web_security *s, bool handshake)
{
	struct source *source = NULL;
	char err[sizeof(s->fault)] = "";

	if (!s)
		return &everything;
	pthread_mutex_lock(&s->lock);
	if (!refresh(s, handshake, err, sizeof(err))) {
		source = s->current;
		if (source->policy.config->tls == s->tls) {
			atomic_fetch_add(&source->refs, 1);
			err[0] = '\0';
		} else {
			snprintf(err, sizeof(err),
				 "%s: TLS cannot be switched %s while running; restart", s->path,
				 s->tls ? "off" : "on");
			source = NULL;
		}
	}
	log_fault(s, handshake, err);
	pthread_mutex_unlock(&s->lock);
	return source ? &source->policy : NULL;
}

void policy_put(const struct policy *p)
{
	if (p != &everything)
		source_put((struct source *)p);
}

bool web_security_rate(struct web_security *s, const struct policy *p)
{
	int64_t interval = p->config->interval_ns, burst = p->config->burst;
	struct timespec ts;
	int64_t now;
	bool allowed;

	if (!interval)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
	pthread_mutex_lock(&s->lock);
	s->tokens = s->rate_begun ? s->tokens + (double)(now - s->refilled_ns) / interval : burst;
	if (s->tokens > burst)
		s->tokens = burst;
	s->rate_begun = true;
	s->refilled_ns = now;
	allowed = s->tokens >= 1;
	if (allowed)
		s->tokens--;
	pthread_mutex_unlock(&s->lock);
	return allowed;
}
