/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open connections, with a deadline each. The library's own time-out is one of
 * inactivity, which a client that sends or reads a byte a second never meets; these
 * deadlines are not moved by bytes.
 *
 * When there is no room for a new connection, the one that has least claim goes:
 * whoever has not sent a whole request, the longest waiting first, then idle ones,
 * then the longest running response. Idle crowds cannot keep a scrape out.
 */
#ifndef WEB_CONNECTIONS_H
#define WEB_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CONNECTIONS_MAX 1024

enum phase {
	PHASE_REQUEST, /* TLS handshake and header are being read */
	PHASE_IDLE,    /* kept alive between two requests */
	PHASE_RESPONSE,
};

/* Milliseconds. */
struct web_limits {
	unsigned int connections;
	unsigned int request_ms;  /* from connect to the end of the header */
	unsigned int idle_ms;	  /* between two requests, the second one's header included */
	unsigned int response_ms; /* from the header's end to the last byte */
};

extern const struct web_limits web_default_limits;

struct connection {
	struct connection *next, **prev;
	int fd;		    /* a duplicate: stays ours when the library closes its own */
	int library_fd;	    /* the library's, -1 when it has told us of the connection */
	const void *policy; /* that its TLS session holds on to */
	enum phase phase;
	uint64_t pass; /* of collection, whose snapshot its response holds; 0: none */
	uint64_t since_ms;
	uint64_t deadline_ms; /* UINT64_MAX: shut down already */
};

struct connections {
	pthread_mutex_t lock;
	struct web_limits limits;
	struct connection *list; /* the newest first */
};

void connections_init(struct connections *cs, const struct web_limits *limits);
void connections_destroy(struct connections *cs);

/*
 * A connection begins; fd goes to the library, which tells in its own thread that it
 * has begun: connection_claim(). False: no memory or no descriptor.
 */
bool connection_open(struct connections *cs, int fd);

/* The connection of the library's fd; NULL if it was ended before it began. */
struct connection *connection_claim(struct connections *cs, int fd);
void connection_close(struct connections *cs, struct connection *c);

/* Enters a phase; its deadline is the limit's, or within_ms if that is nearer and not 0. */
void connection_enter(struct connections *cs, struct connection *c, enum phase phase,
		      unsigned int within_ms);

/*
 * The response of a connection holds the snapshot of a pass. Where more than
 * SNAPSHOTS_MAX are held, the readers of the oldest ones are sent away: slow readers
 * cannot make memory grow.
 */
#define SNAPSHOTS_MAX 4
void connection_hold(struct connections *cs, struct connection *c, uint64_t pass);
void connections_shed(struct connections *cs);

/* Ends what is over its deadline. */
void connections_tick(struct connections *cs);

/* Ends one connection if there are as many as there may be. */
void connections_make_room(struct connections *cs);

#endif
