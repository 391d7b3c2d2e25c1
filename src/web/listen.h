/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets. They are opened before anything is attached to the kernel, so
 * that a taken port is a clean failure to start.
 */
#ifndef WEB_LISTEN_H
#define WEB_LISTEN_H

#include <stddef.h>

#include "config/address.h"

#define LISTENERS_MAX 64

struct listeners {
	int fd[LISTENERS_MAX]; /* listening, non-blocking, close-on-exec */
	size_t n;
};

/*
 * Opens all of them or none. An address without a host is every IPv6 and IPv4
 * address of the machine. 0 or -errno, with one line in err.
 */
int web_listen(struct listeners *l, const struct address *addresses, size_t n, char *err,
	       size_t errlen);

/* Takes the sockets that systemd hands over (LISTEN_FDS). 0 or -errno, as above. */
int web_listen_systemd(struct listeners *l, char *err, size_t errlen);

/* Closes them. The file of a Unix socket stays: the next start takes it over. */
void web_unlisten(struct listeners *l);

#endif
