// SPDX-License-Identifier: Apache-2.0
/*
 * The families made from the table of series, and the walk through a snapshot:
 * each family tells where its values stand and which labels it has.
 */
#include <stdio.h>

#include "ops/table.h"
#include "series/snapshot_private.h"

/* What a family's samples are made from. */
enum source {
	FROM_COUNTERS, /* rows, with the process name */
	FROM_LATENCY,  /* rows */
	FROM_ERRORS,   /* rows, one sample per class */
	FROM_TOTALS,   /* mounts, one sample per op */
	FROM_SIZES,    /* mounts, one sample per direction */
};

struct table_family {
	struct family family;
	enum source source;
	unsigned int has; /* HAS_*: rows without it have no sample */
};

static const struct table_family families[] = {
	{{"lustre_client_access_operations_total", METRIC_COUNTER, "",
	  "Operations of the Lustre client that have ended.", "lustre.client.access.operations"},
	 FROM_COUNTERS,
	 HAS_OPERATIONS},
	{{"lustre_client_data_bytes_total", METRIC_COUNTER, "bytes",
	  "Bytes moved by reads and writes.", "lustre.client.data.bytes"},
	 FROM_COUNTERS,
	 HAS_BYTES},
	{{"lustre_client_operation_errors_total", METRIC_COUNTER, "",
	  "Operations that have failed, by class of error.", "lustre.client.operation.errors"},
	 FROM_ERRORS,
	 0},
	{{"lustre_client_access_duration_seconds", METRIC_HISTOGRAM, "seconds",
	  "Time operations spent inside the Lustre client.", "lustre.client.access.duration"},
	 FROM_LATENCY,
	 HAS_LATENCY},
	{{"lustre_client_fs_operations_total", METRIC_COUNTER, "",
	  "All operations per mount, exact whatever happens to the detailed labels.",
	  "lustre.client.fs.operations"},
	 FROM_TOTALS,
	 HAS_OPERATIONS},
	{{"lustre_client_fs_data_bytes_total", METRIC_COUNTER, "bytes",
	  "All bytes moved per mount, exact whatever happens to the detailed labels.",
	  "lustre.client.fs.data.bytes"},
	 FROM_TOTALS,
	 HAS_BYTES},
	{{"lustre_client_io_size_bytes", METRIC_HISTOGRAM, "bytes",
	  "Sizes asked for by reads and writes.", "lustre.client.io.size"},
	 FROM_SIZES,
	 0},
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

static void label(struct sample_walk *w, const char *name, const char *value)
{
	w->labels[w->sample.n_labels++] = (struct label){name, value};
}

static void label_place(struct sample_walk *w, const struct snapshot_mount *m, enum op_id op)
{
	const char *strings = w->snapshot->strings.base;

	w->sample.n_labels = 0;
	w->sample.labels = w->labels;
	label(w, "fs", strings + m->fs);
	label(w, "mount", strings + m->mount);
	label(w, "access_intent", intent_name(op_table[op].intent));
	label(w, "op", op_table[op].name);
}

static void label_row(struct sample_walk *w, const struct snapshot_row *row, bool process)
{
	const struct series_options *o = &w->snapshot->options;
	const char *strings = w->snapshot->strings.base;

	label_place(w, &w->snapshot->mounts[row->mount], row->op);
	if (o->uid_labels && row->uid == UID_OTHER) {
		label(w, "uid", "other");
		label(w, "username", "other");
	} else if (o->uid_labels) {
		snprintf(w->uid, sizeof(w->uid), "%u", row->uid);
		label(w, "uid", w->uid);
		label(w, "username", strings + row->username);
	}
	if (process)
		label(w, "process", strings + row->process);
	label(w, "actor_type", strings + row->actor);
	if (o->job_labels)
		label(w, "slurm_job_id", strings + row->job);
	w->sample.created_ms = row->created_ms;
}

static bool next_counter(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	while (w->row < s->n_rows) {
		const struct snapshot_row *row = &s->rows[w->row++];

		if (!(row->has & f->has))
			continue;
		label_row(w, row, s->options.process_labels);
		w->sample.kind = VALUE_INTEGER;
		w->sample.integer = f->has == HAS_BYTES ? row->bytes : row->operations;
		return true;
	}
	return false;
}

static bool next_error(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	for (; w->row < s->n_rows; w->row++, w->sub = 0) {
		const struct snapshot_row *row = &s->rows[w->row];

		for (; w->sub < ERRNO_CLASS_MAX; w->sub++) {
			if (!(row->has & HAS_ERROR(w->sub)))
				continue;
			label_row(w, row, s->options.process_labels);
			label(w, "errno_class", errno_class_name(w->sub));
			w->sample.kind = VALUE_INTEGER;
			w->sample.integer = s->values[row->errors + w->sub];
			w->sub++;
			return true;
		}
	}
	return false;
}

static void set_histogram(struct sample_walk *w, struct histogram h)
{
	for (unsigned int b = 0; b < h.n; b++)
		h.count += h.bucket[b];
	w->sample.kind = VALUE_HISTOGRAM;
	w->sample.histogram = h;
}

static bool next_latency(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	while (w->row < s->n_rows) {
		const struct snapshot_row *row = &s->rows[w->row++];

		if (!(row->has & f->has))
			continue;
		label_row(w, row, s->options.process_labels && s->options.histogram_process_labels);
		set_histogram(w, (struct histogram){
					 .layout = &latency_layout,
					 .sum = s->values[row->latency],
					 .first = row->first,
					 .n = row->n,
					 .bucket = &s->values[row->latency + 1],
				 });
		return true;
	}
	return false;
}

static bool next_total(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	for (; w->row < s->n_mounts; w->row++, w->sub = 0) {
		const struct snapshot_mount *m = &s->mounts[w->row];

		while (w->sub < OP_MAX) {
			enum op_id op = w->sub++;

			if (!m->operations[op])
				continue;
			if (f->has == HAS_BYTES && !(op_table[op].flags & OPF_BYTES))
				continue;
			label_place(w, m, op);
			w->sample.created_ms = m->created_ms;
			w->sample.kind = VALUE_INTEGER;
			w->sample.integer = f->has == HAS_BYTES ? m->bytes[op] : m->operations[op];
			return true;
		}
	}
	return false;
}

static bool next_sizes(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	for (; w->row < s->n_mounts; w->row++, w->sub = 0) {
		const struct snapshot_mount *m = &s->mounts[w->row];

		while (w->sub < 2) {
			const struct series_sizes *sizes = &m->sizes[w->sub++];

			if (!sizes->used)
				continue;
			label_place(w, m, sizes == &m->sizes[1] ? OP_WRITE : OP_READ);
			w->sample.created_ms = m->created_ms;
			set_histogram(w, (struct histogram){
						 .layout = &size_layout,
						 .sum = sizes->sum,
						 .n = SIZE_BUCKETS,
						 .bucket = sizes->count,
					 });
			return true;
		}
	}
	return false;
}

static bool (*const next_from[])(struct sample_walk *w, const struct table_family *f) = {
	[FROM_COUNTERS] = next_counter, [FROM_LATENCY] = next_latency, [FROM_ERRORS] = next_error,
	[FROM_TOTALS] = next_total,	[FROM_SIZES] = next_sizes,
};

/* The next sample of family number i into w->sample. */
static bool advance(struct sample_walk *w, unsigned int i)
{
	if (i < FAMILIES)
		return next_from[families[i].source](w, &families[i]);
	return extras_next(w->snapshot->extras, i - FAMILIES, &w->extra, &w->sample);
}

void samples_begin(struct sample_walk *w, const struct snapshot *s)
{
	*w = (struct sample_walk){.snapshot = s};
}

const struct family *samples_next_family(struct sample_walk *w)
{
	for (;;) {
		unsigned int i = w->family;
		const struct family *f;

		f = i < FAMILIES ? &families[i].family
				 : extras_family(w->snapshot->extras, i - FAMILIES);
		if (!f)
			return NULL;
		w->family++;
		w->row = 0;
		w->sub = 0;
		w->extra = NULL;
		w->peeked = advance(w, i);
		if (w->peeked)
			return f;
	}
}

const struct sample *samples_next(struct sample_walk *w)
{
	if (w->peeked) {
		w->peeked = false;
		return &w->sample;
	}
	return advance(w, w->family - 1) ? &w->sample : NULL;
}
