/* SPDX-License-Identifier: Apache-2.0 */
/* The reading end of a BPF ring buffer, through mapped memory alone. */
#ifndef HELPER_RING_H
#define HELPER_RING_H

#include <stddef.h>

struct ring;

typedef void (*ring_fn)(void *ctx, const void *record, size_t size);

/* Takes the descriptor of the map over, also on failure; bytes: its max_entries. 0 or -errno. */
int ring_open(struct ring **ring, int fd, size_t bytes);
void ring_close(struct ring *ring);

/* Readable when there is a record. */
int ring_fd(const struct ring *ring);

/* Hands what is complete to fn. One thread at a time. */
void ring_drain(struct ring *ring, ring_fn fn, void *ctx);

#endif
