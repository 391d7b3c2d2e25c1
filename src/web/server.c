// SPDX-License-Identifier: Apache-2.0
/*
 * Sockets and threads of the server. Connections are accepted here and handed to
 * the library, which has no listening socket of its own: that way one place decides
 * who gets in and how long anyone stays.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/log.h"
#include "web/server_private.h"

#define TICK_MS 250 /* how late a deadline is noticed */

/* Above our own limit: connections that were told to go take a moment to leave. */
#define LIBRARY_CONNECTIONS(limit) ((limit)*2 + 16)

static void log_library(void *cls, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void log_library(void *cls, const char *format, va_list args)
{
	char line[512];

	/* Most of it is clients that went away. */
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	log_kv(LOG_LEVEL_DEBUG, "http", LOG_S("error", line));
}

/* TLS as the configuration wants it now; false: it cannot be had. */
static bool begin_tls(struct web_server *w, struct MHD_Connection *http, struct connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(http, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	if (!info || !c)
		return false;
	c->policy = policy_get(w->site.security, true);
	if (!c->policy)
		return false;
	tls_begin(((const struct policy *)c->policy)->tls, info->tls_session);
	return true;
}

static void notify_connection(void *cls, struct MHD_Connection *http, void **context,
			      enum MHD_ConnectionNotificationCode code)
{
	struct web_server *w = cls;
	struct connection *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		int fd = MHD_get_connection_info(http, MHD_CONNECTION_INFO_CONNECTION_FD)
				 ->connect_fd;

		c = connection_claim(&w->connections, fd);
		*context = c;
		/* The library goes on with its own certificate otherwise. */
		if (web_security_tls(w->site.security) && !begin_tls(w, http, c))
			shutdown(fd, SHUT_RDWR);
		return;
	}
	if (!c)
		return;
	/* Its TLS session has ended before. */
	policy_put(c->policy);
	connection_close(&w->connections, c);
}

static struct MHD_Daemon *start_daemon(struct web_server *w)
{
	const unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
				   MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	const struct policy *policy;
	struct MHD_OptionItem tls[3] = {{MHD_OPTION_END, 0, NULL}};
	struct MHD_Daemon *daemon;

	/* Each session gets a certificate of its own before its handshake: see begin_tls(). */
	policy = policy_get(w->site.security, false);
	if (!policy)
		return NULL;
	if (policy->tls) {
		tls[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, policy->material.key};
		tls[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0,
						 policy->material.cert};
		tls[2] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
	}
	daemon = MHD_start_daemon(
		policy->tls ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, request_handle, w,
		MHD_OPTION_EXTERNAL_LOGGER, log_library, w, MHD_OPTION_NOTIFY_CONNECTION,
		notify_connection, w, MHD_OPTION_NOTIFY_COMPLETED, request_completed, w,
		MHD_OPTION_CONNECTION_LIMIT, LIBRARY_CONNECTIONS(w->site.limits.connections),
		MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	policy_put(policy);
	return daemon;
}

static void accept_one(struct web_server *w, int listener)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int fd = accept4(listener, (struct sockaddr *)&addr, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		/* The listener stays readable: without a pause this would be a busy loop. */
		if (errno == EMFILE || errno == ENFILE) {
			log_warn("cannot accept a connection: %s", strerror(errno));
			poll(NULL, 0, TICK_MS);
		}
		return;
	}
	connections_make_room(&w->connections);
	if (!connection_open(&w->connections, fd)) {
		close(fd);
		return;
	}
	/* The library closes fd when it does not take the connection. */
	MHD_add_connection(w->daemon, fd, (struct sockaddr *)&addr, len);
}

static void *acceptor_main(void *arg)
{
	struct web_server *w = arg;
	struct pollfd fds[LISTENERS_MAX + 1];
	size_t n = w->listeners.n;

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){.fd = w->listeners.fd[i], .events = POLLIN};
	fds[n] = (struct pollfd){.fd = w->stop_fd, .events = POLLIN};
	for (;;) {
		int ready = poll(fds, n + 1, TICK_MS);

		if (ready > 0 && fds[n].revents)
			return NULL;
		connections_tick(&w->connections);
		for (size_t i = 0; i < n && ready > 0; i++)
			if (fds[i].revents)
				accept_one(w, fds[i].fd);
	}
}

static int failed(const char *what, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "cannot start the web server: %s: %s", what, strerror(error));
	return -error;
}

int web_start(struct web_server **server, const struct listeners *l, const struct web_site *site,
	      char *err, size_t errlen)
{
	struct web_server *w = calloc(1, sizeof(*w));
	struct listeners taken = *l;
	int error;

	if (!w) {
		web_unlisten(&taken);
		return failed("memory", ENOMEM, err, errlen);
	}
	w->site = *site;
	w->listeners = taken;
	auth_cache_init(&w->auth);
	connections_init(&w->connections, &site->limits);
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (w->stop_fd < 0) {
		error = failed("eventfd", errno, err, errlen);
		goto no_eventfd;
	}
	error = -worker_start(&w->scraper, WORKER_BATCH, request_scrape, w);
	if (error) {
		error = failed("thread", error, err, errlen);
		goto no_scraper;
	}
	error = -worker_start(&w->doorman, WORKER_FAIR, request_check_password, w);
	if (error) {
		error = failed("thread", error, err, errlen);
		goto no_doorman;
	}
	errno = 0;
	w->daemon = start_daemon(w);
	if (!w->daemon) {
		error = failed("libmicrohttpd", errno ? errno : EINVAL, err, errlen);
		goto no_daemon;
	}
	error = pthread_create(&w->acceptor, NULL, acceptor_main, w);
	if (error) {
		error = failed("thread", error, err, errlen);
		goto no_acceptor;
	}
	*server = w;
	return 0;

no_acceptor:
	MHD_stop_daemon(w->daemon);
no_daemon:
	worker_stop(&w->doorman);
no_doorman:
	worker_stop(&w->scraper);
no_scraper:
	close(w->stop_fd);
no_eventfd:
	auth_cache_destroy(&w->auth);
	connections_destroy(&w->connections);
	web_unlisten(&w->listeners);
	free(w);
	return error;
}

void web_stop(struct web_server *w)
{
	if (!w)
		return;
	eventfd_write(w->stop_fd, 1);
	pthread_join(w->acceptor, NULL);
	/* No request may be suspended when the library stops. */
	worker_stop(&w->doorman);
	worker_stop(&w->scraper);
	MHD_stop_daemon(w->daemon);
	close(w->stop_fd);
	auth_cache_destroy(&w->auth);
	connections_destroy(&w->connections);
	web_unlisten(&w->listeners);
	free(w);
}
