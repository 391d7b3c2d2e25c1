/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as OTLP requests (ExportMetricsServiceRequest). One snapshot may be many
 * requests: each is bounded, and complete in itself.
 */
#ifndef ENCODE_OTLP_H
#define ENCODE_OTLP_H

#include "encode/out.h"
#include "series/snapshot.h"

#define OTLP_REQUEST_MAX (1 << 20) /* bytes after which a request is closed */

/* Who speaks: attributes of the resource, and the scope. The strings outlive the use. */
struct otlp_source {
	const struct label *attributes;
	size_t n_attributes;
	const char *version; /* of the scope, which is named as the exporter */
	bool exponential;    /* histograms exponential rather than with explicit bounds */
};

struct otlp;

/* Takes a reference of its own on the snapshot. NULL: no memory. */
struct otlp *otlp_new(struct snapshot *s, const struct otlp_source *source);
void otlp_free(struct otlp *o);

/* The next request into *request, which is emptied first. Data points in it, 0 at the end, or
 * -ENOMEM. */
int otlp_next(struct otlp *o, struct out *request);

/*
 * The answer of a receiver that took the request. Data points that it refused, and why in
 * why; 0: none. -EINVAL: this is no answer.
 */
int64_t otlp_rejected(const void *body, size_t len, char *why, size_t size);

#endif
