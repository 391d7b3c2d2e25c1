// SPDX-License-Identifier: Apache-2.0
/*
 * The push against a receiver that follows a script: it answers, asks for patience, talks
 * nonsense, or says nothing. No test waits by the clock: waiting is recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <semaphore.h>
#include <zlib.h>
#include <cmocka.h>

#include "otlp.pb-c.h"
#include "web/push.h"
#include "web/testing.h"

#define WAITS_MAX 16

/* One connection: what is answered to its request; NULL: nothing, until the client has gone. */
struct receiver {
	const char *const *script;
	int n;
	int listener;
	uint16_t port;
	pthread_t thread;
	int decoded;	 /* requests that were OTLP */
	char head[4096]; /* of the last request */
	struct counts {	 /* in the last request */
		uint64_t operations, bytes, errors;
		uint64_t explicit_count, explicit_buckets;
		uint64_t exponential_count, exponential_buckets;
		double duration_sum;
	} counts;
};

struct fixture {
	struct receiver receiver;
	struct snapshot *snapshot;
	unsigned int waits[WAITS_MAX];
	int n_waits, allowed;
	sem_t ended;
};

static uint64_t total(const uint64_t *n, size_t len)
{
	uint64_t sum = 0;

	while (len--)
		sum += n[len];
	return sum;
}

static void take_duration(struct counts *c, const Opentelemetry__Proto__Metric *m)
{
	if (m->data_case == OPENTELEMETRY__PROTO__METRIC__DATA_HISTOGRAM) {
		const Opentelemetry__Proto__HistogramDataPoint *p = m->histogram->data_points[0];

		c->explicit_count = p->count;
		c->explicit_buckets = total(p->bucket_counts, p->n_bucket_counts);
		c->duration_sum = p->sum;
	}
	if (m->data_case == OPENTELEMETRY__PROTO__METRIC__DATA_EXPONENTIAL_HISTOGRAM) {
		const Opentelemetry__Proto__ExponentialHistogramDataPoint *p =
			m->exponential_histogram->data_points[0];

		c->exponential_count = p->count;
		c->exponential_buckets = p->zero_count + total(p->positive->bucket_counts,
							       p->positive->n_bucket_counts);
		c->duration_sum = p->sum;
	}
}

static void take(struct counts *c, const Opentelemetry__Proto__Metric *m)
{
	if (!strcmp(m->name, "lustre.client.access.operations"))
		c->operations = m->sum->data_points[0]->as_int;
	else if (!strcmp(m->name, "lustre.client.data.bytes"))
		c->bytes = m->sum->data_points[0]->as_int;
	else if (!strcmp(m->name, "lustre.client.operation.errors"))
		c->errors = m->sum->data_points[0]->as_int;
	else if (!strcmp(m->name, "lustre.client.access.duration"))
		take_duration(c, m);
}

static void decode(struct receiver *r, unsigned char *body, size_t len)
{
	static unsigned char plain[1 << 20];
	Opentelemetry__Proto__ExportMetricsServiceRequest *request;
	const Opentelemetry__Proto__ScopeMetrics *scope;
	z_stream z = {.next_in = body, .avail_in = len};
	size_t plain_len = len;

	if (strstr(r->head, "Content-Encoding: gzip")) {
		z.next_out = plain;
		z.avail_out = sizeof(plain);
		if (inflateInit2(&z, 15 + 16) != Z_OK || inflate(&z, Z_FINISH) != Z_STREAM_END)
			return;
		plain_len = z.total_out;
		inflateEnd(&z);
	} else {
		memcpy(plain, body, len);
	}
	request = opentelemetry__proto__export_metrics_service_request__unpack(NULL, plain_len,
									       plain);
	if (!request)
		return;
	r->decoded++;
	scope = request->resource_metrics[0]->scope_metrics[0];
	memset(&r->counts, 0, sizeof(r->counts));
	for (size_t i = 0; i < scope->n_metrics; i++)
		take(&r->counts, scope->metrics[i]);
	opentelemetry__proto__export_metrics_service_request__free_unpacked(request, NULL);
}

static void read_request(struct receiver *r, int fd)
{
	static char buf[1 << 20];
	size_t used = 0, length = 0;
	char *end = NULL, *field;

	for (;;) {
		ssize_t n = recv(fd, buf + used, sizeof(buf) - 1 - used, 0);

		if (n <= 0)
			return;
		used += n;
		buf[used] = '\0';
		if (!end) {
			end = strstr(buf, "\r\n\r\n");
			if (!end)
				continue;
			end += 4;
			snprintf(r->head, sizeof(r->head), "%.*s", (int)(end - buf), buf);
			field = strcasestr(r->head, "Content-Length:");
			length = field ? strtoul(field + 15, NULL, 10) : 0;
		}
		if (used - (end - buf) >= length)
			break;
	}
	decode(r, (unsigned char *)end, length);
}

static void *receiver_main(void *arg)
{
	struct receiver *r = arg;
	char byte;

	for (int i = 0; i < r->n; i++) {
		int fd = accept(r->listener, NULL, NULL);

		read_request(r, fd);
		if (r->script[i])
			client_send(fd, r->script[i]);
		else
			while (recv(fd, &byte, 1, 0) > 0)
				;
		close(fd);
	}
	return NULL;
}

static bool record_wait(void *ctx, unsigned int ms)
{
	struct fixture *f = ctx;

	if (f->n_waits < WAITS_MAX)
		f->waits[f->n_waits] = ms;
	if (f->n_waits++ < f->allowed)
		return true;
	sem_post(&f->ended);
	return false;
}

static int collect(void *ctx, struct snapshot **s)
{
	struct fixture *f = ctx;

	*s = snapshot_ref(f->snapshot);
	return 0;
}

static const char *variables[8];

static char *env(const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; variables[i]; i++)
		if (!strncmp(variables[i], name, len) && variables[i][len] == '=')
			return (char *)variables[i] + len + 1;
	return NULL;
}

/* Pushes until allowed waits are over; n answers are in the script. */
static void run(struct fixture *f, const char *const *script, int n, int allowed,
		struct push_stats *stats)
{
	struct push_site site = {
		.version = "0.1.0", .collect = collect, .wait = record_wait, .ctx = f};
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sa);
	struct push_config config;
	struct pusher *pusher;
	char err[256], url[64];

	memset(f, 0, sizeof(*f));
	f->allowed = allowed;
	f->snapshot = sample_world();
	sem_init(&f->ended, 0, 0);
	f->receiver.script = script;
	f->receiver.n = n;
	f->receiver.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->receiver.listener, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(f->receiver.listener, 8), 0);
	getsockname(f->receiver.listener, (struct sockaddr *)&sa, &len);
	pthread_create(&f->receiver.thread, NULL, receiver_main, &f->receiver);

	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(sa.sin_port));
	assert_int_equal(push_config_load(&config, url, env, "0.1.0", "node1", err, sizeof(err)),
			 1);
	assert_int_equal(push_start(&pusher, &config, &site, err, sizeof(err)), 0);
	sem_wait(&f->ended);
	push_stats(pusher, stats);
	push_stop(pusher, false);
	pthread_join(f->receiver.thread, NULL);
	close(f->receiver.listener);
	push_config_free(&config);
	snapshot_put(f->snapshot);
}

#define OK	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define STATUS(s) "HTTP/1.1 " s "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

/* What sample_world() has counted. */
static void check_counts(const struct counts *c)
{
	assert_int_equal(c->operations, 3);
	assert_int_equal(c->bytes, 8192);
	assert_int_equal(c->errors, 1);
	assert_true(c->duration_sum == 200.000020001);
}

static void test_taken(void **state)
{
	static const char *const script[] = {OK, OK};
	struct push_stats stats;
	struct fixture f;

	variables[0] = "OTEL_EXPORTER_OTLP_HEADERS=x-token=a%20b";
	run(&f, script, 2, 2, &stats);
	variables[0] = NULL;
	assert_int_equal(f.n_waits, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(f.waits[i], 60000);
	assert_int_equal(f.receiver.decoded, 2);
	check_counts(&f.receiver.counts);
	assert_int_equal(f.receiver.counts.explicit_count, 3);
	assert_int_equal(f.receiver.counts.explicit_buckets, 3);
	assert_int_equal(f.receiver.counts.exponential_count, 0);
	assert_int_equal(strncmp(f.receiver.head, "POST /v1/metrics HTTP/1.1\r\n", 27), 0);
	assert_non_null(strstr(f.receiver.head, "Content-Type: application/x-protobuf\r\n"));
	assert_non_null(strstr(f.receiver.head, "Content-Encoding: gzip\r\n"));
	assert_non_null(strstr(f.receiver.head, "x-token: a b\r\n"));
	assert_int_equal(stats.requests, 2);
	assert_int_equal(stats.points, 22);
	assert_int_equal(stats.failed, 0);
	assert_int_equal(stats.rejected, 0);
}

static void test_exponential(void **state)
{
	static const char *const script[] = {OK};
	struct push_stats stats;
	struct fixture f;

	variables[0] = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION="
		       "base2_exponential_bucket_histogram";
	run(&f, script, 1, 1, &stats);
	variables[0] = NULL;
	check_counts(&f.receiver.counts);
	assert_int_equal(f.receiver.counts.exponential_count, 3);
	assert_int_equal(f.receiver.counts.exponential_buckets, 3);
	assert_int_equal(f.receiver.counts.explicit_count, 0);
	assert_int_equal(stats.points, 11);
}

static void test_uncompressed(void **state)
{
	static const char *const script[] = {OK};
	struct push_stats stats;
	struct fixture f;

	variables[0] = "OTEL_EXPORTER_OTLP_COMPRESSION=none";
	run(&f, script, 1, 1, &stats);
	variables[0] = NULL;
	assert_int_equal(f.receiver.decoded, 1);
	assert_null(strstr(f.receiver.head, "Content-Encoding"));
	assert_int_equal(stats.requests, 1);
}

/* Retry-After is kept to; without it the delays double, between half and all of them. */
static void test_retries(void **state)
{
	static const char *const script[] = {
		"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n"
		"Connection: close\r\n\r\n",
		STATUS("503 Service Unavailable"),
		STATUS("502 Bad Gateway"),
		"garbage\r\n\r\n",
		OK,
	};
	struct push_stats stats;
	struct fixture f;

	run(&f, script, 5, 5, &stats);
	assert_int_equal(f.n_waits, 6);
	assert_int_equal(f.waits[1], 7000);
	assert_in_range(f.waits[2], 1000, 2000);
	assert_in_range(f.waits[3], 2000, 4000);
	assert_in_range(f.waits[4], 4000, 8000);
	assert_int_equal(f.waits[5], 60000);
	assert_int_equal(f.receiver.decoded, 5);
	check_counts(&f.receiver.counts);
	assert_int_equal(stats.requests, 1);
	assert_int_equal(stats.failed, 0);
}

/* A receiver that says nothing is given up by the time-out. */
static void test_silence(void **state)
{
	static const char *const script[] = {NULL, OK};
	struct push_stats stats;
	struct fixture f;

	variables[0] = "OTEL_EXPORTER_OTLP_TIMEOUT=50";
	run(&f, script, 2, 2, &stats);
	variables[0] = NULL;
	assert_int_equal(f.n_waits, 3);
	assert_in_range(f.waits[1], 500, 1000);
	assert_int_equal(stats.requests, 1);
}

/* What the receiver does not want is not sent again; partial success is success. */
static void test_refused(void **state)
{
	static const char *const script[] = {
		STATUS("400 Bad Request"),
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n\x0a\x02\x08\x05",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
	};
	struct push_stats stats;
	struct fixture f;

	run(&f, script, 3, 3, &stats);
	assert_int_equal(f.n_waits, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(f.waits[i], 60000);
	assert_int_equal(stats.failed, 1);
	assert_int_equal(stats.requests, 2);
	assert_int_equal(stats.rejected, 5);
}

/* A longer patience than until the next push is not had. */
static void test_given_up(void **state)
{
	static const char *const script[] = {
		"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 61\r\nContent-Length: 0\r\n"
		"Connection: close\r\n\r\n",
		OK,
	};
	struct push_stats stats;
	struct fixture f;

	run(&f, script, 2, 2, &stats);
	assert_int_equal(f.n_waits, 3);
	assert_int_equal(f.waits[1], 60000);
	assert_int_equal(stats.failed, 1);
	assert_int_equal(stats.requests, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),	     cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_uncompressed), cmocka_unit_test(test_retries),
		cmocka_unit_test(test_silence),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
