/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of this stage and of the encoders: label sets by hand, and the
 * samples of a table as lines of text, written with none of the encoders.
 */
#ifndef SERIES_TESTING_H
#define SERIES_TESTING_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series/snapshot.h"

/* A name that depends on the uid only. */
static inline const char *testing_username(void *ctx, uint32_t uid)
{
	static char name[32];

	snprintf(name, sizeof(name), "user%u", uid);
	return name;
}

/* operations of ns nanoseconds each. */
static inline struct series_delta testing_delta(uint64_t operations, uint64_t ns, uint64_t bytes)
{
	struct series_delta d = {.bytes = bytes, .latency_sum_ns = operations * ns};
	unsigned int b = 0;

	while (b < LATENCY_BOUNDS && ns > latency_bound_ns[b])
		b++;
	d.latency[b] = operations;
	return d;
}

/* family{label=value,...}, without the value; the caller frees. */
static inline char *testing_line(const struct family *f, const struct sample *s)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	fprintf(out, "%s{", f->name);
	for (unsigned int i = 0; i < s->n_labels; i++)
		fprintf(out, "%s%s=%s", i ? "," : "", s->labels[i].name, s->labels[i].value);
	fprintf(out, "}");
	fclose(out);
	return line;
}

/* What a counter counts or a histogram has counted. */
static inline uint64_t testing_value(const struct sample *s)
{
	if (s->kind == VALUE_REAL)
		return (uint64_t)s->real;
	return s->kind == VALUE_HISTOGRAM ? s->histogram.count : s->integer;
}

/* The value of the sample of that line; UINT64_MAX: there is none. */
static inline uint64_t testing_find(struct series_table *t, const char *wanted)
{
	uint64_t value = UINT64_MAX;
	struct snapshot *snapshot;
	const struct sample *s;
	const struct family *f;
	struct sample_walk w;

	if (snapshot_take(t, NULL, testing_username, NULL, 0, &snapshot))
		abort();
	samples_begin(&w, snapshot);
	while ((f = samples_next_family(&w))) {
		while ((s = samples_next(&w))) {
			char *line = testing_line(f, s);

			if (!strcmp(line, wanted))
				value = testing_value(s);
			free(line);
		}
	}
	snapshot_put(snapshot);
	return value;
}

#endif
