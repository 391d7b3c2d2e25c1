// SPDX-License-Identifier: Apache-2.0
/* Accept and Accept-Encoding in all their forms, and what they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "encode/negotiate.h"

#define TEXT  "text/plain; version=0.0.4; charset=utf-8"
#define TEXT1 "text/plain; version=1.0.0; charset=utf-8; escaping="
#define OM1   "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define OM0   "application/openmetrics-text; version=0.0.1; charset=utf-8"
#define PROTO                                                                        \
	"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; " \
	"encoding=delimited"
#define PROTO_IN "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"

static const struct {
	const char *accept, *content_type;
} formats[] = {
	{NULL, TEXT},
	{"", TEXT},
	{"*/*", TEXT},
	{"text/*", TEXT},
	{"text/plain", TEXT},
	{"TEXT/Plain;Version=0.0.4", TEXT},
	{"text/plain;version=1.0.0", TEXT1 "underscores"},
	{"text/plain;version=1.0.0;escaping=allow-utf-8", TEXT1 "allow-utf-8"},
	{"text/plain;version=1.0.0;escaping=values", TEXT1 "values"},
	{"text/plain;version=1.0.0;escaping=\"dots\"", TEXT1 "dots"},
	{"text/plain;version=1.0.0;escaping=nonsense", TEXT1 "underscores"},
	{"text/plain;version=2.0.0", TEXT},
	{"application/openmetrics-text", OM0},
	{"application/openmetrics-text;version=0.0.1", OM0},
	{"application/openmetrics-text;version=1.0.0", OM1},
	{"application/openmetrics-text; version=\"1.0.0\" ; charset=utf-8", OM1},
	{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8",
	 OM1 "; escaping=allow-utf-8"},
	{"application/openmetrics-text;version=2.0.0", TEXT},
	{"application/*", OM1},
	{PROTO_IN "encoding=delimited", PROTO},
	{PROTO_IN "encoding=text", TEXT},
	{"application/vnd.google.protobuf", TEXT},
	{"application/vnd.google.protobuf;proto=other;encoding=delimited", TEXT},
	{"application/json", TEXT},
	/* Prometheus 2 */
	{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
	 "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
	 OM1},
	/* Prometheus 3 */
	{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
	 "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
	 "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
	 OM1 "; escaping=allow-utf-8"},
	/* with native histograms */
	{PROTO_IN "encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,"
		  "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,"
		  "*/*;q=0.1",
	 PROTO},
	/* a browser */
	{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT},
	/* qualities and order */
	{"text/plain;q=0.5, application/openmetrics-text;version=1.0.0;q=0.6", OM1},
	{"text/plain;q=0.5, application/openmetrics-text;version=1.0.0;q=0.5", TEXT},
	{"application/openmetrics-text;version=1.0.0;q=0.5, text/plain;q=0.5", OM1},
	{"application/openmetrics-text;version=1.0.0;q=0.501, text/plain;q=0.5", OM1},
	{"application/openmetrics-text;version=1.0.0;q=0, text/plain;q=0.001", TEXT},
	{"text/plain;q=0, */*", OM1},
	{"text/plain;q=0, application/openmetrics-text;q=0, */*", PROTO},
	{"text/plain;version=0.0.4;q=0,*/*;q=0.5", TEXT1 "underscores"},
	{"*/*;q=0", TEXT},
	{"application/openmetrics-text;version=1.0.0;q=7", OM1},
	{"application/openmetrics-text;version=1.0.0;q=abc,text/plain;q=0.9", OM1},
	/* garbage */
	{";;;,,,;q=,/", TEXT},
	{"\"", TEXT},
	{"\xff\xfe/\x01;q=\x80", TEXT},
	{"text/plain;version=\"1.0.0", TEXT},
	{"text/plain;a=\",application/openmetrics-text;version=1.0.0\"", TEXT},
	{"application/openmetrics-text\t;\tversion=1.0.0\t", OM1},
};

static void test_formats(void **state)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct negotiated n;

		negotiate(formats[i].accept, NULL, &n);
		assert_string_equal(n.content_type, formats[i].content_type);
		if (strstr(n.content_type, "openmetrics"))
			assert_ptr_equal(n.encoder, &openmetrics_encoder);
		else if (strstr(n.content_type, "protobuf"))
			assert_ptr_equal(n.encoder, &protobuf_encoder);
		else
			assert_ptr_equal(n.encoder, &text_encoder);
		assert_int_equal(n.coding, CODING_IDENTITY);
	}
}

static const struct {
	const char *accept_encoding;
	enum coding coding;
} codings[] = {
	{NULL, CODING_IDENTITY},
	{"", CODING_IDENTITY},
	{"gzip", CODING_GZIP},
	{"GZIP", CODING_GZIP},
	{"x-gzip", CODING_GZIP},
	{"deflate, gzip;q=1.0, *;q=0.5", CODING_GZIP},
	{"gzip;q=0", CODING_IDENTITY},
	{"gzip;q=0.0", CODING_IDENTITY},
	{"gzip;q=0.001", CODING_GZIP},
	{"gzip; q=0", CODING_IDENTITY},
	{"*", CODING_GZIP},
	{"*;q=0", CODING_IDENTITY},
	{"gzip;q=0, *", CODING_IDENTITY},
	{"identity", CODING_IDENTITY},
	{"identity;q=0", CODING_IDENTITY},
	{"identity, gzip", CODING_GZIP},
	{"identity;q=1, gzip;q=0.5", CODING_IDENTITY},
	{"identity;q=0.5, gzip;q=1", CODING_GZIP},
	{"br, deflate", CODING_IDENTITY},
	{"zstd", CODING_ZSTD},
	{"br, ZSTD", CODING_ZSTD},
	{"gzip, zstd", CODING_ZSTD},
	{"zstd, gzip", CODING_ZSTD},
	{"gzip, zstd;q=0.9", CODING_GZIP},
	{"gzip;q=0.9, zstd", CODING_ZSTD},
	{"gzip, zstd;q=0", CODING_GZIP},
	{"zstd;q=0, *", CODING_GZIP},
	{"zstd;q=0.5, identity", CODING_IDENTITY},
	{"zstd;q=0", CODING_IDENTITY},
	{"*;q=0, zstd", CODING_ZSTD},
	{"gzipped", CODING_IDENTITY},
	{",;,gzip", CODING_GZIP},
};

static void test_codings(void **state)
{
	for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++) {
		struct negotiated n;

		negotiate(NULL, codings[i].accept_encoding, &n);
		assert_int_equal(n.coding, codings[i].coding);
	}
}

/* Headers of 8 KB: the wanted range comes last. */
static void test_long_headers(void **state)
{
	static const char tail[] = ",application/openmetrics-text;version=1.0.0";
	static const char *const filler[] = {"a/b;q=0.1,", ",", ";", "text/x;y=\"z\",",
					     "/",	   "=", "x"};
	struct negotiated n;

	for (size_t i = 0; i < sizeof(filler) / sizeof(filler[0]); i++) {
		char header[8192 + sizeof(tail)];
		size_t len = 0;

		while (len + strlen(filler[i]) < 8192) {
			memcpy(header + len, filler[i], strlen(filler[i]));
			len += strlen(filler[i]);
		}
		memcpy(header + len, tail, sizeof(tail));
		negotiate(header, header, &n);
		assert_string_equal(n.content_type, OM1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_codings),
		cmocka_unit_test(test_long_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
