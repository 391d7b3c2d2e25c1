// SPDX-License-Identifier: Apache-2.0
/*
 * The families made from the table of series, and the walk through a snapshot:
 * each family tells where its values stand and which labels it has.
 */
#include <stdio.h>

#include "ops/rpc.h"
#include "ops/table.h"
#include "series/snapshot_private.h"

/* What a family's samples are made from. */
enum source {
	FROM_COUNTERS, /* rows, with the process name */
	FROM_LATENCY,  /* rows */
	FROM_ERRORS,   /* rows, one sample per class */
	FROM_TOTALS,   /* mounts, one sample per op */
	FROM_SIZES,    /* mounts, one sample per direction */
	FROM_EVENTS,   /* rows of requests, one sample per event that went wrong */
	FROM_REQUESTS, /* rows of requests: started, completed, under way */
	FROM_STATES,   /* rows of imports, one sample per state */
};

/* What rows are told by; a family is about one of them. */
enum plane { PLANE_OPS, PLANE_RPC, PLANE_RPC_USER, PLANE_RPC_TARGET, PLANE_IMPORT };

static enum plane plane_of(unsigned int op)
{
	return op < OP_MAX			    ? PLANE_OPS
	       : op == CELL_RPC			    ? PLANE_RPC
	       : op == CELL_IMPORT		    ? PLANE_IMPORT
	       : CELL_PLANE(op) == CELL_RPC_USER(0) ? PLANE_RPC_USER
						    : PLANE_RPC_TARGET;
}

struct table_family {
	struct family family;
	enum source source;
	unsigned int has; /* HAS_*: rows without it have no sample */
	enum plane plane;
};

static const struct table_family families[] = {
	{{"lustre_client_access_operations_total", METRIC_COUNTER, "",
	  "Operations of the Lustre client that have ended.", "lustre.client.access.operations"},
	 FROM_COUNTERS,
	 HAS_OPERATIONS,
	 PLANE_OPS},
	{{"lustre_client_data_bytes_total", METRIC_COUNTER, "bytes",
	  "Bytes moved by reads and writes.", "lustre.client.data.bytes"},
	 FROM_COUNTERS,
	 HAS_BYTES,
	 PLANE_OPS},
	{{"lustre_client_operation_errors_total", METRIC_COUNTER, "",
	  "Operations that have failed, by class of error.", "lustre.client.operation.errors"},
	 FROM_ERRORS,
	 0,
	 PLANE_OPS},
	{{"lustre_client_access_duration_seconds", METRIC_HISTOGRAM, "seconds",
	  "Time operations spent inside the Lustre client.", "lustre.client.access.duration"},
	 FROM_LATENCY,
	 HAS_LATENCY,
	 PLANE_OPS},
	{{"lustre_client_fs_operations_total", METRIC_COUNTER, "",
	  "All operations per mount, exact whatever happens to the detailed labels.",
	  "lustre.client.fs.operations"},
	 FROM_TOTALS,
	 HAS_OPERATIONS,
	 PLANE_OPS},
	{{"lustre_client_fs_data_bytes_total", METRIC_COUNTER, "bytes",
	  "All bytes moved per mount, exact whatever happens to the detailed labels.",
	  "lustre.client.fs.data.bytes"},
	 FROM_TOTALS,
	 HAS_BYTES,
	 PLANE_OPS},
	{{"lustre_client_io_size_bytes", METRIC_HISTOGRAM, "bytes",
	  "Sizes asked for by reads and writes.", "lustre.client.io.size"},
	 FROM_SIZES,
	 0,
	 PLANE_OPS},
	{{"lustre_client_rpc_wait_operations_total", METRIC_COUNTER, "",
	  "Waits of a thread for the answer to a request of its own.",
	  "lustre.client.rpc.wait.operations"},
	 FROM_COUNTERS,
	 HAS_OPERATIONS,
	 PLANE_RPC},
	{{"lustre_client_rpc_wait_duration_seconds", METRIC_HISTOGRAM, "seconds",
	  "How long threads waited for the answer to a request of their own.",
	  "lustre.client.rpc.wait.duration"},
	 FROM_LATENCY,
	 HAS_LATENCY,
	 PLANE_RPC},
	{{"lustre_client_rpc_errors_total", METRIC_COUNTER, "",
	  "What befell requests on their way: sent again, expired, server did not know the client.",
	  "lustre.client.rpc.errors"},
	 FROM_EVENTS,
	 0,
	 PLANE_RPC},
	{{"lustre_client_inflight_requests", METRIC_GAUGE, "",
	  "Requests handed over that are not over.", "lustre.client.inflight.requests"},
	 FROM_REQUESTS,
	 HAS_INFLIGHT,
	 PLANE_RPC},
	{{"lustre_client_ptlrpc_requests_started_total", METRIC_COUNTER, "",
	  "Requests handed over to be sent.", "lustre.client.ptlrpc.requests.started"},
	 FROM_REQUESTS,
	 HAS_ERROR(RPC_STARTED),
	 PLANE_RPC},
	{{"lustre_client_ptlrpc_requests_completed_total", METRIC_COUNTER, "",
	  "Requests that are over, whatever their result.",
	  "lustre.client.ptlrpc.requests.completed"},
	 FROM_REQUESTS,
	 HAS_ERROR(RPC_COMPLETED),
	 PLANE_RPC},
	{{"lustre_client_rpc_user_requests_total", METRIC_COUNTER, "",
	  "Requests that are over, by who handed them over.", "lustre.client.rpc.user.requests"},
	 FROM_COUNTERS,
	 HAS_OPERATIONS,
	 PLANE_RPC_USER},
	{{"lustre_client_rpc_user_bytes_total", METRIC_COUNTER, "bytes",
	  "Bytes moved in bulk by requests, by who handed them over.",
	  "lustre.client.rpc.user.bytes"},
	 FROM_COUNTERS,
	 HAS_BYTES,
	 PLANE_RPC_USER},
	{{"lustre_client_rpc_requests_total", METRIC_COUNTER, "",
	  "Requests that are over, by server target.", "lustre.client.rpc.requests"},
	 FROM_COUNTERS,
	 HAS_OPERATIONS,
	 PLANE_RPC_TARGET},
	{{"lustre_client_rpc_request_errors_total", METRIC_COUNTER, "",
	  "Requests that have failed, by server target and class of error.",
	  "lustre.client.rpc.request.errors"},
	 FROM_ERRORS,
	 0,
	 PLANE_RPC_TARGET},
	{{"lustre_client_rpc_bytes_total", METRIC_COUNTER, "bytes",
	  "Bytes moved in bulk by requests, by server target.", "lustre.client.rpc.bytes"},
	 FROM_COUNTERS,
	 HAS_BYTES,
	 PLANE_RPC_TARGET},
	{{"lustre_client_rpc_duration_seconds", METRIC_HISTOGRAM, "seconds",
	  "Time from a request's last transmission to its reply, or to its end without one.",
	  "lustre.client.rpc.duration"},
	 FROM_LATENCY,
	 HAS_LATENCY,
	 PLANE_RPC_TARGET},
	{{"lustre_client_import_state_changes_total", METRIC_COUNTER, "",
	  "How often the connection to a server target went into a state.",
	  "lustre.client.import.state.changes"},
	 FROM_STATES,
	 HAS_LATENCY,
	 PLANE_IMPORT},
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

static void label(struct sample_walk *w, const char *name, const char *value)
{
	w->labels[w->sample.n_labels++] = (struct label){name, value};
}

static void label_mount(struct sample_walk *w, const struct snapshot_mount *m)
{
	const char *strings = w->snapshot->strings.base;

	w->sample.n_labels = 0;
	w->sample.labels = w->labels;
	label(w, "fs", strings + m->fs);
	label(w, "mount", strings + m->mount);
}

static void label_place(struct sample_walk *w, const struct snapshot_mount *m, enum op_id op)
{
	label_mount(w, m);
	label(w, "access_intent", intent_name(op_table[op].intent));
	label(w, "op", op_table[op].name);
}

static void label_opcode(struct sample_walk *w, const struct snapshot_row *row)
{
	label(w, "opcode", opcode_name(CELL_OPCODE(row->op), w->opcode));
}

static void label_row(struct sample_walk *w, const struct table_family *f,
		      const struct snapshot_row *row, bool process)
{
	const struct series_options *o = &w->snapshot->options;
	const struct snapshot_mount *m = &w->snapshot->mounts[row->mount];
	const char *strings = w->snapshot->strings.base;

	w->sample.created_ms = row->created_ms;
	switch (f->plane) {
	case PLANE_OPS:
		label_place(w, m, row->op);
		break;
	case PLANE_RPC:
		label_mount(w, m);
		if (f->has & (HAS_OPERATIONS | HAS_LATENCY))
			label(w, "op", "queue_wait");
		break;
	case PLANE_RPC_USER:
		label_mount(w, m);
		label_opcode(w, row);
		break;
	case PLANE_RPC_TARGET:
	case PLANE_IMPORT:
		label_mount(w, m);
		label(w, "target", strings + row->process);
		if (f->plane == PLANE_RPC_TARGET)
			label_opcode(w, row);
		return;
	}
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
}

/* Whether the family has a sample of the row. */
static bool is_in(const struct snapshot_row *row, const struct table_family *f)
{
	return plane_of(row->op) == f->plane && (!f->has || row->has & f->has);
}

static bool next_counter(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	while (w->row < s->n_rows) {
		const struct snapshot_row *row = &s->rows[w->row++];

		if (!is_in(row, f))
			continue;
		label_row(w, f, row, s->options.process_labels);
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

		for (; w->sub < ERRNO_CLASS_MAX && is_in(row, f); w->sub++) {
			if (!(row->has & HAS_ERROR(w->sub)))
				continue;
			label_row(w, f, row, s->options.process_labels);
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

		if (!is_in(row, f))
			continue;
		label_row(w, f, row,
			  s->options.process_labels && s->options.histogram_process_labels);
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

static bool next_event(struct sample_walk *w, const struct table_family *f)
{
	static const char *const events[RPC_EVENT_MAX] = {
		[RPC_RESEND] = "resend",
		[RPC_RESTART] = "restart",
		[RPC_EXPIRE] = "expire",
		[RPC_NOTCONN] = "notconn",
	};
	const struct snapshot *s = w->snapshot;

	for (; w->row < s->n_rows; w->row++, w->sub = 0) {
		const struct snapshot_row *row = &s->rows[w->row];

		for (; w->sub < RPC_EVENT_MAX && is_in(row, f); w->sub++) {
			if (!events[w->sub] || !(row->has & HAS_ERROR(w->sub)))
				continue;
			label_row(w, f, row, s->options.process_labels);
			label(w, "event", events[w->sub]);
			w->sample.kind = VALUE_INTEGER;
			w->sample.integer = s->values[row->errors + w->sub];
			w->sub++;
			return true;
		}
	}
	return false;
}

static bool next_requests(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	while (w->row < s->n_rows) {
		const struct snapshot_row *row = &s->rows[w->row++];
		uint64_t started, completed;

		if (!is_in(row, f))
			continue;
		started = s->values[row->errors + RPC_STARTED];
		completed = s->values[row->errors + RPC_COMPLETED];
		label_row(w, f, row, s->options.process_labels);
		w->sample.kind = VALUE_INTEGER;
		w->sample.integer = f->has == HAS_ERROR(RPC_STARTED)	 ? started
				    : f->has == HAS_ERROR(RPC_COMPLETED) ? completed
				    : started > completed		 ? started - completed
									 : 0;
		if (f->has == HAS_INFLIGHT)
			w->sample.created_ms = 0;
		return true;
	}
	return false;
}

static bool next_state(struct sample_walk *w, const struct table_family *f)
{
	const struct snapshot *s = w->snapshot;

	for (; w->row < s->n_rows; w->row++, w->sub = 0) {
		const struct snapshot_row *row = &s->rows[w->row];

		while (is_in(row, f) && w->sub < row->n) {
			unsigned int i = w->sub++;
			uint64_t n = s->values[row->latency + 1 + i];

			if (!n)
				continue;
			label_row(w, f, row, true);
			label(w, "state", import_state_name(row->first + i));
			w->sample.kind = VALUE_INTEGER;
			w->sample.integer = n;
			return true;
		}
	}
	return false;
}

static bool (*const next_from[])(struct sample_walk *w, const struct table_family *f) = {
	[FROM_COUNTERS] = next_counter,	 [FROM_LATENCY] = next_latency, [FROM_ERRORS] = next_error,
	[FROM_TOTALS] = next_total,	 [FROM_SIZES] = next_sizes,	[FROM_EVENTS] = next_event,
	[FROM_REQUESTS] = next_requests, [FROM_STATES] = next_state,
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
