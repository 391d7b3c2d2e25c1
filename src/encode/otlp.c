// SPDX-License-Identifier: Apache-2.0
/*
 * OTLP requests, see otlp.h. Data points are packed one by one; what contains them is
 * put around them afterwards, from the inside to the outside, since every length comes
 * before its content.
 */
#include "encode/otlp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "encode/classic.h"
#include "encode/native.h"
#include "encode/otel.h"
#include "encode/varint.h"
#include "otlp.pb-c.h"

#define SCOPE "lustre-ebpf-exporter"

/* Field numbers of what is put together by hand. */
enum {
	REQUEST_RESOURCE_METRICS = 1,
	RESOURCE_METRICS_RESOURCE = 1,
	RESOURCE_METRICS_SCOPE_METRICS = 2,
	SCOPE_METRICS_SCOPE = 1,
	SCOPE_METRICS_METRICS = 2,
	METRIC_NAME = 1,
	METRIC_DESCRIPTION = 2,
	METRIC_UNIT = 3,
	METRIC_GAUGE_FIELD = 5,
	METRIC_SUM_FIELD = 7,
	METRIC_HISTOGRAM_FIELD = 9,
	METRIC_EXPONENTIAL_FIELD = 10,
	DATA_POINTS = 1,
};

/* Fields 2 and 3 of Sum: cumulative, monotonic. Histograms have the first one only. */
static const char cumulative[] = {0x10, 2, 0x18, 1};
#define CUMULATIVE_LEN		 2
#define CUMULATIVE_MONOTONIC_LEN 4

struct otlp {
	struct snapshot *snapshot;
	const struct otlp_source *source;
	struct sample_walk walk;
	const struct family *family; /* that the last request ended in; NULL: between two */
	struct out points, metrics, scope, resource;
};

struct otlp *otlp_new(struct snapshot *s, const struct otlp_source *source)
{
	struct otlp *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->snapshot = snapshot_ref(s);
	o->source = source;
	samples_begin(&o->walk, s);
	return o;
}

void otlp_free(struct otlp *o)
{
	if (!o)
		return;
	snapshot_put(o->snapshot);
	out_free(&o->points);
	out_free(&o->metrics);
	out_free(&o->scope);
	out_free(&o->resource);
	free(o);
}

/* A length-delimited field. */
static void out_field(struct out *o, unsigned int field, const void *bytes, size_t len)
{
	out_varint(o, field << 3 | 2);
	out_varint(o, len);
	out_bytes(o, bytes, len);
}

static void out_message(struct out *o, unsigned int field, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	char *to;

	out_varint(o, field << 3 | 2);
	out_varint(o, len);
	to = out_reserve(o, len);
	if (to)
		o->len += protobuf_c_message_pack(message, (uint8_t *)to);
}

/* Attributes with what their messages point to. */
struct attributes {
	Opentelemetry__Proto__KeyValue pair[SAMPLE_LABELS_MAX];
	Opentelemetry__Proto__AnyValue value[SAMPLE_LABELS_MAX];
	Opentelemetry__Proto__KeyValue *list[SAMPLE_LABELS_MAX];
};

static void set_attribute(struct attributes *a, unsigned int i, const char *name, const char *value)
{
	opentelemetry__proto__any_value__init(&a->value[i]);
	a->value[i].value_case = OPENTELEMETRY__PROTO__ANY_VALUE__VALUE_STRING_VALUE;
	a->value[i].string_value = (char *)value;
	opentelemetry__proto__key_value__init(&a->pair[i]);
	a->pair[i].key = (char *)name;
	a->pair[i].value = &a->value[i];
	a->list[i] = &a->pair[i];
}

static void set_attributes(struct attributes *a, const struct sample *s)
{
	for (unsigned int i = 0; i < s->n_labels; i++)
		set_attribute(a, i, otel_attribute(s->labels[i].name), s->labels[i].value);
}

static uint64_t time_ns(const struct otlp *o)
{
	return snapshot_unix_ms(o->snapshot) * 1000000;
}

static void number_point(struct otlp *o, const struct sample *s, struct attributes *a)
{
	Opentelemetry__Proto__NumberDataPoint p = OPENTELEMETRY__PROTO__NUMBER_DATA_POINT__INIT;

	p.start_time_unix_nano = s->created_ms * 1000000;
	p.time_unix_nano = time_ns(o);
	if (s->kind == VALUE_INTEGER) {
		p.value_case = OPENTELEMETRY__PROTO__NUMBER_DATA_POINT__VALUE_AS_INT;
		p.as_int = s->integer;
	} else {
		p.value_case = OPENTELEMETRY__PROTO__NUMBER_DATA_POINT__VALUE_AS_DOUBLE;
		p.as_double = s->real;
	}
	p.n_attributes = s->n_labels;
	p.attributes = a->list;
	out_message(&o->points, DATA_POINTS, &p.base);
}

static void explicit_point(struct otlp *o, const struct sample *s, struct attributes *a)
{
	Opentelemetry__Proto__HistogramDataPoint p =
		OPENTELEMETRY__PROTO__HISTOGRAM_DATA_POINT__INIT;
	const struct histogram *h = &s->histogram;
	uint64_t counts[CLASSIC_MAX];
	double bounds[CLASSIC_MAX];

	classic_counts(h, counts);
	for (unsigned int b = 0; b < h->layout->classic; b++)
		bounds[b] = histogram_bound(h->layout, b);
	p.start_time_unix_nano = s->created_ms * 1000000;
	p.time_unix_nano = time_ns(o);
	p.count = h->count;
	p.optional_sum_case = OPENTELEMETRY__PROTO__HISTOGRAM_DATA_POINT__OPTIONAL_SUM_SUM;
	p.sum = histogram_sum(h);
	p.n_bucket_counts = h->layout->classic + 1;
	p.bucket_counts = counts;
	p.n_explicit_bounds = h->layout->classic;
	p.explicit_bounds = bounds;
	p.n_attributes = s->n_labels;
	p.attributes = a->list;
	out_message(&o->points, DATA_POINTS, &p.base);
}

static void exponential_point(struct otlp *o, const struct sample *s, struct attributes *a)
{
	Opentelemetry__Proto__ExponentialHistogramDataPoint p =
		OPENTELEMETRY__PROTO__EXPONENTIAL_HISTOGRAM_DATA_POINT__INIT;
	Opentelemetry__Proto__Buckets positive = OPENTELEMETRY__PROTO__BUCKETS__INIT;
	const struct histogram *h = &s->histogram;
	struct native native;

	native_buckets(h, &native);
	p.start_time_unix_nano = s->created_ms * 1000000;
	p.time_unix_nano = time_ns(o);
	p.count = h->count;
	p.optional_sum_case =
		OPENTELEMETRY__PROTO__EXPONENTIAL_HISTOGRAM_DATA_POINT__OPTIONAL_SUM_SUM;
	p.sum = histogram_sum(h);
	p.scale = native.schema;
	p.zero_count = native.zero_count;
	p.zero_threshold = native.zero_threshold;
	if (native.n) {
		/* An index names the bound below a bucket, in Prometheus the one above. */
		positive.offset = native.first - 1;
		positive.n_bucket_counts = native.n;
		positive.bucket_counts = native.count;
		p.positive = &positive;
	}
	p.n_attributes = s->n_labels;
	p.attributes = a->list;
	out_message(&o->points, DATA_POINTS, &p.base);
}

static void data_point(struct otlp *o, const struct sample *s)
{
	struct attributes a;

	set_attributes(&a, s);
	if (s->kind != VALUE_HISTOGRAM)
		number_point(o, s, &a);
	else if (o->source->exponential)
		exponential_point(o, s, &a);
	else
		explicit_point(o, s, &a);
}

/* The data points so far as a metric of their family. */
static void close_metric(struct otlp *o, const struct family *f)
{
	struct out name = {0}, metric = {0}, *points = &o->points;
	unsigned int field = METRIC_GAUGE_FIELD;

	if (!points->len)
		return;
	if (f->type == METRIC_COUNTER) {
		field = METRIC_SUM_FIELD;
		out_bytes(points, cumulative, CUMULATIVE_MONOTONIC_LEN);
	} else if (f->type == METRIC_HISTOGRAM) {
		field = o->source->exponential ? METRIC_EXPONENTIAL_FIELD : METRIC_HISTOGRAM_FIELD;
		out_bytes(points, cumulative, CUMULATIVE_LEN);
	}
	out_otel_name(&name, f);
	out_field(&metric, METRIC_NAME, name.base, name.len);
	out_field(&metric, METRIC_DESCRIPTION, f->help, strlen(f->help));
	out_field(&metric, METRIC_UNIT, otel_unit(f), strlen(otel_unit(f)));
	out_field(&metric, field, points->base, points->len);
	out_field(&o->metrics, SCOPE_METRICS_METRICS, metric.base, metric.len);
	o->metrics.failed |= name.failed | metric.failed | points->failed;
	points->len = 0;
	out_free(&name);
	out_free(&metric);
}

static void put_resource(struct otlp *o, struct out *to)
{
	const struct otlp_source *source = o->source;

	/* One attribute a time: their number has no limit here. */
	for (size_t i = 0; i < source->n_attributes; i++) {
		struct attributes a;

		set_attribute(&a, 0, source->attributes[i].name, source->attributes[i].value);
		out_message(to, 1, &a.pair[0].base);
	}
}

/* Everything around the metrics. */
static void close_request(struct otlp *o, struct out *request)
{
	Opentelemetry__Proto__InstrumentationScope scope =
		OPENTELEMETRY__PROTO__INSTRUMENTATION_SCOPE__INIT;
	struct out resource = {0};

	scope.name = (char *)SCOPE;
	scope.version = (char *)o->source->version;
	o->scope.len = 0;
	out_message(&o->scope, SCOPE_METRICS_SCOPE, &scope.base);
	out_bytes(&o->scope, o->metrics.base, o->metrics.len);

	o->resource.len = 0;
	put_resource(o, &resource);
	out_field(&o->resource, RESOURCE_METRICS_RESOURCE, resource.base, resource.len);
	out_field(&o->resource, RESOURCE_METRICS_SCOPE_METRICS, o->scope.base, o->scope.len);
	out_field(request, REQUEST_RESOURCE_METRICS, o->resource.base, o->resource.len);
	request->failed |=
		resource.failed | o->resource.failed | o->scope.failed | o->metrics.failed;
	out_free(&resource);
}

int otlp_next(struct otlp *o, struct out *request)
{
	const struct sample *s;
	int n = 0;

	request->len = 0;
	o->metrics.len = 0;
	while (o->metrics.len + o->points.len < OTLP_REQUEST_MAX) {
		if (!o->family)
			o->family = samples_next_family(&o->walk);
		if (!o->family)
			break;
		s = samples_next(&o->walk);
		if (s) {
			data_point(o, s);
			n++;
			continue;
		}
		close_metric(o, o->family);
		o->family = NULL;
	}
	if (o->family)
		close_metric(o, o->family);
	if (n)
		close_request(o, request);
	return request->failed ? -ENOMEM : n;
}

int64_t otlp_rejected(const void *body, size_t len, char *why, size_t size)
{
	Opentelemetry__Proto__ExportMetricsServiceResponse *response =
		opentelemetry__proto__export_metrics_service_response__unpack(NULL, len, body);
	int64_t rejected = 0;

	if (!response)
		return -EINVAL;
	why[0] = '\0';
	if (response->partial_success) {
		rejected = response->partial_success->rejected_data_points;
		snprintf(why, size, "%s", response->partial_success->error_message);
	}
	opentelemetry__proto__export_metrics_service_response__free_unpacked(response, NULL);
	return rejected < 0 ? 0 : rejected;
}
