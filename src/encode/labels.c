// SPDX-License-Identifier: Apache-2.0
/* Label sets, escapes and classic histograms of the two text formats, see labels.h. */
#include "encode/labels.h"

#include "encode/classic.h"

/* Writes the escaped text, at most twice as long, to a place that has room; returns its end. */
static char *escape(char *to, const char *text, bool quotes)
{
	for (char c; (c = *text); text++) {
		if (__builtin_expect(c == '\n', 0)) {
			*to++ = '\\';
			*to++ = 'n';
			continue;
		}
		if (__builtin_expect(c == '\\' || (c == '"' && quotes), 0))
			*to++ = '\\';
		*to++ = c;
	}
	return to;
}

void out_escaped(struct out *o, const char *text, bool quotes)
{
	char *to = out_reserve(o, 2 * strlen(text));

	if (to)
		o->len = escape(to, text, quotes) - o->base;
}

void out_labels(struct out *o, const struct sample *s)
{
	size_t room = 0;
	char *to;

	for (unsigned int i = 0; i < s->n_labels; i++)
		room += strlen(s->labels[i].name) + 2 * strlen(s->labels[i].value) + 4;
	to = out_reserve(o, room);
	if (!to)
		return;
	for (unsigned int i = 0; i < s->n_labels; i++) {
		if (i)
			*to++ = ',';
		to = stpcpy(to, s->labels[i].name);
		*to++ = '=';
		*to++ = '"';
		to = escape(to, s->labels[i].value, true);
		*to++ = '"';
	}
	o->len = to - o->base;
}

void out_series(struct out *o, const char *name, size_t name_len, const char *suffix,
		const struct sample *s)
{
	out_bytes(o, name, name_len);
	out_text(o, suffix);
	if (!s->n_labels)
		return;
	out_char(o, '{');
	out_labels(o, s);
	out_char(o, '}');
}

/* A stretch of the buffer, to be written again. */
struct stretch {
	size_t offset;
	size_t len;
};

static void stretch_end(const struct out *o, struct stretch *t)
{
	t->len = o->len - t->offset;
}

void out_histogram(struct out *o, const char *name, const struct sample *s, bool point)
{
	const struct histogram *h = &s->histogram;
	uint64_t cumulative[CLASSIC_MAX];
	struct stretch head = {.offset = o->len}, labels;

	classic_buckets(h, cumulative);

	/* The name and the labels are the same on every line but for the last label. */
	out_text(o, name);
	out_bytes(o, "_bucket{", 8);
	labels.offset = o->len;
	out_labels(o, s);
	stretch_end(o, &labels);
	if (s->n_labels)
		out_char(o, ',');
	out_bytes(o, "le=\"", 4);
	stretch_end(o, &head);
	for (unsigned int b = 0; b <= h->layout->classic; b++) {
		if (b)
			out_repeat(o, head.offset, head.len);
		if (b < h->layout->classic)
			out_scaled(o, h->layout->classic_bound[b], h->layout->decimals, point);
		else
			out_bytes(o, "+Inf", 4);
		out_bytes(o, "\"} ", 3);
		out_u64(o, cumulative[b]);
		out_char(o, '\n');
	}

	out_text(o, name);
	out_bytes(o, "_sum{", 5);
	out_repeat(o, labels.offset, labels.len);
	out_bytes(o, "} ", 2);
	out_scaled(o, h->sum, h->layout->decimals, point);
	out_char(o, '\n');

	out_text(o, name);
	out_bytes(o, "_count{", 7);
	out_repeat(o, labels.offset, labels.len);
	out_bytes(o, "} ", 2);
	out_u64(o, h->count);
	out_char(o, '\n');
}
