// SPDX-License-Identifier: Apache-2.0
/*
 * The web configuration: files that other exporters take or refuse get the same
 * verdict here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <gnutls/gnutls.h>

#include "web/webconfig.h"

#define FILES "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
#define HASH  "$2y$10$qlo4ebxvFY4fBY2O7nBaUuCQ0aqHsuQmqfqU1wzRVdM8fCs.7B4da"

/* error NULL: the file is good. */
static const struct {
	const char *text, *error;
} files[] = {
	{"", NULL},
	{"# nothing\n", NULL},
	{"---\n", NULL},
	{"{}", NULL},
	{"tls_server_config:\n", NULL},
	{"tls_server_config: {}\nhttp_server_config: ~\n", NULL},
	/* structure */
	{"hello", "f:1: the file must be a mapping"},
	{"- a\n- b\n", "f:1: the file must be a mapping"},
	{"\t", "f:1: not YAML: found character that cannot start any token"},
	{"a: b: c\n", "f:1: not YAML: mapping values are not allowed in this context"},
	{"tls_server_config:\n  cert_filse: x\n",
	 "f:2: unknown key \"cert_filse\" in tls_server_config"},
	{"tls_server: {}\n", "f:1: unknown key \"tls_server\" in the file"},
	{"[a]: b\n", "f:1: unknown key \"\" in the file"},
	{"tls_server_config: x\n", "f:1: tls_server_config must be a mapping"},
	{"tls_server_config: {}\ntls_server_config: {}\n", "f:2: tls_server_config is there twice"},
	{FILES "  cert_file: b\n", "f:4: cert_file is there twice"},
	{"tls_server_config:\n  cert_file: [a]\n", "f:2: cert_file must be a string"},
	{"tls_server_config:\n  cipher_suites: a\n", "f:2: cipher_suites must be a list"},
	{"tls_server_config:\n  cipher_suites: [[a]]\n", "f:2: cipher_suites must be a string"},
	{"tls_server_config:\n  cert: \"a\\0b\"\n", "f:2: cert must be a string without NUL"},
	{"http_server_config:\n  http2: 1\n", "f:2: http2 must be true or false"},
	{"http_server_config:\n  http2: off\n", NULL},
	/* certificate and key */
	{FILES, NULL},
	{FILES "  client_auth_type: NoClientCert\n", NULL},
	{"tls_server_config:\n  cert_file: ''\n  key_file: server.key\n",
	 "f: missing one of cert or cert_file"},
	{"tls_server_config:\n  key_file: server.key\n", "f: missing one of cert or cert_file"},
	{"tls_server_config:\n  cert_file: server.crt\n  key_file: ''\n",
	 "f: missing one of key or key_file"},
	{"tls_server_config:\n  cert_file: server.crt\n  key_file:\n",
	 "f: missing one of key or key_file"},
	{"tls_server_config:\n  cert: ''\n  key: k\n", "f: missing one of cert or cert_file"},
	{"tls_server_config:\n  cert: c\n  key: ''\n", "f: missing one of key or key_file"},
	{"tls_server_config:\n  cert_file: ''\n  key_file: ''\n", NULL},
	{"tls_server_config:\n  cert_file: ''\n  key_file: ''\n  client_auth_type: "
	 "RequestClientCert\n",
	 "f: missing one of cert or cert_file"},
	{"tls_server_config:\n  cert: |\n    pem\n  key: |\n    pem\n", NULL},
	{FILES "  cert: pem\n", "f: cert and cert_file exclude each other"},
	{FILES "  key: pem\n", "f: key and key_file exclude each other"},
	/* clients' certificates */
	{FILES "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n", NULL},
	{FILES "  client_auth_type: RequireClientCert\n", NULL},
	{FILES "  client_auth_type: VerifyClientCertIfGiven\n", NULL},
	{FILES "  client_auth_type: Whatever\n", "f: invalid client_auth_type: Whatever"},
	{FILES "  client_ca_file: ca.crt\n",
	 "f: a client CA is given without a client_auth_type that uses it"},
	{FILES "  client_ca: pem\n  client_auth_type: NoClientCert\n",
	 "f: a client CA is given without a client_auth_type that uses it"},
	{FILES "  client_auth_type: RequireAndVerifyClientCert\n  client_ca: p\n  client_ca_file: "
	       "f\n",
	 "f: client_ca and client_ca_file exclude each other"},
	{FILES "  client_auth_type: RequireAnyClientCert\n  client_allowed_sans: [a, b]\n", NULL},
	{FILES "  client_allowed_sans: [a]\n",
	 "f: client_allowed_sans needs client_auth_type RequireAnyClientCert or "
	 "RequireAndVerifyClientCert"},
	{FILES "  client_auth_type: VerifyClientCertIfGiven\n  client_allowed_sans: [a]\n",
	 "f: client_allowed_sans needs client_auth_type RequireAnyClientCert or "
	 "RequireAndVerifyClientCert"},
	/* versions, suites, curves */
	{FILES "  min_version: TLS13\n", NULL},
	{FILES "  min_version: TLS10\n  max_version: TLS11\n", NULL},
	{FILES "  min_version: TLS111\n",
	 "f: unknown TLS version: TLS111 (TLS10, TLS11, TLS12 or TLS13)"},
	{FILES "  max_version: SSL30\n",
	 "f: unknown TLS version: SSL30 (TLS10, TLS11, TLS12 or TLS13)"},
	{FILES "  min_version: TLS13\n  max_version: TLS12\n",
	 "f: min_version TLS13 is above max_version TLS12"},
	{FILES "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n", NULL},
	{FILES "  cipher_suites:\n"
	       "  - TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\n"
	       "  - TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384\n"
	       "  - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n"
	       "  - TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\n"
	       "  - TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256\n"
	       "  - TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256\n"
	       "  - TLS_AES_128_GCM_SHA256\n"
	       "  - TLS_AES_256_GCM_SHA384\n"
	       "  - TLS_CHACHA20_POLY1305_SHA256\n"
	       "  - TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA\n"
	       "  - TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA\n"
	       "  - TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA\n"
	       "  - TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA\n"
	       "  - TLS_RSA_WITH_AES_128_CBC_SHA\n"
	       "  - TLS_RSA_WITH_AES_256_CBC_SHA\n"
	       "  - TLS_RSA_WITH_AES_128_GCM_SHA256\n"
	       "  - TLS_RSA_WITH_AES_256_GCM_SHA384\n"
	       "  prefer_server_cipher_suites: false\n",
	 NULL},
	{FILES "  cipher_suites: [TLS_RSA_WITH_AES_2048]\n",
	 "f: unknown cipher: TLS_RSA_WITH_AES_2048"},
	{FILES "  cipher_suites: [TLS_RSA_WITH_AES_128_CBC_SHA]\n  max_version: TLS12\n",
	 "f: cipher_suites lacks the one that HTTP/2 requires "
	 "(TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256); add "
	 "it or set http2: false"},
	{FILES "  cipher_suites: [TLS_RSA_WITH_AES_128_CBC_SHA]\nhttp_server_config:\n"
	       "  http2: false\n",
	 NULL},
	{FILES "  cipher_suites: [TLS_AES_256_GCM_SHA384]\n  min_version: TLS13\n", NULL},
	{FILES "  curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]\n", NULL},
	{FILES "  curve_preferences: [CurveP257]\n",
	 "f: unknown curve: CurveP257 (CurveP256, CurveP384, CurveP521 or X25519)"},
	/* headers */
	{"http_server_config:\n  headers:\n    X-Frame-Options: deny\n"
	 "    X-Content-Type-Options: nosniff\n    X-XSS-Protection: '1'\n"
	 "    Strict-Transport-Security: max-age=1\n    Content-Security-Policy: a; b\n",
	 NULL},
	{"http_server_config:\n  headers: {X-Frame-Options: sometimes}\n",
	 "f: invalid value for header X-Frame-Options, expected deny or sameorigin"},
	{"http_server_config:\n  headers: {X-Content-Type-Options: sniff}\n",
	 "f: invalid value for header X-Content-Type-Options, expected nosniff"},
	{"http_server_config:\n  headers: {X-Other: a}\n",
	 "f: HTTP header \"X-Other\" cannot be configured"},
	{"http_server_config:\n  headers: {Content-Security-Policy: \"a\\r\\nX: b\"}\n",
	 "f: the value of header Content-Security-Policy has a control character"},
	/* users */
	{"basic_auth_users:\n  alice: " HASH "\n  bob: " HASH "\n", NULL},
	{"basic_auth_users:\n  alice: " HASH "\n  alice: " HASH "\n",
	 "f:3: basic_auth_users names one twice"},
	{"basic_auth_users:\n  alice: secret\n",
	 "f: the password of a user is not a bcrypt hash (make one with: htpasswd -nBC 10 \"\")"},
	{"basic_auth_users: [alice]\n",
	 "f:1: basic_auth_users must be a mapping of names to strings"},
	{"basic_auth_users:\n  alice: {}\n", "f:2: basic_auth_users must be a string"},
	/* rate */
	{"rate_limit:\n  interval: 1s\n  burst: 20\n", NULL},
	{"rate_limit:\n  interval: \"1s\"\n  burst: 0\n", NULL},
	{"rate_limit:\n  interval: 1d\n", "f:2: interval must be a duration such as 1s"},
	{"rate_limit:\n  interval: often\n", "f:2: interval must be a duration such as 1s"},
	{"rate_limit:\n  burst: many\n", "f:2: burst must be an integer"},
};

static void test_verdicts(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct webconfig *config = NULL;
		char err[512];
		int error = webconfig_parse(&config, files[i].text, strlen(files[i].text), "f",
					    "/etc", err, sizeof(err));

		if (error && !files[i].error)
			fail_msg("%s: %s", files[i].text, err);
		if (!error && files[i].error)
			fail_msg("%s: taken", files[i].text);
		if (error) {
			assert_int_equal(error, -EINVAL);
			assert_string_equal(err, files[i].error);
			continue;
		}
		webconfig_free(config);
	}
}

/* Whatever is made of suites, curves and versions, GnuTLS understands it. */
static void test_priorities(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct webconfig *config;
		gnutls_priority_t priority;
		char err[512];

		if (files[i].error)
			continue;
		assert_int_equal(webconfig_parse(&config, files[i].text, strlen(files[i].text), "f",
						 "/etc", err, sizeof(err)),
				 0);
		assert_int_equal(gnutls_priority_init(&priority, config->priority, NULL), 0);
		gnutls_priority_deinit(priority);
		webconfig_free(config);
	}
}

static void test_values(void **state)
{
	static const char text[] = FILES "  client_ca_file: /abs/ca.crt\n"
					 "  client_auth_type: RequireAndVerifyClientCert\n"
					 "  client_allowed_sans: [a.example, 10.0.0.1]\n"
					 "  min_version: TLS12\n"
					 "  max_version: TLS12\n"
					 "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "
					 "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n"
					 "  curve_preferences: [X25519, CurveP256]\n"
					 "rate_limit: {interval: 1m30s, burst: 0x10}\n"
					 "basic_auth_users: {alice: " HASH "}\n";
	struct webconfig *c;
	char err[512];

	assert_int_equal(webconfig_parse(&c, text, strlen(text), "f", "/etc/x", err, sizeof(err)),
			 0);
	assert_true(c->tls);
	assert_string_equal(c->cert_file, "/etc/x/server.crt");
	assert_string_equal(c->key_file, "/etc/x/server.key");
	assert_string_equal(c->client_ca_file, "/abs/ca.crt");
	assert_int_equal(c->client_auth, CLIENT_AUTH_REQUIRE_AND_VERIFY);
	assert_int_equal(c->client_allowed_sans.n, 2);
	assert_string_equal(c->client_allowed_sans.items[1], "10.0.0.1");
	assert_string_equal(c->priority,
			    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:"
			    "-MAC-ALL:+AEAD:-KX-ALL:+ECDHE-RSA:-GROUP-ALL:+GROUP-X25519:"
			    "+GROUP-SECP256R1:%SERVER_PRECEDENCE");
	assert_true(c->interval_ns == 90000000000);
	assert_int_equal(c->burst, 16);
	assert_int_equal(c->users.n, 1);
	assert_string_equal(c->users.items[0].name, "alice");
	assert_string_equal(c->users.items[0].value, HASH);
	webconfig_free(c);
}

static void test_bcrypt_cost(void **state)
{
	assert_int_equal(bcrypt_cost(HASH), 10);
	assert_int_equal(
		bcrypt_cost("$2a$04$qlo4ebxvFY4fBY2O7nBaUuCQ0aqHsuQmqfqU1wzRVdM8fCs.7B4da"), 4);
	assert_int_equal(
		bcrypt_cost("$2y$32$qlo4ebxvFY4fBY2O7nBaUuCQ0aqHsuQmqfqU1wzRVdM8fCs.7B4da"),
		-EINVAL);
	assert_int_equal(
		bcrypt_cost("$2y$03$qlo4ebxvFY4fBY2O7nBaUuCQ0aqHsuQmqfqU1wzRVdM8fCs.7B4da"),
		-EINVAL);
	assert_int_equal(bcrypt_cost("$2y$10$qlo4ebxvFY4fBY2O7nBaUuCQ0aqHsuQmqfqU1wzRVdM8fCs.7B4d"),
			 -EINVAL);
	assert_int_equal(bcrypt_cost(HASH "x"), -EINVAL);
	assert_int_equal(
		bcrypt_cost("$2y$10$qlo4ebxvFY4fBY2O7nBaU:CQ0aqHsuQmqfqU1wzRVdM8fCs.7B4da"),
		-EINVAL);
	assert_int_equal(bcrypt_cost("$6$abc$def"), -EINVAL);
	assert_int_equal(bcrypt_cost(""), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bcrypt_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
