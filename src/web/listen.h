/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets. They are opened before anything is attached to the kernel, so
 * that a taken port is a clean failure to start.
 */
#ifndef WEB_LISTEN_H
#define WEB_LISTEN_H

#include <stddef.h>
#include <sys/types.h>

#include "config/address.h"

#define LISTENERS_MAX 64

/* The file of a Unix socket that was made here. */
struct socket_file {
	char path[ADDRESS_PATH_MAX + 1]; /* empty: none */
	dev_t dev;
	ino_t ino;
};

struct listeners {
	int fd[LISTENERS_MAX]; /* listening, non-blocking, close-on-exec */
	struct socket_file file[LISTENERS_MAX];
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

/*
 * Closes them. The file of a Unix socket goes if it is still the one that was made here
 * and this process may remove it; if not, the next start takes it over.
 */
void web_unlisten(struct listeners *l);

#endif
