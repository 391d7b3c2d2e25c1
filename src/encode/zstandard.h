/* SPDX-License-Identifier: Apache-2.0 */
/* As gzip.h, by Zstandard: for clients that ask for it. */
#ifndef ENCODE_ZSTANDARD_H
#define ENCODE_ZSTANDARD_H

#include "encode/exposition.h"

struct zstd;

/* Takes over the exposition, also when it fails. NULL: no memory. */
struct zstd *zstd_new(struct exposition *e);
void zstd_free(struct zstd *z);

/* As exposition_read(). */
ssize_t zstd_read(struct zstd *z, void *buf, size_t size);

#endif
