// SPDX-License-Identifier: Apache-2.0
/*
 * A minimal HTTP/1.1 client for addresses given as numbers: the test guest has
 * no room for starting curl a thousand times.
 */
#include "fetch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_SECONDS 120 /* a hung server is an error, not a hung test */

static int read_all(int fd, char **out, size_t *len)
{
	size_t room = 65536, n = 0;
	char *text = malloc(room), *bigger;
	ssize_t got;
	int err = 0;

	if (!text)
		return -ENOMEM;
	while ((got = read(fd, text + n, room - n - 1)) != 0) {
		if (got < 0 && errno == EINTR)
			continue; /* a socket with a time limit is not restarted */
		if (got < 0) {
			err = -errno;
			break;
		}
		n += (size_t)got;
		if (room - n > 1)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (!bigger) {
			err = -ENOMEM;
			break;
		}
		text = bigger;
	}
	text[n] = '\0';
	*out = text;
	*len = n;
	return err;
}

static int connect_to(const char *url, const char **path)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct timeval limit = {.tv_sec = ANSWER_SECONDS};
	char host[64];
	int port, used = 0, fd;

	if (sscanf(url, "http://%63[0-9.]:%d%n", host, &port, &used) != 2 || port < 1 ||
	    port > 65535 || inet_pton(AF_INET, host, &to.sin_addr) != 1)
		return -EINVAL;
	*path = url[used] ? url + used : "/";
	to.sin_port = htons((uint16_t)port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int dechunk(char *body, size_t *len)
{
	char *in = body, *end = body + *len, *out = body, *after;

	for (;;) {
		unsigned long size;

		errno = 0;
		size = strtoul(in, &after, 16);
		if (errno || after == in || end - after < 2 || memcmp(after, "\r\n", 2))
			return -EPROTO;
		in = after + 2;
		if (size == 0)
			break;
		if ((size_t)(end - in) < size + 2)
			return -EPROTO;
		memmove(out, in, size);
		out += size;
		in += size + 2;
	}
	*out = '\0';
	*len = (size_t)(out - body);
	return 0;
}

/* Splits what was received into header and body, in place. */
static int split(struct page *page, char *text, size_t len, bool head)
{
	char *blank = strstr(text, "\r\n\r\n");
	char *length = NULL;

	page->header = text;
	if (!blank || sscanf(text, "HTTP/1.%*d %d", &page->status) != 1)
		return -EPROTO;
	blank[2] = '\0';
	page->len = len - (size_t)(blank + 4 - text);
	page->body = malloc(page->len + 1);
	if (!page->body)
		return -ENOMEM;
	memcpy(page->body, blank + 4, page->len + 1);
	if (!head && strcasestr(text, "\ntransfer-encoding: chunked"))
		return dechunk(page->body, &page->len);
	if (!head)
		length = strcasestr(text, "\ncontent-length:");
	if (length && strtoul(length + 16, NULL, 10) != page->len)
		return -EPROTO;
	return 0;
}

static int http(const char *url, const char *method, struct page *page)
{
	char request[512], *text = NULL;
	const char *path;
	size_t len;
	int fd, n, err;

	fd = connect_to(url, &path);
	if (fd < 0)
		return fd;
	n = snprintf(request, sizeof(request),
		     "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		     method ? method : "GET", path);
	if (n < 0 || (size_t)n >= sizeof(request))
		err = -ENAMETOOLONG;
	else if (write(fd, request, (size_t)n) != n)
		err = -EIO;
	else
		err = read_all(fd, &text, &len);
	close(fd);
	if (!text)
		return err;
	page->header = text;
	return err ? err : split(page, text, len, method && !strcmp(method, "HEAD"));
}

int page_fetch(const char *where, const char *method, struct page *page)
{
	int fd, err;

	memset(page, 0, sizeof(*page));
	if (!strncmp(where, "http://", 7))
		return http(where, method, page);
	fd = strcmp(where, "-") ? open(where, O_RDONLY | O_CLOEXEC) : dup(0);
	if (fd < 0)
		return -errno;
	err = read_all(fd, &page->body, &page->len);
	close(fd);
	page->status = 200;
	return err;
}

void page_free(struct page *page)
{
	free(page->body);
	free(page->header);
	memset(page, 0, sizeof(*page));
}
