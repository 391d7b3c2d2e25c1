// SPDX-License-Identifier: Apache-2.0
/*
 * Strings of any bytes as label values, through every encoder: what comes out is
 * valid UTF-8 and can be read back, and no series is there twice.
 */
#include <assert.h>

#include "client_model.pb-c.h"
#include "encode/otlp.h"
#include "encode/sample_world.h"
#include "otlp.pb-c.h"
#include "util/utf8.h"

#define STRINGS	   8
#define SERIES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *fuzz_username(void *ctx, uint32_t uid)
{
	return ((char **)ctx)[uid % 2];
}

static struct snapshot *fuzz_snapshot(char *strings[STRINGS])
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .job_labels = true, .max_series = 1000};
	struct intern *in = intern_new();
	struct series_table *t = series_table_new(&options, in);
	struct extras *x = extras_new(1000);
	struct snapshot *s;

	series_begin(t, 1000, 1000);
	/* All pairs: texts that are repaired to the same must become one series. */
	for (unsigned int i = 0; i < STRINGS; i++) {
		struct series_key key = {.op = OP_READ, .uid = i % 3};
		struct series_delta d = testing_delta(1, 10000 << i, 1);

		d.errors[i % ERRNO_CLASS_MAX] = 1;
		if (series_mount_get(t, strings[i / 4], strings[i / 2], &key.mount) ||
		    intern_get(in, strings[i], &key.process) ||
		    intern_get(in, strings[i % 2], &key.actor) ||
		    intern_get(in, strings[i % 4], &key.job) || series_add(t, &key, &d))
			abort();
		intern_put(in, key.process);
		intern_put(in, key.actor);
		intern_put(in, key.job);
		EXTRAS_ADD(x, &world_age, i, {"a", strings[i]}, {"b", strings[i / 2]});
	}
	if (snapshot_take(t, x, fuzz_username, strings, 1, &s))
		abort();
	series_table_free(t);
	intern_free(in);
	return s;
}

static void check_utf8(const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		int n = utf8_char_len(text + at, len - at);

		assert(n > 0);
		at += n;
	}
}

/* Reads name{label="value",...}; the end of it. */
static const char *read_series(const char *p)
{
	p += strcspn(p, "{ \n");
	if (*p != '{')
		return p;
	do {
		p++;
		p += strspn(p, "abcdefghijklmnopqrstuvwxyz_");
		assert(p[0] == '=' && p[1] == '"');
		for (p += 2; *p != '"'; p++) {
			assert(*p && *p != '\n');
			if (*p == '\\') {
				p++;
				assert(*p == '\\' || *p == '"' || *p == 'n');
			}
		}
		p++;
	} while (*p == ',');
	assert(*p == '}');
	return p + 1;
}

static void check_text(struct snapshot *s, const struct encoder *encoder)
{
	static const char *series[SERIES_MAX];
	static size_t series_len[SERIES_MAX];
	size_t len, n = 0;
	char *text = world_encode(s, encoder, 4096, &len);

	assert(len == strlen(text));
	check_utf8(text, len);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end;

		if (*line == '#')
			continue;
		end = read_series(line);
		assert(*end == ' ');
		assert(end[1 + strspn(end + 1, "0123456789.+e-Inf")] == '\n');
		assert(n < SERIES_MAX);
		series[n] = line;
		series_len[n++] = end - line;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert(series_len[i] != series_len[j] ||
			       memcmp(series[i], series[j], series_len[i]));
	free(text);
}

static bool same_labels(const Io__Prometheus__Client__Metric *a,
			const Io__Prometheus__Client__Metric *b)
{
	if (a->n_label != b->n_label)
		return false;
	for (size_t l = 0; l < a->n_label; l++)
		if (strcmp(a->label[l]->name, b->label[l]->name) ||
		    strcmp(a->label[l]->value, b->label[l]->value))
			return false;
	return true;
}

static void check_protobuf(struct snapshot *s)
{
	size_t len, at = 0;
	char *text = world_encode(s, &protobuf_encoder, 4096, &len);

	while (at < len) {
		Io__Prometheus__Client__MetricFamily *f;
		size_t n = 0;
		unsigned int shift = 0;
		unsigned char byte;

		do {
			byte = text[at++];
			n |= (size_t)(byte & 0x7f) << shift;
			shift += 7;
		} while (byte & 0x80);
		assert(at + n <= len);
		f = io__prometheus__client__metric_family__unpack(NULL, n, (uint8_t *)text + at);
		assert(f);
		for (size_t i = 0; i < f->n_metric; i++) {
			for (size_t l = 0; l < f->metric[i]->n_label; l++)
				check_utf8(f->metric[i]->label[l]->value,
					   strlen(f->metric[i]->label[l]->value));
			for (size_t j = 0; j < i; j++)
				assert(!same_labels(f->metric[i], f->metric[j]));
		}
		io__prometheus__client__metric_family__free_unpacked(f, NULL);
		at += n;
	}
	free(text);
}

/* Strings end where they should: outside of them only JSON's own characters stand. */
static void check_json(struct snapshot *s)
{
	size_t len, depth = 0;
	char *text = world_encode(s, &json_encoder, 4096, &len);
	bool string = false;

	check_utf8(text, len);
	for (const char *p = text; *p; p++) {
		if (string) {
			assert((unsigned char)*p >= ' ');
			string = *p != '"';
			if (*p == '\\')
				p++;
			continue;
		}
		string = *p == '"';
		depth += *p == '[' || *p == '{';
		depth -= *p == ']' || *p == '}';
		assert(strchr("[]{},:\"\n0123456789.+-enul", *p));
	}
	assert(!string && !depth);
	free(text);
}

static void check_attributes(Opentelemetry__Proto__KeyValue *const *attributes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = attributes[i]->value->string_value;

		assert(attributes[i]->value->value_case ==
		       OPENTELEMETRY__PROTO__ANY_VALUE__VALUE_STRING_VALUE);
		check_utf8(value, strlen(value));
	}
}

static bool same_attributes(Opentelemetry__Proto__KeyValue *const *a, size_t n_a,
			    Opentelemetry__Proto__KeyValue *const *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (strcmp(a[i]->key, b[i]->key) ||
		    strcmp(a[i]->value->string_value, b[i]->value->string_value))
			return false;
	return true;
}

/* Of one metric. */
#define CHECK_POINTS(points, n)                                                               \
	do {                                                                                  \
		for (size_t i = 0; i < (n); i++) {                                            \
			check_attributes((points)[i]->attributes, (points)[i]->n_attributes); \
			for (size_t j = 0; j < i; j++)                                        \
				assert(!same_attributes(                                      \
					(points)[i]->attributes, (points)[i]->n_attributes,   \
					(points)[j]->attributes, (points)[j]->n_attributes)); \
		}                                                                             \
	} while (0)

static void check_otlp(struct snapshot *s, bool exponential)
{
	const struct otlp_source source = {.version = "0", .exponential = exponential};
	struct otlp *o = otlp_new(s, &source);
	struct out out = {0};
	int n;

	while ((n = otlp_next(o, &out)) > 0) {
		Opentelemetry__Proto__ExportMetricsServiceRequest *r =
			opentelemetry__proto__export_metrics_service_request__unpack(
				NULL, out.len, (uint8_t *)out.base);
		const Opentelemetry__Proto__ScopeMetrics *scope;

		assert(r);
		scope = r->resource_metrics[0]->scope_metrics[0];
		for (size_t m = 0; m < scope->n_metrics; m++) {
			const Opentelemetry__Proto__Metric *metric = scope->metrics[m];

			switch (metric->data_case) {
			case OPENTELEMETRY__PROTO__METRIC__DATA_SUM:
				CHECK_POINTS(metric->sum->data_points, metric->sum->n_data_points);
				break;
			case OPENTELEMETRY__PROTO__METRIC__DATA_GAUGE:
				CHECK_POINTS(metric->gauge->data_points,
					     metric->gauge->n_data_points);
				break;
			case OPENTELEMETRY__PROTO__METRIC__DATA_HISTOGRAM:
				CHECK_POINTS(metric->histogram->data_points,
					     metric->histogram->n_data_points);
				break;
			case OPENTELEMETRY__PROTO__METRIC__DATA_EXPONENTIAL_HISTOGRAM:
				CHECK_POINTS(metric->exponential_histogram->data_points,
					     metric->exponential_histogram->n_data_points);
				break;
			default:
				assert(!"a kind of metric");
			}
		}
		opentelemetry__proto__export_metrics_service_request__free_unpacked(r, NULL);
	}
	assert(!n);
	otlp_free(o);
	out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + STRINGS + 1), *strings[STRINGS], *p = copy;
	struct snapshot *s;

	/* The strings stand between NULs; what is missing is empty. */
	memcpy(copy, data, size);
	memset(copy + size, 0, STRINGS + 1);
	for (unsigned int i = 0; i < STRINGS; i++) {
		strings[i] = p;
		if (p <= copy + size)
			p += strlen(p) + 1;
	}
	s = fuzz_snapshot(strings);
	check_text(s, &text_encoder);
	check_text(s, &openmetrics_encoder);
	check_protobuf(s);
	check_json(s);
	check_otlp(s, false);
	check_otlp(s, true);
	snapshot_put(s);
	free(copy);
	return 0;
}
