// SPDX-License-Identifier: Apache-2.0
/*
 * What the values of the web configuration mean together. The names of cipher
 * suites, curves and versions are those of Go; here they become a priority string of
 * GnuTLS.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "web/webconfig_private.h"

/* A message about a whole section does not name a line of its own. */
static int fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct reader *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->err, r->errlen, "%s: ", r->name);

	va_start(args, format);
	if (n >= 0 && (size_t)n < r->errlen)
		vsnprintf(r->err + n, r->errlen - n, format, args);
	va_end(args);
	return -EINVAL;
}

static const struct {
	const char *name;
	enum client_auth auth;
} client_auths[] = {
	{"NoClientCert", CLIENT_AUTH_NONE},
	{"RequestClientCert", CLIENT_AUTH_REQUEST},
	{"RequireAnyClientCert", CLIENT_AUTH_REQUIRE_ANY},
	{"RequireClientCert", CLIENT_AUTH_REQUIRE_ANY},
	{"VerifyClientCertIfGiven", CLIENT_AUTH_VERIFY_IF_GIVEN},
	{"RequireAndVerifyClientCert", CLIENT_AUTH_REQUIRE_AND_VERIFY},
};

/* Ascending. */
static const struct {
	const char *name;
	const char *priority;
} versions[] = {
	{"TLS10", ":+VERS-TLS1.0"},
	{"TLS11", ":+VERS-TLS1.1"},
	{"TLS12", ":+VERS-TLS1.2"},
	{"TLS13", ":+VERS-TLS1.3"},
};

#define VERSIONS   (sizeof(versions) / sizeof(versions[0]))
#define VERSION_12 2
#define VERSION_13 3

static const struct {
	const char *name;
	const char *priority;
} curves[] = {
	{"CurveP256", ":+GROUP-SECP256R1"},
	{"CurveP384", ":+GROUP-SECP384R1"},
	{"CurveP521", ":+GROUP-SECP521R1"},
	{"X25519", ":+GROUP-X25519"},
};

/* A suite is its key exchange, its cipher and its MAC. Those of TLS 1.3 have the cipher only. */
static const struct {
	const char *name;
	const char *exchange, *cipher, *mac;
} suites[] = {
	{"TLS_AES_128_GCM_SHA256", "", ":+AES-128-GCM", ":+AEAD"},
	{"TLS_AES_256_GCM_SHA384", "", ":+AES-256-GCM", ":+AEAD"},
	{"TLS_CHACHA20_POLY1305_SHA256", "", ":+CHACHA20-POLY1305", ":+AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", ":+ECDHE-ECDSA", ":+AES-128-GCM", ":+AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", ":+ECDHE-ECDSA", ":+AES-256-GCM", ":+AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", ":+ECDHE-ECDSA", ":+CHACHA20-POLY1305",
	 ":+AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", ":+ECDHE-ECDSA", ":+AES-128-CBC", ":+SHA1"},
	{"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", ":+ECDHE-ECDSA", ":+AES-256-CBC", ":+SHA1"},
	{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", ":+ECDHE-RSA", ":+AES-128-GCM", ":+AEAD"},
	{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", ":+ECDHE-RSA", ":+AES-256-GCM", ":+AEAD"},
	{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", ":+ECDHE-RSA", ":+CHACHA20-POLY1305",
	 ":+AEAD"},
	{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", ":+ECDHE-RSA", ":+AES-128-CBC", ":+SHA1"},
	{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", ":+ECDHE-RSA", ":+AES-256-CBC", ":+SHA1"},
	{"TLS_RSA_WITH_AES_128_GCM_SHA256", ":+RSA", ":+AES-128-GCM", ":+AEAD"},
	{"TLS_RSA_WITH_AES_256_GCM_SHA384", ":+RSA", ":+AES-256-GCM", ":+AEAD"},
	{"TLS_RSA_WITH_AES_128_CBC_SHA", ":+RSA", ":+AES-128-CBC", ":+SHA1"},
	{"TLS_RSA_WITH_AES_256_CBC_SHA", ":+RSA", ":+AES-256-CBC", ":+SHA1"},
};

/* Response headers that may be set; values NULL: any. */
static const struct {
	const char *name;
	const char *values[2];
} headers[] = {
	{"Content-Security-Policy", {NULL}},
	{"Strict-Transport-Security", {NULL}},
	{"X-Content-Type-Options", {"nosniff"}},
	{"X-Frame-Options", {"deny", "sameorigin"}},
	{"X-XSS-Protection", {NULL}},
};

/* Appends a part that is not there yet. */
static void priority_add(char *priority, const char *part)
{
	const char *at = strstr(priority, part);
	size_t len = strlen(part);

	if (!len || (at && (at[len] == ':' || !at[len])))
		return;
	strcat(priority, part);
}

static int find_version(struct reader *r, const char *name, unsigned int otherwise,
			unsigned int *version)
{
	*version = otherwise;
	if (!name)
		return 0;
	for (unsigned int v = 0; v < VERSIONS; v++) {
		if (strcmp(name, versions[v].name))
			continue;
		*version = v;
		return 0;
	}
	return fail(r, "unknown TLS version: %.40s (TLS10, TLS11, TLS12 or TLS13)", name);
}

static int check_versions(struct reader *r, unsigned int *min)
{
	struct webconfig *c = r->config;
	unsigned int max;
	int err = find_version(r, c->min_version, VERSION_12, min);

	if (!err)
		err = find_version(r, c->max_version, VERSION_13, &max);
	if (err)
		return err;
	if (*min > max)
		return fail(r, "min_version %s is above max_version %s", versions[*min].name,
			    versions[max].name);
	strcpy(c->priority, "NORMAL:-VERS-ALL");
	for (unsigned int v = *min; v <= max; v++)
		strcat(c->priority, versions[v].priority);
	return 0;
}

static int check_suites(struct reader *r, unsigned int min)
{
	struct webconfig *c = r->config;
	char exchange[128] = "", cipher[128] = "", mac[64] = "";
	bool http2_suite = false;

	for (size_t i = 0; i < c->cipher_suites.n; i++) {
		const char *name = c->cipher_suites.items[i];
		size_t s = 0;

		while (s < sizeof(suites) / sizeof(suites[0]) && strcmp(name, suites[s].name))
			s++;
		if (s == sizeof(suites) / sizeof(suites[0]))
			return fail(r, "unknown cipher: %.60s", name);
		priority_add(exchange, suites[s].exchange);
		priority_add(cipher, suites[s].cipher);
		priority_add(mac, suites[s].mac);
		http2_suite |= !strcmp(name, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256") ||
			       !strcmp(name, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	}
	if (!c->cipher_suites.n)
		return 0;
	/* The rule of the file's other readers, so that one file serves all exporters. */
	if (c->tls && c->http2 && !http2_suite && min < VERSION_13)
		return fail(r, "cipher_suites lacks the one that HTTP/2 requires "
			       "(TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or "
			       "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256); add it or set http2: "
			       "false");
	strcat(c->priority, ":-CIPHER-ALL");
	strcat(c->priority, cipher);
	strcat(c->priority, ":-MAC-ALL");
	strcat(c->priority, mac);
	/* A list of suites of TLS 1.3 alone leaves the key exchanges as they are. */
	if (exchange[0]) {
		strcat(c->priority, ":-KX-ALL");
		strcat(c->priority, exchange);
	}
	return 0;
}

static int check_curves(struct reader *r)
{
	struct webconfig *c = r->config;
	char groups[128] = "";

	for (size_t i = 0; i < c->curve_preferences.n; i++) {
		const char *name = c->curve_preferences.items[i];
		size_t k = 0;

		while (k < sizeof(curves) / sizeof(curves[0]) && strcmp(name, curves[k].name))
			k++;
		if (k == sizeof(curves) / sizeof(curves[0]))
			return fail(r,
				    "unknown curve: %.40s (CurveP256, CurveP384, CurveP521 or "
				    "X25519)",
				    name);
		priority_add(groups, curves[k].priority);
	}
	if (groups[0]) {
		strcat(c->priority, ":-GROUP-ALL");
		strcat(c->priority, groups);
	}
	return 0;
}

static int check_client_auth(struct reader *r)
{
	struct webconfig *c = r->config;
	size_t i = 0;

	if (!c->client_auth_type)
		return 0;
	while (i < sizeof(client_auths) / sizeof(client_auths[0]) &&
	       strcmp(c->client_auth_type, client_auths[i].name))
		i++;
	if (i == sizeof(client_auths) / sizeof(client_auths[0]))
		return fail(r, "invalid client_auth_type: %.40s", c->client_auth_type);
	c->client_auth = client_auths[i].auth;
	return 0;
}

static int check_tls(struct reader *r)
{
	struct webconfig *c = r->config;
	unsigned int min;
	int err;

	c->tls = c->cert || c->key || c->client_ca || c->cert_file || c->key_file ||
		 c->client_ca_file || c->client_auth_type;
	err = check_versions(r, &min);
	if (!err)
		err = check_suites(r, min);
	if (!err)
		err = check_curves(r);
	if (!err)
		err = check_client_auth(r);
	if (err)
		return err;
	if (c->prefer_server_cipher_suites)
		strcat(c->priority, ":%SERVER_PRECEDENCE");
	if (!c->tls)
		return 0;
	if (!c->cert && !c->cert_file)
		return fail(r, "missing one of cert or cert_file");
	if (!c->key && !c->key_file)
		return fail(r, "missing one of key or key_file");
	if (c->cert && c->cert_file)
		return fail(r, "cert and cert_file exclude each other");
	if (c->key && c->key_file)
		return fail(r, "key and key_file exclude each other");
	if (c->client_ca && c->client_ca_file)
		return fail(r, "client_ca and client_ca_file exclude each other");
	if ((c->client_ca || c->client_ca_file) && c->client_auth == CLIENT_AUTH_NONE)
		return fail(r, "a client CA is given without a client_auth_type that uses it");
	if (c->has_client_allowed_sans && c->client_auth != CLIENT_AUTH_REQUIRE_ANY &&
	    c->client_auth != CLIENT_AUTH_REQUIRE_AND_VERIFY)
		return fail(r, "client_allowed_sans needs client_auth_type RequireAnyClientCert or "
			       "RequireAndVerifyClientCert");
	return 0;
}

static int check_header(struct reader *r, const struct webconfig_pair *pair)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		const char *const *values = headers[i].values;

		if (strcmp(pair->name, headers[i].name))
			continue;
		/* A line of its own would be a header of its own. */
		for (const char *p = pair->value; *p; p++)
			if (iscntrl((unsigned char)*p) && *p != '\t')
				return fail(r, "the value of header %s has a control character",
					    pair->name);
		if (!values[0] || !strcmp(pair->value, values[0]) ||
		    (values[1] && !strcmp(pair->value, values[1])))
			return 0;
		return fail(r, "invalid value for header %s, expected %s%s%s", pair->name,
			    values[0], values[1] ? " or " : "", values[1] ? values[1] : "");
	}
	return fail(r, "HTTP header \"%.60s\" cannot be configured", pair->name);
}

int bcrypt_cost(const char *hash)
{
	static const char alphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789";
	int cost;

	if (strncmp(hash, "$2", 2) || !hash[2] || !strchr("abxy", hash[2]) || hash[3] != '$' ||
	    !isdigit((unsigned char)hash[4]) || !isdigit((unsigned char)hash[5]) || hash[6] != '$')
		return -EINVAL;
	if (strspn(hash + 7, alphabet) != 53 || hash[60])
		return -EINVAL;
	cost = (hash[4] - '0') * 10 + hash[5] - '0';
	return cost >= 4 && cost <= 31 ? cost : -EINVAL;
}

int webconfig_check(struct reader *r)
{
	struct webconfig *c = r->config;
	int err = check_tls(r);

	for (size_t i = 0; i < c->headers.n && !err; i++)
		err = check_header(r, &c->headers.items[i]);
	for (size_t i = 0; i < c->users.n && !err; i++)
		if (bcrypt_cost(c->users.items[i].value) < 0)
			err = fail(r, "the password of a user is not a bcrypt hash (make one with: "
				      "htpasswd -nBC 10 \"\")");
	return err;
}
