// SPDX-License-Identifier: Apache-2.0
/* The flag and the environment variables of the push. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "web/push_config.h"

/* name=value, up to NULL */
static const char *const *environment;

static char *env(const char *name)
{
	size_t len = strlen(name);

	for (const char *const *e = environment; *e; e++)
		if (!strncmp(*e, name, len) && (*e)[len] == '=')
			return (char *)*e + len + 1;
	return NULL;
}

static int load(struct push_config *c, const char *endpoint, char err[256])
{
	return push_config_load(c, endpoint, env, "0.1.0", "node1", err, 256);
}

#define ENV(...) (environment = (const char *const[]){__VA_ARGS__, NULL})

static void check_url(const char *endpoint, const char *url)
{
	struct push_config c;
	char err[256];

	assert_int_equal(load(&c, endpoint, err), url ? 1 : 0);
	if (!url)
		return;
	assert_string_equal(c.url, url);
	push_config_free(&c);
}

static void test_urls(void **state)
{
	ENV("A=b");
	check_url(NULL, NULL);
	check_url("", NULL);
	check_url("http://h:4318", "http://h:4318/v1/metrics");
	check_url("http://h:4318/", "http://h:4318/v1/metrics");
	check_url("https://h/base", "https://h/base/v1/metrics");
	check_url("http://h/v1/metrics", "http://h/v1/metrics");
	ENV("OTEL_EXPORTER_OTLP_ENDPOINT=http://all");
	check_url(NULL, "http://all/v1/metrics");
	check_url("http://flag", "http://flag/v1/metrics");
	ENV("OTEL_EXPORTER_OTLP_ENDPOINT=http://all",
	    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://metrics/own");
	check_url(NULL, "http://metrics/own");
	ENV("OTEL_EXPORTER_OTLP_ENDPOINT=");
	check_url(NULL, NULL);
}

static const char *attribute(const struct push_config *c, const char *name)
{
	for (size_t i = 0; i < c->n_attributes; i++)
		if (!strcmp(c->attributes[i].name, name))
			return c->attributes[i].value;
	return "(none)";
}

static void test_defaults(void **state)
{
	struct push_config c;
	char err[256];

	ENV("A=b");
	assert_int_equal(load(&c, "http://h", err), 1);
	assert_int_equal(c.timeout_ms, 10000);
	assert_int_equal(c.interval_ms, 60000);
	assert_true(c.gzip);
	assert_false(c.exponential);
	assert_int_equal(c.n_headers, 0);
	assert_int_equal(c.n_attributes, 4);
	assert_string_equal(attribute(&c, "service.name"), "lustre-ebpf-exporter");
	assert_string_equal(attribute(&c, "service.version"), "0.1.0");
	assert_string_equal(attribute(&c, "service.instance.id"), "node1");
	assert_string_equal(attribute(&c, "host.name"), "node1");
	push_config_free(&c);
}

static void test_variables(void **state)
{
	struct push_config c;
	char err[256];

	ENV("OTEL_SERVICE_NAME=lustre",
	    "OTEL_RESOURCE_ATTRIBUTES=service.name=ignored, cluster = big%20one ,host.name=other,"
	    "bad=%ff",
	    "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%20abc,x-b=c",
	    "OTEL_EXPORTER_OTLP_METRICS_HEADERS=x-only=1", "OTEL_EXPORTER_OTLP_TIMEOUT=2500",
	    "OTEL_METRIC_EXPORT_INTERVAL=15000", "OTEL_EXPORTER_OTLP_COMPRESSION=none",
	    "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION="
	    "base2_exponential_bucket_histogram");
	assert_int_equal(load(&c, "http://h", err), 1);
	assert_int_equal(c.n_headers, 1);
	assert_string_equal(c.headers[0], "x-only: 1");
	assert_int_equal(c.timeout_ms, 2500);
	assert_int_equal(c.interval_ms, 15000);
	assert_false(c.gzip);
	assert_true(c.exponential);
	assert_string_equal(attribute(&c, "service.name"), "lustre");
	assert_string_equal(attribute(&c, "cluster"), "big one");
	assert_string_equal(attribute(&c, "host.name"), "other");
	assert_string_equal(attribute(&c, "bad"), "\xef\xbf\xbd");
	push_config_free(&c);

	ENV("OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%20abc,x-b=c");
	assert_int_equal(load(&c, "http://h", err), 1);
	assert_int_equal(c.n_headers, 2);
	assert_string_equal(c.headers[0], "Authorization: Basic abc");
	assert_string_equal(c.headers[1], "x-b: c");
	push_config_free(&c);
}

static void check_error(const char *endpoint, const char *variable, const char *message)
{
	struct push_config c;
	char err[256];

	ENV(variable);
	assert_int_equal(load(&c, endpoint, err), -EINVAL);
	assert_string_equal(err, message);
}

static void test_errors(void **state)
{
	check_error("h:4318", "A=b",
		    "--otlp.endpoint \"h:4318\": must begin with http:// or https://");
	check_error("http://a b", "A=b", "--otlp.endpoint \"http://a b\": is not a URL");
	check_error(NULL, "OTEL_EXPORTER_OTLP_ENDPOINT=ftp://x",
		    "OTEL_EXPORTER_OTLP_ENDPOINT \"ftp://x\": must begin with http:// or https://");
	check_error("http://h", "OTEL_EXPORTER_OTLP_HEADERS=abc",
		    "OTEL_EXPORTER_OTLP_HEADERS \"abc\": is not a list of name=value");
	check_error("http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=b%0d%0ac: d",
		    "OTEL_EXPORTER_OTLP_HEADERS \"a=b%0d%0ac: d\": has what cannot be sent");
	check_error("http://h", "OTEL_EXPORTER_OTLP_HEADERS=a b=c",
		    "OTEL_EXPORTER_OTLP_HEADERS \"a b=c\": has what cannot be sent");
	check_error("http://h", "OTEL_RESOURCE_ATTRIBUTES=abc",
		    "OTEL_RESOURCE_ATTRIBUTES \"abc\": is not a list of name=value");
	check_error("http://h", "OTEL_EXPORTER_OTLP_TIMEOUT=soon",
		    "OTEL_EXPORTER_OTLP_TIMEOUT \"soon\": must be a number of milliseconds, at "
		    "most a day");
	check_error("http://h", "OTEL_METRIC_EXPORT_INTERVAL=0",
		    "OTEL_METRIC_EXPORT_INTERVAL \"0\": must be a number of milliseconds, at most "
		    "a day");
	check_error("http://h", "OTEL_EXPORTER_OTLP_COMPRESSION=zip",
		    "OTEL_EXPORTER_OTLP_COMPRESSION \"zip\": must be gzip or none");
	check_error("http://h", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		    "OTEL_EXPORTER_OTLP_PROTOCOL \"grpc\": only http/protobuf is spoken");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
