// SPDX-License-Identifier: Apache-2.0
/*
 * OpenMetrics 1.0.0, which is 0.0.1 as well. It differs from the text format in the
 * names of counters' and infos' families, which have no suffix, in its units,
 * creation times and end mark, and in being strict.
 */
#include "encode/encoder.h"
#include "encode/labels.h"

static const struct {
	const char *name;
	const char *suffix; /* that samples have and families have not */
} types[] = {
	[METRIC_COUNTER] = {"counter", "_total"},
	[METRIC_GAUGE] = {"gauge", ""},
	[METRIC_HISTOGRAM] = {"histogram", ""},
	[METRIC_INFO] = {"info", "_info"},
};

static bool ends_in(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !memcmp(text + len - n, end, n);
}

/* Length of the family's name, the suffix of its samples taken off. */
static size_t base_len(const struct family *f)
{
	const char *suffix = types[f->type].suffix;
	size_t len = strlen(f->name);

	return ends_in(f->name, len, suffix) ? len - strlen(suffix) : len;
}

static void describe(struct out *o, const char *keyword, const struct family *f)
{
	out_text(o, keyword);
	out_bytes(o, f->name, base_len(f));
	out_char(o, ' ');
}

static void openmetrics_family(struct out *o, const struct family *f, const struct sample_walk *w)
{
	size_t unit_len = strlen(f->unit);

	describe(o, "# HELP ", f);
	out_escaped(o, f->help, true);
	describe(o, "\n# TYPE ", f);
	out_text(o, types[f->type].name);
	/* A unit that the name does not end in would make the scrape invalid. */
	if (unit_len && ends_in(f->name, base_len(f), f->unit)) {
		describe(o, "\n# UNIT ", f);
		out_text(o, f->unit);
	}
	out_char(o, '\n');
}

static void openmetrics_sample(struct out *o, const struct family *f, const struct sample *s)
{
	if (s->kind == VALUE_HISTOGRAM) {
		out_histogram(o, f->name, s, true);
	} else {
		out_series(o, f->name, base_len(f), types[f->type].suffix, s);
		out_char(o, ' ');
		if (s->kind == VALUE_INTEGER)
			out_u64(o, s->integer);
		else
			out_double(o, s->real);
		out_char(o, '\n');
	}
	if (s->created_ms) {
		out_series(o, f->name, base_len(f), "_created", s);
		out_char(o, ' ');
		out_scaled(o, s->created_ms, 3, true);
		out_char(o, '\n');
	}
}

static void openmetrics_end(struct out *o)
{
	out_text(o, "# EOF\n");
}

const struct encoder openmetrics_encoder = {
	.family = openmetrics_family,
	.sample = openmetrics_sample,
	.end = openmetrics_end,
};
