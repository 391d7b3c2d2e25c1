// SPDX-License-Identifier: Apache-2.0
/* Listening sockets, see listen.h. */
#include "web/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "util/log.h"

#define BACKLOG 128

/* The address as it was written, for messages. */
static const char *address_text(const struct address *a, char *text, size_t size)
{
	if (a->kind == ADDRESS_UNIX)
		snprintf(text, size, "unix:%s", a->name);
	else if (strchr(a->name, ':'))
		snprintf(text, size, "[%s]:%u", a->name, a->port);
	else
		snprintf(text, size, "%s:%u", a->name, a->port);
	return text;
}

static int fail(const struct address *a, int error, char *err, size_t errlen)
{
	char text[ADDRESS_HOST_MAX + 16];
	const char *hint = "";

	if (error == EADDRINUSE)
		hint = " (is another exporter running? choose --web.listen-address)";
	else if (error == EACCES)
		hint = " (ports below 1024 need CAP_NET_BIND_SERVICE; choose --web.listen-address)";
	else if (error == EADDRNOTAVAIL)
		hint = " (this machine does not have that address; choose --web.listen-address)";
	snprintf(err, errlen, "cannot listen on %s: %s%s", address_text(a, text, sizeof(text)),
		 error == EADDRINUSE ? "address already in use" : strerror(error), hint);
	return -error;
}

static int open_socket(int family, const struct sockaddr *sa, socklen_t len)
{
	const int on = 1, off = 0;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	if (family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* [::] takes IPv4 too; a definite IPv6 address has no use for it. */
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, sa, len) && !listen(fd, BACKLOG))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* Every address of the machine: IPv6 with IPv4 mapped, or IPv4 where there is no IPv6. */
static int open_any(uint16_t port)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6, .sin6_addr = in6addr_any, .sin6_port = htons(port)};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = open_socket(AF_INET6, (struct sockaddr *)&in6, sizeof(in6));

	if (fd != -EAFNOSUPPORT && fd != -EADDRNOTAVAIL)
		return fd;
	return open_socket(AF_INET, (struct sockaddr *)&in, sizeof(in));
}

/* Does nobody answer behind the socket file? */
static bool is_stale(const struct sockaddr_un *un)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool stale;

	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)un, sizeof(*un)) && errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static int open_unix(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd;

	memcpy(un.sun_path, path, strlen(path));
	fd = open_socket(AF_UNIX, (struct sockaddr *)&un, sizeof(un));
	if (fd == -EADDRINUSE && is_stale(&un) && !unlink(path))
		fd = open_socket(AF_UNIX, (struct sockaddr *)&un, sizeof(un));
	return fd;
}

static int add(struct listeners *l, int fd)
{
	if (l->n == LISTENERS_MAX) {
		close(fd);
		return -EMFILE;
	}
	l->file[l->n].path[0] = '\0';
	l->fd[l->n++] = fd;
	return 0;
}

static int add_any(struct listeners *l, uint16_t port)
{
	int fd = open_any(port);

	return fd < 0 ? fd : add(l, fd);
}

/* With the file that it has made, to be known again. */
static int add_unix(struct listeners *l, const char *path)
{
	int fd = open_unix(path), error;
	struct socket_file *file;
	struct stat st;

	if (fd < 0)
		return fd;
	error = add(l, fd);
	if (error || lstat(path, &st))
		return error;
	file = &l->file[l->n - 1];
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	snprintf(file->path, sizeof(file->path), "%s", path);
	return 0;
}

/* Only what was made here: another exporter may have put its own in that place. */
static void remove_file(const struct socket_file *file)
{
	struct stat st;

	if (file->path[0] && !lstat(file->path, &st) && st.st_dev == file->dev &&
	    st.st_ino == file->ino)
		unlink(file->path);
}

/* A name may have several addresses; all of them are listened on. */
static int listen_host(struct listeners *l, const struct address *a, char *err, size_t errlen)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *list;
	char port[8], text[ADDRESS_HOST_MAX + 16];
	int error;

	snprintf(port, sizeof(port), "%u", a->port);
	error = getaddrinfo(a->name, port, &hints, &list);
	if (error) {
		snprintf(err, errlen, "cannot listen on %s: %s",
			 address_text(a, text, sizeof(text)), gai_strerror(error));
		return -EADDRNOTAVAIL;
	}
	for (const struct addrinfo *ai = list; ai && !error; ai = ai->ai_next) {
		error = open_socket(ai->ai_family, ai->ai_addr, ai->ai_addrlen);
		if (error >= 0)
			error = add(l, error);
	}
	freeaddrinfo(list);
	return error ? fail(a, -error, err, errlen) : 0;
}

int web_listen(struct listeners *l, const struct address *addresses, size_t n, char *err,
	       size_t errlen)
{
	l->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct address *a = &addresses[i];
		int error;

		if (a->kind == ADDRESS_INET && a->name[0]) {
			error = listen_host(l, a, err, errlen);
		} else {
			error = a->kind == ADDRESS_UNIX ? add_unix(l, a->name)
							: add_any(l, a->port);
			if (error)
				fail(a, -error, err, errlen);
		}
		if (error) {
			web_unlisten(l);
			return error;
		}
	}
	return 0;
}

int web_listen_systemd(struct listeners *l, char *err, size_t errlen)
{
	int n = sd_listen_fds(1);

	l->n = 0;
	if (n <= 0) {
		snprintf(err, errlen,
			 "--web.systemd-socket: systemd handed over no socket (is the .socket unit "
			 "started and does it name this service?)");
		return -ENOENT;
	}
	for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + n; fd++) {
		if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0) {
			snprintf(err, errlen,
				 "--web.systemd-socket: file descriptor %d is not a listening "
				 "stream socket (the unit needs ListenStream= and Accept=no)",
				 fd);
			return -EINVAL;
		}
		if (add(l, fd))
			log_warn("more than %d sockets from systemd, the rest is not served",
				 LISTENERS_MAX);
	}
	return 0;
}

void web_unlisten(struct listeners *l)
{
	for (size_t i = 0; i < l->n; i++) {
		remove_file(&l->file[i]);
		close(l->fd[i]);
	}
	l->n = 0;
}
