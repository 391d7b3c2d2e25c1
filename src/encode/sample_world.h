/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the encoders: one small snapshot with every kind of sample, and
 * strings that need care in every format.
 */
#ifndef ENCODE_SAMPLE_WORLD_H
#define ENCODE_SAMPLE_WORLD_H

#include "encode/exposition.h"
#include "series/testing.h"

#define WORLD_STARTED_MS 1699999990500 /* of the exporter */
#define WORLD_PASS_MS	 1700000000250 /* of the only pass */

static const struct family world_build_info = {"lustre_ebpf_exporter_build_info", METRIC_INFO, "",
					       "What \"this\" is: \\ and\nmore.", NULL};
static const struct family world_seconds = {"process_cpu_seconds_total", METRIC_COUNTER, "seconds",
					    "CPU time.", NULL};
static const struct family world_age = {"lustre_client_oldest_operation_age_seconds", METRIC_GAUGE,
					"seconds", "Age.", NULL};

static inline struct snapshot *sample_world(void)
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .job_labels = true, .max_series = 1000};
	struct intern *strings = intern_new();
	struct series_table *t = series_table_new(&options, strings);
	struct series_key key = {.op = OP_READ, .uid = 1000};
	struct series_delta d = {.bytes = 8192, .latency_sum_ns = 10000 + 10001 + 200000000000};
	struct size_cell sizes = {.sum = 3 * 4096, .count = {[12] = 3}};
	struct extras *x = extras_new(WORLD_STARTED_MS);
	struct snapshot *s = NULL;

	series_begin(t, 1000, WORLD_PASS_MS);
	if (series_mount_get(t, "lus", "/mnt/my fs", &key.mount) ||
	    intern_get(strings, "a\"b\\c\nd\xff", &key.process) ||
	    intern_get(strings, "batch_job", &key.actor) || intern_get(strings, "42", &key.job))
		abort();
	/* At the first classic bound, one above it, and above all bounds. */
	for (unsigned int b = 0; b < LATENCY_BOUNDS; b++)
		if (latency_bound_ns[b] == 10000)
			d.latency[b] = d.latency[b + 1] = 1;
	d.latency[LATENCY_BOUNDS] = 1;
	d.errors[ERRNO_IO] = 1;
	if (series_add(t, &key, &d))
		abort();
	series_add_sizes(t, key.mount, false, &sizes);
	if (EXTRAS_ADD(x, &world_build_info, 1, {"version", "0.1.0"},
		       {"revision", "\xc3\xa9\xe9"}) ||
	    extras_add(x, &world_seconds, 0.25, NULL, 0) ||
	    EXTRAS_ADD(x, &world_age, 1e-7, {"op", "read"}) ||
	    EXTRAS_ADD(x, &world_age, 3, {"op", "write"}))
		abort();
	if (snapshot_take(t, x, testing_username, NULL, WORLD_PASS_MS, &s))
		abort();
	intern_put(strings, key.process);
	intern_put(strings, key.actor);
	intern_put(strings, key.job);
	series_table_free(t);
	intern_free(strings);
	return s;
}

/* The whole exposition, read in pieces of that size; *len without the final NUL. */
static inline char *world_encode(struct snapshot *s, const struct encoder *encoder, size_t piece,
				 size_t *len)
{
	struct exposition *e = exposition_new(s, encoder);
	char *text = NULL;
	ssize_t n;

	*len = 0;
	do {
		text = realloc(text, *len + piece + 1);
		n = exposition_read(e, text + *len, piece);
		if (n < 0)
			abort();
		*len += n;
	} while (n > 0);
	text[*len] = '\0';
	exposition_free(e);
	return text;
}

#endif
