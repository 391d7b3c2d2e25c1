// SPDX-License-Identifier: Apache-2.0
/* OTLP requests, read back with generated code. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "encode/otlp.h"
#include "encode/sample_world.h"
#include "otlp.pb-c.h"

static const struct label resource[] = {{"service.name", "lustre-ebpf-exporter"},
					{"host.name", "node1"}};

static struct otlp_source source = {.attributes = resource, .n_attributes = 2, .version = "0.1.0"};

typedef Opentelemetry__Proto__ExportMetricsServiceRequest request_t;
typedef Opentelemetry__Proto__Metric metric_t;

static request_t *unpack(const struct out *out)
{
	request_t *r = opentelemetry__proto__export_metrics_service_request__unpack(
		NULL, out->len, (uint8_t *)out->base);

	assert_non_null(r);
	assert_int_equal(r->n_resource_metrics, 1);
	assert_int_equal(r->resource_metrics[0]->n_scope_metrics, 1);
	return r;
}

static const metric_t *find(const request_t *r, const char *name)
{
	const Opentelemetry__Proto__ScopeMetrics *scope = r->resource_metrics[0]->scope_metrics[0];

	for (size_t i = 0; i < scope->n_metrics; i++)
		if (!strcmp(scope->metrics[i]->name, name))
			return scope->metrics[i];
	fail_msg("no metric %s", name);
	return NULL;
}

static request_t *only_request(int *points)
{
	struct snapshot *s = sample_world();
	struct otlp *o = otlp_new(s, &source);
	struct out out = {0};
	request_t *r;

	snapshot_put(s);
	*points = otlp_next(o, &out);
	r = unpack(&out);
	assert_int_equal(otlp_next(o, &out), 0);
	assert_int_equal(out.len, 0);
	otlp_free(o);
	out_free(&out);
	return r;
}

static void test_request(void **state)
{
	static const char *const attributes[][2] = {
		{"lustre.fs.name", "lus"},
		{"lustre.mount.point", "/mnt/my fs"},
		{"lustre.access.intent", "data_read"},
		{"lustre.access.op", "read"},
		{"user.id", "1000"},
		{"user.name", "user1000"},
		{"process.name", "a\"b\\c\nd\xef\xbf\xbd"},
		{"lustre.actor.type", "batch_job"},
		{"slurm.job.id", "42"},
	};
	int points;
	request_t *r;
	const metric_t *m;

	source.exponential = false;
	r = only_request(&points);
	assert_int_equal(points, 11);
	assert_int_equal(r->resource_metrics[0]->resource->n_attributes, 2);
	assert_string_equal(r->resource_metrics[0]->resource->attributes[1]->key, "host.name");
	assert_string_equal(r->resource_metrics[0]->resource->attributes[1]->value->string_value,
			    "node1");
	assert_string_equal(r->resource_metrics[0]->scope_metrics[0]->scope->name,
			    "lustre-ebpf-exporter");
	assert_string_equal(r->resource_metrics[0]->scope_metrics[0]->scope->version, "0.1.0");

	m = find(r, "lustre.client.data.bytes");
	assert_string_equal(m->unit, "By");
	assert_string_equal(m->description, "Bytes moved by reads and writes.");
	assert_int_equal(m->data_case, OPENTELEMETRY__PROTO__METRIC__DATA_SUM);
	assert_true(m->sum->is_monotonic);
	assert_int_equal(m->sum->aggregation_temporality,
			 OPENTELEMETRY__PROTO__AGGREGATION_TEMPORALITY__CUMULATIVE);
	assert_int_equal(m->sum->n_data_points, 1);
	assert_int_equal(m->sum->data_points[0]->as_int, 8192);
	assert_true(m->sum->data_points[0]->time_unix_nano == WORLD_PASS_MS * 1000000);
	assert_true(m->sum->data_points[0]->start_time_unix_nano == WORLD_PASS_MS * 1000000);
	assert_int_equal(m->sum->data_points[0]->n_attributes, 9);
	for (size_t i = 0; i < 9; i++) {
		const Opentelemetry__Proto__KeyValue *kv = m->sum->data_points[0]->attributes[i];

		assert_string_equal(kv->key, attributes[i][0]);
		assert_string_equal(kv->value->string_value, attributes[i][1]);
	}

	m = find(r, "lustre.client.oldest.operation.age.seconds");
	assert_int_equal(m->data_case, OPENTELEMETRY__PROTO__METRIC__DATA_GAUGE);
	assert_int_equal(m->gauge->n_data_points, 2);
	assert_true(m->gauge->data_points[0]->as_double == 1e-7);

	m = find(r, "lustre.client.access.duration");
	assert_string_equal(m->unit, "s");
	assert_int_equal(m->data_case, OPENTELEMETRY__PROTO__METRIC__DATA_HISTOGRAM);
	assert_int_equal(m->histogram->aggregation_temporality,
			 OPENTELEMETRY__PROTO__AGGREGATION_TEMPORALITY__CUMULATIVE);
	assert_int_equal(m->histogram->data_points[0]->count, 3);
	assert_true(m->histogram->data_points[0]->sum == 200.000020001);
	assert_int_equal(m->histogram->data_points[0]->n_explicit_bounds, LATENCY_CLASSIC);
	assert_int_equal(m->histogram->data_points[0]->n_bucket_counts, LATENCY_CLASSIC + 1);
	assert_true(m->histogram->data_points[0]->explicit_bounds[0] == 1e-5);
	assert_int_equal(m->histogram->data_points[0]->bucket_counts[0], 1);
	assert_int_equal(m->histogram->data_points[0]->bucket_counts[1], 1);
	assert_int_equal(m->histogram->data_points[0]->bucket_counts[LATENCY_CLASSIC], 1);
	opentelemetry__proto__export_metrics_service_request__free_unpacked(r, NULL);
}

static void test_exponential(void **state)
{
	const Opentelemetry__Proto__ExponentialHistogramDataPoint *p;
	int points;
	request_t *r;
	const metric_t *m;

	source.exponential = true;
	r = only_request(&points);
	m = find(r, "lustre.client.io.size");
	assert_int_equal(m->data_case, OPENTELEMETRY__PROTO__METRIC__DATA_EXPONENTIAL_HISTOGRAM);
	p = m->exponential_histogram->data_points[0];
	assert_int_equal(p->scale, 0);
	assert_int_equal(p->count, 3);
	assert_true(p->sum == 12288);
	/* 4096 lies in (2^11, 2^12]: index 11. */
	assert_int_equal(p->positive->offset, 11);
	assert_int_equal(p->positive->n_bucket_counts, 1);
	assert_int_equal(p->positive->bucket_counts[0], 3);

	m = find(r, "lustre.client.access.duration");
	p = m->exponential_histogram->data_points[0];
	assert_int_equal(p->scale, 2);
	assert_true(p->zero_threshold == 0x1p-27);
	/* 10 us lies in (2^(-67/4), 2^(-66/4)], the last one above 2^7 s. */
	assert_int_equal(p->positive->offset, -67);
	assert_int_equal(p->positive->n_bucket_counts, 29 + 66 + 1);
	assert_int_equal(p->positive->bucket_counts[0], 2);
	assert_int_equal(p->positive->bucket_counts[29 + 66], 1);
	opentelemetry__proto__export_metrics_service_request__free_unpacked(r, NULL);
}

/* More than fits in one request: every point once, none too large. */
static void test_several_requests(void **state)
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .max_series = 100000};
	struct intern *strings = intern_new();
	struct series_table *t = series_table_new(&options, strings);
	struct series_delta d = testing_delta(1, 1000, 0);
	struct series_key key = {.op = OP_OPEN};
	struct out out = {0};
	struct snapshot *s;
	struct otlp *o;
	uint64_t operations = 0;
	int n, requests = 0, points = 0;

	series_begin(t, 1, 1);
	assert_int_equal(series_mount_get(t, "lus", "/lus", &key.mount), 0);
	for (key.uid = 0; key.uid < 10000; key.uid++)
		assert_int_equal(series_add(t, &key, &d), 0);
	assert_int_equal(snapshot_take(t, NULL, testing_username, NULL, 1, &s), 0);
	o = otlp_new(s, &source);
	while ((n = otlp_next(o, &out)) > 0) {
		request_t *r = unpack(&out);
		const Opentelemetry__Proto__ScopeMetrics *scope =
			r->resource_metrics[0]->scope_metrics[0];

		assert_true(out.len < OTLP_REQUEST_MAX + 65536);
		for (size_t i = 0; i < scope->n_metrics; i++)
			if (!strcmp(scope->metrics[i]->name, "lustre.client.access.operations"))
				for (size_t p = 0; p < scope->metrics[i]->sum->n_data_points; p++)
					operations +=
						scope->metrics[i]->sum->data_points[p]->as_int;
		opentelemetry__proto__export_metrics_service_request__free_unpacked(r, NULL);
		points += n;
		requests++;
	}
	assert_int_equal(n, 0);
	assert_true(requests > 3);
	assert_int_equal(operations, 10000);
	assert_int_equal(points, 2 * 10000 + 1);
	otlp_free(o);
	out_free(&out);
	snapshot_put(s);
	series_table_free(t);
	intern_free(strings);
}

static void test_answers(void **state)
{
	static const unsigned char partial[] = {0x0a, 0x08, 0x08, 0x05, 0x12,
						0x04, 'f',  'u',  'l',	'l'};
	char why[64];

	assert_int_equal(otlp_rejected("", 0, why, sizeof(why)), 0);
	assert_int_equal(otlp_rejected(partial, sizeof(partial), why, sizeof(why)), 5);
	assert_string_equal(why, "full");
	assert_int_equal(otlp_rejected("\xff\xff", 2, why, sizeof(why)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_several_requests),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
