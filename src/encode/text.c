// SPDX-License-Identifier: Apache-2.0
/*
 * Prometheus text format 0.0.4. Version 1.0.0 is the same for names and labels of
 * plain ASCII, which all of ours are.
 */
#include "encode/encoder.h"
#include "encode/labels.h"

static const char *const types[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_INFO] = "gauge",
};

static void text_family(struct out *o, const struct family *f, const struct sample_walk *w)
{
	out_text(o, "# HELP ");
	out_text(o, f->name);
	out_char(o, ' ');
	out_escaped(o, f->help, false);
	out_text(o, "\n# TYPE ");
	out_text(o, f->name);
	out_char(o, ' ');
	out_text(o, types[f->type]);
	out_char(o, '\n');
}

static void text_sample(struct out *o, const struct family *f, const struct sample *s)
{
	if (s->kind == VALUE_HISTOGRAM) {
		out_histogram(o, f->name, s, false);
		return;
	}
	out_series(o, f->name, strlen(f->name), "", s);
	out_char(o, ' ');
	if (s->kind == VALUE_INTEGER)
		out_u64(o, s->integer);
	else
		out_double(o, s->real);
	out_char(o, '\n');
}

const struct encoder text_encoder = {
	.family = text_family,
	.sample = text_sample,
};
