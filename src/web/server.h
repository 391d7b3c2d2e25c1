/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server: the metrics, a landing page, health. One thread serves all
 * connections, one accepts them and keeps their deadlines, one asks for snapshots;
 * none of them waits for a client.
 */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include <stdbool.h>

#include "series/snapshot.h"
#include "web/connections.h"
#include "web/listen.h"
#include "web/security.h"

/* What is served. The pointers must outlive the server. */
struct web_site {
	const char *telemetry_path; /* begins with a slash */
	const char *version;

	/*
	 * A snapshot of now; the caller puts it. Called by one thread at a time, one
	 * that may wait, once for all scrapes that came in since the last call. 0 or
	 * -errno.
	 */
	int (*collect)(void *ctx, struct snapshot **s);

	/* Is there something to be observed? If not, why: one line. Must not wait. */
	bool (*ready)(void *ctx, char *why, size_t size);
	void *ctx;

	struct web_limits limits;

	/* TLS, passwords, headers, rate; outlives the server. NULL: plain HTTP for everybody. */
	struct web_security *security;
};

struct web_server;

/* Begins to serve; takes over the listeners, also when it fails. 0 or -errno, with one line in err.
 */
int web_start(struct web_server **server, const struct listeners *l, const struct web_site *site,
	      char *err, size_t errlen);

/* Ends every connection; returns when no callback runs any more. */
void web_stop(struct web_server *w);

#endif
