/* SPDX-License-Identifier: Apache-2.0 */
/* An exposition, compressed as it is read: memory is bounded as that of the exposition is. */
#ifndef ENCODE_GZIP_H
#define ENCODE_GZIP_H

#include "encode/exposition.h"

struct gzip;

/* Takes over the exposition, also when it fails. NULL: no memory. */
struct gzip *gzip_new(struct exposition *e);
void gzip_free(struct gzip *g);

/* As exposition_read(). */
ssize_t gzip_read(struct gzip *g, void *buf, size_t size);

#endif
