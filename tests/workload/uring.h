/* SPDX-License-Identifier: Apache-2.0 */
/* The least of io_uring: one request at a time. Negative results are -errno. */
#ifndef WORKLOAD_URING_H
#define WORKLOAD_URING_H

#include <linux/io_uring.h>
#include <sys/types.h>

struct uring;

struct uring *uring_open(void); /* NULL: errno tells why */
void uring_close(struct uring *ring);

/* Submits the entry and waits for its completion; returns the request's result. */
long uring_do(struct uring *ring, const struct io_uring_sqe *sqe);

#endif
