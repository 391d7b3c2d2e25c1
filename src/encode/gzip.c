// SPDX-License-Identifier: Apache-2.0
/* An exposition, compressed as it is read, see gzip.h. */
#include "encode/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define INPUT	    16384
#define WINDOW_GZIP (15 + 16) /* largest window, gzip header and trailer */
#define MEMORY	    8	      /* zlib's default: 256 KB in all */

struct gzip {
	struct exposition *exposition;
	z_stream z;
	bool input_ended;
	bool ended;
	char input[INPUT];
};

struct gzip *gzip_new(struct exposition *e)
{
	struct gzip *g = calloc(1, sizeof(*g));

	/* Label sets repeat so much that more effort saves little. */
	if (!g || deflateInit2(&g->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_GZIP, MEMORY,
			       Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		exposition_free(e);
		return NULL;
	}
	g->exposition = e;
	return g;
}

void gzip_free(struct gzip *g)
{
	if (!g)
		return;
	deflateEnd(&g->z);
	exposition_free(g->exposition);
	free(g);
}

ssize_t gzip_read(struct gzip *g, void *buf, size_t size)
{
	g->z.next_out = buf;
	g->z.avail_out = size;
	while (g->z.avail_out && !g->ended) {
		if (!g->z.avail_in && !g->input_ended) {
			ssize_t n = exposition_read(g->exposition, g->input, INPUT);

			if (n < 0)
				return n;
			g->input_ended = n == 0;
			g->z.next_in = (Bytef *)g->input;
			g->z.avail_in = n;
		}
		g->ended = deflate(&g->z, g->input_ended ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
	}
	return size - g->z.avail_out;
}
