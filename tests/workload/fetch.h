/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole file, or a page by HTTP from an address of this machine. */
#ifndef WORKLOAD_FETCH_H
#define WORKLOAD_FETCH_H

#include <stddef.h>

struct page {
	char *body; /* NUL terminated, the NUL is not counted */
	size_t len;
	int status;   /* HTTP status, 200 for files */
	char *header; /* header lines as received, NULL for files */
};

/*
 * where: "http://A.B.C.D:PORT/PATH", "-" for standard input, else a file name.
 * method: NULL stands for GET. Returns 0 or -errno; -EPROTO: not an HTTP answer
 * or shorter than announced. The caller frees with page_free(), also after an error.
 */
int page_fetch(const char *where, const char *method, struct page *page);
void page_free(struct page *page);

#endif
