// SPDX-License-Identifier: Apache-2.0
/*
 * The protobuf exposition, read back with generated code; the native buckets are
 * decoded by hand and compared with what was observed and with the classic ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "client_model.pb-c.h"
#include "encode/sample_world.h"

#define FAMILIES_MAX 32

struct decoded {
	Io__Prometheus__Client__MetricFamily *family[FAMILIES_MAX];
	size_t n;
};

static struct decoded decode(struct snapshot *s)
{
	struct decoded d = {.n = 0};
	size_t len, at = 0;
	char *text = world_encode(s, &protobuf_encoder, 1000, &len);

	while (at < len) {
		size_t family_len = 0;
		unsigned char byte;

		for (unsigned int shift = 0;; shift += 7) {
			assert_true(at < len);
			byte = text[at++];
			family_len |= (size_t)(byte & 0x7f) << shift;
			if (!(byte & 0x80))
				break;
		}
		assert_true(at + family_len <= len);
		d.family[d.n] = io__prometheus__client__metric_family__unpack(NULL, family_len,
									      (uint8_t *)text + at);
		assert_non_null(d.family[d.n]);
		d.n++;
		at += family_len;
	}
	free(text);
	return d;
}

static void decoded_free(struct decoded *d)
{
	for (size_t i = 0; i < d->n; i++)
		io__prometheus__client__metric_family__free_unpacked(d->family[i], NULL);
}

static const Io__Prometheus__Client__MetricFamily *find(const struct decoded *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->family[i]->name, name))
			return d->family[i];
	fail_msg("no family %s", name);
	return NULL;
}

static void test_samples(void **state)
{
	static const char *const labels[][2] = {
		{"fs", "lus"},
		{"mount", "/mnt/my fs"},
		{"access_intent", "data_read"},
		{"op", "read"},
		{"uid", "1000"},
		{"username", "user1000"},
		{"process", "a\"b\\c\nd\xef\xbf\xbd"},
		{"actor_type", "batch_job"},
		{"slurm_job_id", "42"},
	};
	struct snapshot *s = sample_world();
	struct decoded d = decode(s);
	const Io__Prometheus__Client__MetricFamily *f;
	const Io__Prometheus__Client__Metric *m;

	assert_int_equal(d.n, 10);
	f = find(&d, "lustre_client_data_bytes_total");
	assert_int_equal(f->type, IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER);
	assert_string_equal(f->unit, "bytes");
	assert_string_equal(f->help, "Bytes moved by reads and writes.");
	assert_int_equal(f->n_metric, 1);
	m = f->metric[0];
	assert_int_equal(m->n_label, sizeof(labels) / sizeof(labels[0]));
	for (size_t i = 0; i < m->n_label; i++) {
		assert_string_equal(m->label[i]->name, labels[i][0]);
		assert_string_equal(m->label[i]->value, labels[i][1]);
	}
	assert_true(m->counter->value == 8192);
	assert_int_equal(m->counter->created_timestamp->seconds, WORLD_PASS_MS / 1000);
	assert_int_equal(m->counter->created_timestamp->nanos, 250000000);
	assert_null(m->gauge);

	f = find(&d, "lustre_client_oldest_operation_age_seconds");
	assert_int_equal(f->type, IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE);
	assert_int_equal(f->n_metric, 2);
	assert_true(f->metric[0]->gauge->value == 1e-7);
	assert_true(f->metric[1]->gauge->value == 3);
	decoded_free(&d);
	snapshot_put(s);
}

/* The count of the native bucket that ends at 2^(index * 2^-schema). */
static uint64_t native_count(const Io__Prometheus__Client__Histogram *h, int index)
{
	int64_t count = 0;
	size_t delta = 0;
	int at = 0;

	for (size_t i = 0; i < h->n_positive_span; i++) {
		at += h->positive_span[i]->offset;
		for (uint32_t k = 0; k < h->positive_span[i]->length; k++, at++) {
			count += h->positive_delta[delta++];
			assert_true(count >= 0);
			if (at == index)
				return count;
		}
	}
	return 0;
}

static uint64_t classic_count(const Io__Prometheus__Client__Histogram *h, double bound)
{
	for (size_t i = 0; i < h->n_bucket; i++)
		if (h->bucket[i]->upper_bound == bound)
			return h->bucket[i]->cumulative_count;
	fail_msg("no bucket %g", bound);
	return 0;
}

/* Index of the bucket that holds v, as Prometheus' client library finds it. */
static int index_of(double v, int schema)
{
	int exponent, i = 1, n = 1 << schema;
	double fraction = frexp(v, &exponent);

	/* Bounds within [0.5, 1): 2^-1, 2^(-1 + 1/n), ... */
	for (i = 0; i < n && fraction > exp2(-1 + (double)i / n); i++)
		;
	return i + (exponent - 1) * n;
}

static struct snapshot *snapshot_of(const uint64_t *ns, size_t n)
{
	const struct series_options options = {.max_series = 1000};
	struct intern *strings = intern_new();
	struct series_table *t = series_table_new(&options, strings);
	struct series_key key = {.op = OP_OPEN, .actor = INTERN_OTHER};
	struct snapshot *s;

	series_begin(t, 1, 1000);
	assert_int_equal(series_mount_get(t, "lus", "/lus", &key.mount), 0);
	for (size_t i = 0; i < n; i++) {
		struct series_delta d = testing_delta(i % 7 + 1, ns[i], 0);

		assert_int_equal(series_add(t, &key, &d), 0);
	}
	assert_int_equal(snapshot_take(t, NULL, testing_username, NULL, 1000, &s), 0);
	series_table_free(t);
	intern_free(strings);
	return s;
}

/* Each observation is where its own value says, in both forms; what is split or left out shows. */
static void check_observations(const uint64_t *ns, size_t n)
{
	struct snapshot *s = snapshot_of(ns, n);
	struct decoded d = decode(s);
	const Io__Prometheus__Client__Histogram *h =
		find(&d, "lustre_client_access_duration_seconds")->metric[0]->histogram;
	uint64_t zero = 0, total = 0, classic[LATENCY_CLASSIC] = {0};
	uint64_t native[29 + 108 + 1] = {0}, found = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t times = i % 7 + 1;
		double seconds = ns[i] / 1e9;

		total += times;
		sum += times * seconds;
		for (int c = 0; c < LATENCY_CLASSIC; c++)
			if (ns[i] <= latency_layout.classic_bound[c])
				classic[c] += times;
		if (seconds <= 0x1p-27)
			zero += times;
		else if (seconds > 128)
			native[29 + 108] += times;
		else
			native[index_of(seconds, 2) + 108] += times;
	}
	assert_int_equal(h->schema, 2);
	assert_true(h->zero_threshold == 0x1p-27);
	assert_int_equal(h->zero_count, zero);
	assert_int_equal(h->sample_count, total);
	assert_true(fabs(h->sample_sum - sum) <= sum * 1e-12);
	for (int c = 0; c < LATENCY_CLASSIC; c++)
		assert_int_equal(classic_count(h, latency_layout.classic_bound[c] / 1e9),
				 classic[c]);
	for (int i = -108; i <= 29; i++) {
		assert_int_equal(native_count(h, i), native[i + 108]);
		found += native_count(h, i);
	}
	assert_int_equal(found + zero, total);
	assert_true(h->n_positive_span > 0);
	decoded_free(&d);
	snapshot_put(s);
}

static void test_native_buckets(void **state)
{
	uint64_t ns[2 * LATENCY_BOUNDS];
	size_t n = 0;

	/* All bounds, then all of their neighbours. */
	for (int b = 0; b < LATENCY_BOUNDS; b++)
		ns[n++] = latency_bound_ns[b];
	for (int b = 0; b < LATENCY_BOUNDS; b++)
		ns[n++] = latency_bound_ns[b] + 1;
	check_observations(ns, n);
	for (size_t i = 0; i < n; i++)
		check_observations(&ns[i], 1);
	/* Gaps of every width between two buckets. */
	for (int b = 1; b < LATENCY_BOUNDS; b++) {
		const uint64_t two[] = {latency_bound_ns[0] + 1, latency_bound_ns[b] + 1};

		check_observations(two, 2);
	}
}

/* Only the zero bucket: an empty span says that the histogram is native all the same. */
static void test_no_positive_bucket(void **state)
{
	const uint64_t ns = 0;
	struct snapshot *s = snapshot_of(&ns, 1);
	struct decoded d = decode(s);
	const Io__Prometheus__Client__Histogram *h =
		find(&d, "lustre_client_access_duration_seconds")->metric[0]->histogram;

	assert_int_equal(h->n_positive_span, 1);
	assert_int_equal(h->positive_span[0]->offset, 0);
	assert_int_equal(h->positive_span[0]->length, 0);
	assert_int_equal(h->zero_count, 1);
	decoded_free(&d);
	snapshot_put(s);
}

static void test_sizes(void **state)
{
	struct snapshot *s = sample_world();
	struct decoded d = decode(s);
	const Io__Prometheus__Client__Histogram *h =
		find(&d, "lustre_client_io_size_bytes")->metric[0]->histogram;

	assert_int_equal(h->schema, 0);
	assert_true(h->zero_threshold == 1);
	assert_int_equal(h->sample_count, 3);
	assert_true(h->sample_sum == 12288);
	/* 4096 = 2^12 */
	assert_int_equal(native_count(h, 12), 3);
	assert_int_equal(classic_count(h, 4096), 3);
	assert_int_equal(classic_count(h, 1024), 0);
	decoded_free(&d);
	snapshot_put(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_native_buckets),
		cmocka_unit_test(test_no_positive_bucket),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
