// SPDX-License-Identifier: Apache-2.0
/* Drives an encoder through a snapshot, see exposition.h. */
#include "encode/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Encoded ahead of what is asked for, so that the walk is not left for every line. */
#define BATCH 16384

struct exposition {
	struct snapshot *snapshot;
	const struct encoder *encoder;
	struct sample_walk walk;
	const struct family *family; /* the current one; NULL: between two */
	bool begun;
	bool ended;
	struct out out;
	size_t taken; /* bytes of out that were handed out */
};

struct exposition *exposition_new(struct snapshot *s, const struct encoder *encoder)
{
	struct exposition *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->snapshot = snapshot_ref(s);
	e->encoder = encoder;
	samples_begin(&e->walk, s);
	return e;
}

void exposition_free(struct exposition *e)
{
	if (!e)
		return;
	snapshot_put(e->snapshot);
	out_free(&e->out);
	free(e);
}

/* Encodes one thing more. */
static void step(struct exposition *e)
{
	const struct sample *s;

	if (!e->family) {
		e->family = samples_next_family(&e->walk);
		if (e->family) {
			if (e->encoder->family)
				e->encoder->family(&e->out, e->family, &e->walk);
			return;
		}
		if (e->encoder->end)
			e->encoder->end(&e->out);
		e->ended = true;
		return;
	}
	s = samples_next(&e->walk);
	if (s)
		e->encoder->sample(&e->out, e->family, s);
	else
		e->family = NULL;
}

ssize_t exposition_read(struct exposition *e, void *buf, size_t size)
{
	size_t n;

	if (e->taken == e->out.len) {
		e->taken = e->out.len = 0;
		if (!e->begun && e->encoder->begin)
			e->encoder->begin(&e->out);
		e->begun = true;
		while (!e->ended && e->out.len < BATCH)
			step(e);
		if (e->out.failed)
			return -ENOMEM;
	}
	n = e->out.len - e->taken;
	if (n > size)
		n = size;
	memcpy(buf, e->out.base + e->taken, n);
	e->taken += n;
	return n;
}

static int write_all(int fd, const char *buf, size_t size)
{
	while (size) {
		ssize_t n = write(fd, buf, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		buf += n;
		size -= n;
	}
	return 0;
}

int exposition_write(struct snapshot *s, const struct encoder *encoder, int fd)
{
	struct exposition *e = exposition_new(s, encoder);
	char buf[BATCH];
	ssize_t n;
	int err = 0;

	if (!e)
		return -ENOMEM;
	while ((n = exposition_read(e, buf, sizeof(buf))) > 0) {
		err = write_all(fd, buf, n);
		if (err)
			break;
	}
	exposition_free(e);
	return n < 0 ? (int)n : err;
}
