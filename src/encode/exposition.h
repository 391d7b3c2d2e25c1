/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as a stream of bytes in one of the formats. Memory is bounded whatever
 * the number of series: bytes are made when they are asked for.
 */
#ifndef ENCODE_EXPOSITION_H
#define ENCODE_EXPOSITION_H

#include <sys/types.h>

#include "encode/encoder.h"

struct exposition;

/* Takes a reference of its own on the snapshot. NULL: no memory. */
struct exposition *exposition_new(struct snapshot *s, const struct encoder *encoder);
void exposition_free(struct exposition *e);

/* The next bytes, at most size: their number, 0 at the end, or -ENOMEM. */
ssize_t exposition_read(struct exposition *e, void *buf, size_t size);

/* All of it to a file descriptor. 0 or -errno. */
int exposition_write(struct snapshot *s, const struct encoder *encoder, int fd);

#endif
