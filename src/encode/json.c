// SPDX-License-Identifier: Apache-2.0
/*
 * One JSON array of samples, for --dry-run: name, type, unit, value and attributes, by
 * the names of OpenTelemetry. The value of a histogram is an object.
 */
#include <math.h>
#include <stdio.h>

#include "encode/classic.h"
#include "encode/encoder.h"

#include "encode/otel.h"

static const char *const types[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_INFO] = "gauge",
};

static void out_string(struct out *o, const char *text)
{
	char escape[8];

	out_char(o, '"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\') {
			out_char(o, '\\');
			out_char(o, c);
		} else if (c < 0x20 || c == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			out_text(o, escape);
		} else {
			out_char(o, c);
		}
	}
	out_char(o, '"');
}

static void out_key(struct out *o, const char *key)
{
	out_string(o, key);
	out_char(o, ':');
}

static void out_histogram_value(struct out *o, const struct histogram *h)
{
	const struct histogram_layout *layout = h->layout;
	uint64_t count[CLASSIC_MAX];

	classic_counts(h, count);
	out_text(o, "{\"count\":");
	out_u64(o, h->count);
	out_text(o, ",\"sum\":");
	out_scaled(o, h->sum, layout->decimals, false);
	out_text(o, ",\"bounds\":[");
	for (unsigned int b = 0; b < layout->classic; b++) {
		if (b)
			out_char(o, ',');
		out_scaled(o, layout->classic_bound[b], layout->decimals, false);
	}
	out_text(o, "],\"counts\":[");
	for (unsigned int b = 0; b <= layout->classic; b++) {
		if (b)
			out_char(o, ',');
		out_u64(o, count[b]);
	}
	out_text(o, "]}");
}

static void json_begin(struct out *o)
{
	out_char(o, '[');
	o->items = 0;
}

static void json_sample(struct out *o, const struct family *f, const struct sample *s)
{
	out_text(o, o->items++ ? ",\n{\"name\":\"" : "\n{\"name\":\"");
	out_otel_name(o, f);
	out_text(o, "\",\"type\":");
	out_string(o, types[f->type]);
	out_text(o, ",\"unit\":");
	out_string(o, otel_unit(f));
	out_text(o, ",\"value\":");
	if (s->kind == VALUE_HISTOGRAM)
		out_histogram_value(o, &s->histogram);
	else if (s->kind == VALUE_INTEGER)
		out_u64(o, s->integer);
	else if (isfinite(s->real))
		out_double(o, s->real);
	else
		out_text(o, "null");
	out_text(o, ",\"attributes\":{");
	for (unsigned int i = 0; i < s->n_labels; i++) {
		if (i)
			out_char(o, ',');
		out_key(o, otel_attribute(s->labels[i].name));
		out_string(o, s->labels[i].value);
	}
	out_text(o, "}}");
}

static void json_end(struct out *o)
{
	out_text(o, "\n]\n");
}

const struct encoder json_encoder = {
	.begin = json_begin,
	.sample = json_sample,
	.end = json_end,
};
