// SPDX-License-Identifier: Apache-2.0
/*
 * Prometheus' protobuf exposition, the only one that carries native histograms. They
 * are written beside the classic buckets, in one message.
 *
 * A family is one message and its length comes first: its samples are gone through
 * twice, once for their sizes, so that no family is ever held whole.
 */
#include "client_model.pb-c.h"
#include "encode/classic.h"
#include "encode/encoder.h"
#include "encode/native.h"
#include "encode/varint.h"

/* Field 4 of MetricFamily, length-delimited. */
#define METRIC_TAG 0x22

/* More zeros than this between two buckets cost more than a span of their own. */
#define GAP_MAX 2

/* A metric with everything that its message points to. */
struct metric {
	Io__Prometheus__Client__Metric message;
	Io__Prometheus__Client__LabelPair labels[SAMPLE_LABELS_MAX];
	Io__Prometheus__Client__LabelPair *label[SAMPLE_LABELS_MAX];
	Io__Prometheus__Client__Counter counter;
	Io__Prometheus__Client__Gauge gauge;
	Io__Prometheus__Client__Timestamp created;
	Io__Prometheus__Client__Histogram histogram;
	Io__Prometheus__Client__Bucket buckets[CLASSIC_MAX];
	Io__Prometheus__Client__Bucket *bucket[CLASSIC_MAX];
	Io__Prometheus__Client__BucketSpan spans[NATIVE_MAX];
	Io__Prometheus__Client__BucketSpan *span[NATIVE_MAX];
	int64_t deltas[NATIVE_MAX];
};

static const Io__Prometheus__Client__MetricType types[] = {
	[METRIC_COUNTER] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER,
	[METRIC_GAUGE] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
	[METRIC_HISTOGRAM] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__HISTOGRAM,
	[METRIC_INFO] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
};

static void set_labels(struct metric *m, const struct sample *s)
{
	m->message.n_label = s->n_labels;
	m->message.label = m->label;
	for (unsigned int i = 0; i < s->n_labels; i++) {
		io__prometheus__client__label_pair__init(&m->labels[i]);
		m->labels[i].name = (char *)s->labels[i].name;
		m->labels[i].value = (char *)s->labels[i].value;
		m->label[i] = &m->labels[i];
	}
}

static Io__Prometheus__Client__Timestamp *created(struct metric *m, const struct sample *s)
{
	if (!s->created_ms)
		return NULL;
	io__prometheus__client__timestamp__init(&m->created);
	m->created.has_seconds = 1;
	m->created.seconds = s->created_ms / 1000;
	m->created.has_nanos = 1;
	m->created.nanos = s->created_ms % 1000 * 1000000;
	return &m->created;
}

static void set_classic(struct metric *m, const struct histogram *h)
{
	const struct histogram_layout *layout = h->layout;
	uint64_t cumulative[CLASSIC_MAX];

	/* Above the last bound stands sample_count: +Inf need not be written. */
	classic_buckets(h, cumulative);
	m->histogram.n_bucket = layout->classic;
	m->histogram.bucket = m->bucket;
	for (unsigned int b = 0; b < layout->classic; b++) {
		io__prometheus__client__bucket__init(&m->buckets[b]);
		m->buckets[b].has_cumulative_count = 1;
		m->buckets[b].cumulative_count = cumulative[b];
		m->buckets[b].has_upper_bound = 1;
		m->buckets[b].upper_bound = histogram_bound(layout, b);
		m->bucket[b] = &m->buckets[b];
	}
}

static Io__Prometheus__Client__BucketSpan *add_span(struct metric *m, int offset)
{
	size_t n = m->histogram.n_positive_span++;
	Io__Prometheus__Client__BucketSpan *span = &m->spans[n];

	io__prometheus__client__bucket_span__init(span);
	span->has_offset = 1;
	span->offset = offset;
	span->has_length = 1;
	span->length = 0;
	m->span[n] = span;
	return span;
}

static void set_native(struct metric *m, const struct histogram *h)
{
	Io__Prometheus__Client__BucketSpan *span = NULL;
	struct native native;
	int64_t before = 0;
	int end = 0; /* index after the last bucket that was written */

	native_buckets(h, &native);
	m->histogram.has_schema = 1;
	m->histogram.schema = native.schema;
	m->histogram.has_zero_threshold = 1;
	m->histogram.zero_threshold = native.zero_threshold;
	m->histogram.has_zero_count = 1;
	m->histogram.zero_count = native.zero_count;
	m->histogram.positive_span = m->span;
	m->histogram.positive_delta = m->deltas;
	for (unsigned int i = 0; i < native.n; i++) {
		int index = native.first + (int)i;

		if (!native.count[i])
			continue;
		if (!span || index - end > GAP_MAX) {
			span = add_span(m, index - end);
			end = index;
		}
		for (; end <= index; end++) {
			int64_t count = end < index ? 0 : (int64_t)native.count[i];

			m->deltas[m->histogram.n_positive_delta++] = count - before;
			before = count;
			span->length++;
		}
	}
	/* By an empty span a histogram without buckets is still known as native. */
	if (!span)
		add_span(m, 0);
}

static void set_histogram(struct metric *m, const struct sample *s)
{
	const struct histogram *h = &s->histogram;

	io__prometheus__client__histogram__init(&m->histogram);
	m->histogram.has_sample_count = 1;
	m->histogram.sample_count = h->count;
	m->histogram.has_sample_sum = 1;
	m->histogram.sample_sum = histogram_sum(h);
	m->histogram.created_timestamp = created(m, s);
	set_classic(m, h);
	set_native(m, h);
	m->message.histogram = &m->histogram;
}

static void metric_init(struct metric *m, const struct family *f, const struct sample *s)
{
	double value = s->kind == VALUE_INTEGER ? (double)s->integer : s->real;

	io__prometheus__client__metric__init(&m->message);
	set_labels(m, s);
	if (s->kind == VALUE_HISTOGRAM) {
		set_histogram(m, s);
	} else if (f->type == METRIC_COUNTER) {
		io__prometheus__client__counter__init(&m->counter);
		m->counter.has_value = 1;
		m->counter.value = value;
		m->counter.created_timestamp = created(m, s);
		m->message.counter = &m->counter;
	} else {
		io__prometheus__client__gauge__init(&m->gauge);
		m->gauge.has_value = 1;
		m->gauge.value = value;
		m->message.gauge = &m->gauge;
	}
}

static void protobuf_family(struct out *o, const struct family *f, const struct sample_walk *w)
{
	Io__Prometheus__Client__MetricFamily head = IO__PROMETHEUS__CLIENT__METRIC_FAMILY__INIT;
	struct sample_walk ahead = *w;
	const struct sample *s;
	struct metric m;
	size_t head_len;
	uint64_t len;
	char *to;

	head.name = (char *)f->name;
	head.help = (char *)f->help;
	head.has_type = 1;
	head.type = types[f->type];
	head.unit = f->unit[0] ? (char *)f->unit : NULL;
	head_len = io__prometheus__client__metric_family__get_packed_size(&head);

	len = head_len;
	while ((s = samples_next(&ahead))) {
		size_t n;

		metric_init(&m, f, s);
		n = io__prometheus__client__metric__get_packed_size(&m.message);
		len += 1 + varint_len(n) + n;
	}
	out_varint(o, len);
	to = out_reserve(o, head_len);
	if (to)
		o->len += io__prometheus__client__metric_family__pack(&head, (uint8_t *)to);
}

static void protobuf_sample(struct out *o, const struct family *f, const struct sample *s)
{
	struct metric m;
	size_t n;
	char *to;

	metric_init(&m, f, s);
	n = io__prometheus__client__metric__get_packed_size(&m.message);
	out_char(o, METRIC_TAG);
	out_varint(o, n);
	to = out_reserve(o, n);
	if (to)
		o->len += io__prometheus__client__metric__pack(&m.message, (uint8_t *)to);
}

const struct encoder protobuf_encoder = {
	.family = protobuf_family,
	.sample = protobuf_sample,
};
