/* SPDX-License-Identifier: Apache-2.0 */
/* Where and how OTLP is pushed: the flag and the environment variables of OpenTelemetry. */
#ifndef WEB_PUSH_CONFIG_H
#define WEB_PUSH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "series/family.h"

#define PUSH_LIST_MAX 64 /* headers, and attributes of the resource */

struct push_config {
	char *url;
	char *headers[PUSH_LIST_MAX]; /* name: value */
	size_t n_headers;
	struct label attributes[PUSH_LIST_MAX]; /* of the resource; both parts are owned */
	size_t n_attributes;
	unsigned int timeout_ms;  /* of one request */
	unsigned int interval_ms; /* between two pushes */
	bool gzip;
	bool exponential;
	const char *ca_file, *cert_file,
		*key_file; /* NULL: not given; point into the environment */
};

typedef char *env_fn(const char *name); /* getenv */

/*
 * endpoint is --otlp.endpoint or NULL; 1: push, 0: nobody
 * asks for it, -EINVAL or -ENOMEM with one line in err. To be freed unless it failed.
 */
int push_config_load(struct push_config *c, const char *endpoint, env_fn *env, const char *version,
		     const char *hostname, char *err, size_t errlen);
void push_config_free(struct push_config *c);

#endif
