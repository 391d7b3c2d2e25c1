/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways out while the exporter runs: the web server and the OTLP push. What can
 * be wrong with them is found before a probe is armed: a taken port, a bad web
 * configuration, a bad endpoint.
 */
#ifndef EXPORTER_OUTLETS_H
#define EXPORTER_OUTLETS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/options.h"
#include "series/snapshot.h"

struct outlets;

/* Where the outlets get what they hand out; see struct web_site. */
struct outlet_source {
	int (*collect)(void *ctx, struct snapshot **s);
	bool (*ready)(void *ctx, char *why, size_t size);
	void *ctx;
};

/*
 * Opens what the options ask for; nothing with --once and --dry-run. Returns 0 or
 * -errno, with one line in err.
 */
int outlets_open(struct outlets **outlets, const struct options *options, char *err, size_t errlen);

/* Begins to hand out. Starts threads. Returns 0 or -errno, with one line in err. */
int outlets_start(struct outlets *o, const struct outlet_source *source, char *err, size_t errlen);

/* Ends all of it, with a last push; no callback runs any more when it returns. */
void outlets_stop(struct outlets *o);

#endif
