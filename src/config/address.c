// SPDX-License-Identifier: Apache-2.0
/* Syntax of listen addresses; the same forms as Go's net.Listen, and unix:. */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "util/parse.h"

#define UNIX_PREFIX "unix:"

static int fail(const char **why, const char *text)
{
	*why = text;
	return -EINVAL;
}

static int parse_unix(struct address *address, const char *path, const char **why)
{
	size_t len = strlen(path);

	if (path[0] != '/')
		return fail(why, "needs an absolute path after unix:");
	if (len > ADDRESS_PATH_MAX)
		return fail(why, "is longer than the 107 bytes of a socket's path");
	address->kind = ADDRESS_UNIX;
	address->port = 0;
	memcpy(address->name, path, len + 1);
	return 0;
}

#define NAME_CHARS                                                       \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"-._"

/* An IPv6 address between brackets, with a zone (%eth0) perhaps. */
static int check_ipv6(const char *host, size_t len)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	const char *zone = memchr(host, '%', len);
	size_t n = zone ? (size_t)(zone - host) : len;

	if (n >= sizeof(text))
		return -EINVAL;
	if (zone && (n + 1 == len || strspn(zone + 1, NAME_CHARS) < len - n - 1))
		return -EINVAL;
	memcpy(text, host, n);
	text[n] = '\0';
	return inet_pton(AF_INET6, text, &addr) == 1 ? 0 : -EINVAL;
}

int address_parse(struct address *address, const char *text, const char **why)
{
	const char *colon = strrchr(text, ':'), *host = text;
	size_t len;
	uint64_t port;

	if (!strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)))
		return parse_unix(address, text + strlen(UNIX_PREFIX), why);
	if (!colon || strchr(colon, ']'))
		return fail(why, "has no port, as in :9108");
	if (parse_digits(colon + 1, strlen(colon + 1), UINT16_MAX, &port))
		return fail(why, "has a port that is not a number from 0 to 65535");

	len = colon - host;
	if (len && host[0] == '[') {
		if (host[len - 1] != ']' || check_ipv6(host + 1, len - 2))
			return fail(why, "has no IPv6 address between its brackets");
		host++;
		len -= 2;
	} else if (memchr(host, ':', len)) {
		return fail(why, "has an IPv6 address without brackets, as in [::1]:9108");
	} else if (strspn(host, NAME_CHARS) < len) {
		return fail(why, "has characters in its host that no host name has");
	}
	if (len > ADDRESS_HOST_MAX)
		return fail(why, "has a host that is too long");
	address->kind = ADDRESS_INET;
	address->port = port;
	memcpy(address->name, host, len);
	address->name[len] = '\0';
	return 0;
}
