/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the server: a site of one snapshot, and a client of plain sockets. */
#ifndef WEB_TESTING_H
#define WEB_TESTING_H

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "encode/sample_world.h"
#include "web/server.h"

struct site {
	struct snapshot *snapshot;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool hold;	    /* collect() waits */
	unsigned int begun; /* calls of collect() */
	bool unready;
};

static inline int site_collect(void *ctx, struct snapshot **s)
{
	struct site *site = ctx;

	pthread_mutex_lock(&site->lock);
	site->begun++;
	pthread_cond_broadcast(&site->changed);
	while (site->hold)
		pthread_cond_wait(&site->changed, &site->lock);
	pthread_mutex_unlock(&site->lock);
	if (!site->snapshot)
		return -ENOMEM;
	*s = snapshot_ref(site->snapshot);
	return 0;
}

static inline bool site_ready(void *ctx, char *why, size_t size)
{
	struct site *site = ctx;

	snprintf(why, size, "no function of Lustre is observed");
	return !site->unready;
}

static inline struct web_site site_of(struct site *site)
{
	pthread_mutex_init(&site->lock, NULL);
	pthread_cond_init(&site->changed, NULL);
	return (struct web_site){
		.telemetry_path = "/metrics",
		.version = "0.1.0",
		.collect = site_collect,
		.ready = site_ready,
		.ctx = site,
		.limits = web_default_limits,
	};
}

/* Waits until collect() has been called n times. */
static inline void site_await(struct site *site, unsigned int n)
{
	pthread_mutex_lock(&site->lock);
	while (site->begun < n)
		pthread_cond_wait(&site->changed, &site->lock);
	pthread_mutex_unlock(&site->lock);
}

static inline void site_hold(struct site *site, bool hold)
{
	pthread_mutex_lock(&site->lock);
	site->hold = hold;
	pthread_cond_broadcast(&site->changed);
	pthread_mutex_unlock(&site->lock);
}

static inline uint16_t listener_port(const struct listeners *l)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);

	if (getsockname(l->fd[0], (struct sockaddr *)&sa, &len))
		abort();
	return ntohs(sa.sin6_port);
}

static inline int client_connect(uint16_t port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		abort();
	return fd;
}

static inline void client_send(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
		abort();
}

static inline int client_send_to(uint16_t port, const char *text)
{
	int fd = client_connect(port);

	client_send(fd, text);
	return fd;
}

/* Everything up to the end of the connection; the caller frees. */
static inline char *client_read(int fd, size_t *len)
{
	char *text = NULL;
	size_t used = 0, room = 0;
	ssize_t n;

	do {
		if (room - used < 65536) {
			room = used + (1 << 20);
			text = realloc(text, room);
		}
		n = recv(fd, text + used, room - used - 1, 0);
		if (n > 0)
			used += n;
	} while (n > 0);
	text[used] = '\0';
	close(fd);
	if (len)
		*len = used;
	return text;
}

/* One request on a connection of its own; lines are further header lines with CRLF. */
static inline char *client_ask(uint16_t port, const char *method, const char *path,
			       const char *lines)
{
	char request[16384];

	snprintf(request, sizeof(request), "%s %s HTTP/1.0\r\nHost: x\r\n%s\r\n", method, path,
		 lines);
	int fd = client_connect(port);

	client_send(fd, request);
	return client_read(fd, NULL);
}

static inline char *client_get(uint16_t port, const char *path)
{
	return client_ask(port, "GET", path, "");
}

/* What follows the header. */
static inline const char *body_of(const char *response)
{
	const char *end = strstr(response, "\r\n\r\n");

	return end ? end + 4 : "(no header)";
}

static inline int status_of(const char *response)
{
	int status = 0;

	sscanf(response, "HTTP/1.%*d %d", &status);
	return status;
}

#endif
