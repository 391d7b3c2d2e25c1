/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the server: server.c (sockets and threads), request.c (what is answered). */
#ifndef WEB_SERVER_PRIVATE_H
#define WEB_SERVER_PRIVATE_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "web/auth.h"
#include "web/server.h"
#include "web/worker.h"

struct web_server {
	struct web_site site;
	struct listeners listeners;
	struct connections connections;
	struct worker scraper;
	uint64_t pass;	       /* number of the scraper's last collection */
	struct worker doorman; /* checks passwords */
	struct auth_cache auth;
	struct MHD_Daemon *daemon;
	pthread_t acceptor;
	int stop_fd; /* eventfd: the acceptor ends */
};

enum request_state {
	REQUEST_NEW,
	REQUEST_ADMITTED,
	REQUEST_REFUSED, /* wrong password */
};

/* One request, from its header to the end of its response. */
struct request {
	struct work work; /* first: the workers find the request by it */
	struct web_server *server;
	struct MHD_Connection *http;
	struct connection *connection;
	const struct policy *policy;
	enum request_state state;
	struct credentials credentials;
	bool asked; /* for a snapshot; the answer is in the next two */
	int error;
	struct snapshot *snapshot;
};

/* The library's callbacks. */
enum MHD_Result request_handle(void *cls, struct MHD_Connection *http, const char *url,
			       const char *method, const char *version, const char *upload_data,
			       size_t *upload_data_size, void **req_cls);
void request_completed(void *cls, struct MHD_Connection *http, void **req_cls,
		       enum MHD_RequestTerminationCode toe);

/* The scraper's: one snapshot for the whole batch. */
void request_scrape(void *ctx, struct work *batch);

/* The doorman's: one password. */
void request_check_password(void *ctx, struct work *work);

#endif
