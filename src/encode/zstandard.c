// SPDX-License-Identifier: Apache-2.0
/* An exposition, compressed as it is read, see zstandard.h. */
#include "encode/zstandard.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#define INPUT  16384
#define LEVEL  1  /* label sets repeat so much that more effort saves little */
#define WINDOW 17 /* log2 of bytes: more would be memory for each reader */

struct zstd {
	struct exposition *exposition;
	ZSTD_CCtx *context;
	ZSTD_inBuffer in; /* of input */
	bool input_ended;
	bool ended;
	char input[INPUT];
};

struct zstd *zstd_new(struct exposition *e)
{
	struct zstd *z = calloc(1, sizeof(*z));

	if (z)
		z->context = ZSTD_createCCtx();
	if (!z || !z->context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_windowLog, WINDOW))) {
		if (z)
			ZSTD_freeCCtx(z->context);
		free(z);
		exposition_free(e);
		return NULL;
	}
	z->exposition = e;
	z->in.src = z->input;
	return z;
}

void zstd_free(struct zstd *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->context);
	exposition_free(z->exposition);
	free(z);
}

ssize_t zstd_read(struct zstd *z, void *buf, size_t size)
{
	ZSTD_outBuffer out = {.dst = buf, .size = size};

	while (out.pos < size && !z->ended) {
		size_t left;

		if (z->in.pos == z->in.size && !z->input_ended) {
			ssize_t n = exposition_read(z->exposition, z->input, INPUT);

			if (n < 0)
				return n;
			z->input_ended = n == 0;
			z->in.pos = 0;
			z->in.size = n;
		}
		left = ZSTD_compressStream2(z->context, &out, &z->in,
					    z->input_ended ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM;
		z->ended = z->input_ended && !left;
	}
	return out.pos;
}
