/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushing to an OTLP receiver over HTTP, in a thread of its own. Values are cumulative:
 * a push that fails for good loses resolution, not counts.
 */
#ifndef WEB_PUSH_H
#define WEB_PUSH_H

#include <stdint.h>

#include "series/snapshot.h"
#include "web/push_config.h"

struct pusher;

struct push_site {
	const char *version;

	/* As of struct web_site, but from the pusher's thread. */
	int (*collect)(void *ctx, struct snapshot **s);

	/* Waits; false: the pusher stops. NULL: by the clock. (Tests do not wait.) */
	bool (*wait)(void *ctx, unsigned int ms);
	void *ctx;
};

struct push_stats {
	uint64_t requests; /* taken by the receiver */
	uint64_t failed;   /* given up */
	uint64_t points;   /* data points in what was taken, the rejected ones included */
	uint64_t rejected;
};

/* The configuration must outlive the pusher. 0 or -errno, with one line in err. */
int push_start(struct pusher **pusher, const struct push_config *config,
	       const struct push_site *site, char *err, size_t errlen);

/* Ends a transfer that is under way, after one last push if flush. */
void push_stop(struct pusher *p, bool flush);

void push_stats(struct pusher *p, struct push_stats *stats);

#endif
