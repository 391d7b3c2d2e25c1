/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web configuration file, in the form that Prometheus' exporters share
 * (exporter-toolkit): TLS, basic auth, response headers, rate limit. Read strictly: a
 * key that is not known is an error, and so is what would be ignored.
 */
#ifndef WEB_WEBCONFIG_H
#define WEB_WEBCONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEBCONFIG_SIZE_MAX (1 << 20) /* of the file, and of each file that it names */

enum client_auth {
	CLIENT_AUTH_NONE,
	CLIENT_AUTH_REQUEST,	 /* asked for, not checked */
	CLIENT_AUTH_REQUIRE_ANY, /* must be there, not checked */
	CLIENT_AUTH_VERIFY_IF_GIVEN,
	CLIENT_AUTH_REQUIRE_AND_VERIFY,
};

/* Values of one key: strings in the order of the file. */
struct webconfig_list {
	char **items;
	size_t n;
};

struct webconfig_pair {
	char *name;
	char *value;
};

struct webconfig_pairs {
	struct webconfig_pair *items;
	size_t n;
};

struct webconfig {
	/* tls_server_config; strings are NULL where not given or empty */
	char *cert, *key, *client_ca;		     /* PEM */
	char *cert_file, *key_file, *client_ca_file; /* paths, made relative to the file's folder */
	char *client_auth_type;
	struct webconfig_list client_allowed_sans;
	struct webconfig_list cipher_suites;
	struct webconfig_list curve_preferences;
	char *min_version, *max_version;
	bool prefer_server_cipher_suites;
	bool has_client_allowed_sans;

	/* http_server_config */
	bool http2; /* accepted; HTTP/1.1 is what is served */
	struct webconfig_pairs headers;

	struct webconfig_pairs users; /* basic_auth_users: name, bcrypt hash */

	/* rate_limit; interval 0: none */
	int64_t interval_ns;
	int64_t burst;

	/* What follows from them. */
	bool tls;
	enum client_auth client_auth;
	char priority[1024]; /* of GnuTLS */
};

/*
 * Reads text as if it stood in a file in dir. 0 with *config to be freed, or -EINVAL
 * or -ENOMEM with one line in err that begins with name and line. Reads no other
 * file: that certificates are there and fit is seen by web/tls.h.
 */
int webconfig_parse(struct webconfig **config, const char *text, size_t len, const char *name,
		    const char *dir, char *err, size_t errlen);
void webconfig_free(struct webconfig *config);

/* A whole file, terminated by a NUL that *len does not count; the caller frees. 0 or -errno. */
int webconfig_read_file(const char *path, char **text, size_t *len);

/* Cost of a bcrypt hash, 4 to 31; -EINVAL: it is none. */
int bcrypt_cost(const char *hash);

#endif
