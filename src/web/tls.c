// SPDX-License-Identifier: Apache-2.0
/* TLS of the server, see tls.h. */
#include "web/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tls {
	const struct webconfig *config;
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priority;
};

/* text, or what stands in the file; NULL if neither is given. */
static int load(char **pem, const char *text, const char *path, const char *what, char *err,
		size_t errlen)
{
	size_t len;
	int error;

	*pem = NULL;
	if (text) {
		*pem = strdup(text);
		return *pem ? 0 : -ENOMEM;
	}
	if (!path)
		return 0;
	error = webconfig_read_file(path, pem, &len);
	if (error)
		snprintf(err, errlen, "cannot read %s %s: %s", what, path, strerror(-error));
	return error;
}

int tls_material_load(struct tls_material *m, const struct webconfig *c, char *err, size_t errlen)
{
	int error;

	*m = (struct tls_material){0};
	snprintf(err, errlen, "out of memory");
	error = load(&m->cert, c->cert, c->cert_file, "cert_file", err, errlen);
	if (!error)
		error = load(&m->key, c->key, c->key_file, "key_file", err, errlen);
	if (!error)
		error = load(&m->client_ca, c->client_ca, c->client_ca_file, "client_ca_file", err,
			     errlen);
	if (error)
		tls_material_free(m);
	return error;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool tls_material_equal(const struct tls_material *a, const struct tls_material *b)
{
	return same(a->cert, b->cert) && same(a->key, b->key) && same(a->client_ca, b->client_ca);
}

void tls_material_free(struct tls_material *m)
{
	free(m->cert);
	/* No copy of the key shall stay behind in freed memory. */
	if (m->key)
		explicit_bzero(m->key, strlen(m->key));
	free(m->key);
	free(m->client_ca);
	*m = (struct tls_material){0};
}

static gnutls_datum_t datum(const char *text)
{
	return (gnutls_datum_t){.data = (unsigned char *)text, .size = strlen(text)};
}

static int fail(const char *what, int code, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: %s", what, gnutls_strerror(code));
	return code == GNUTLS_E_MEMORY_ERROR ? -ENOMEM : -EINVAL;
}

static int set_client_ca(struct tls *tls, const char *pem, char *err, size_t errlen)
{
	gnutls_datum_t ca;
	int n;

	if (!pem) {
		n = gnutls_certificate_set_x509_system_trust(tls->credentials);
		return n < 0 ? fail("the system's certificate authorities", n, err, errlen) : 0;
	}
	ca = datum(pem);
	n = gnutls_certificate_set_x509_trust_mem(tls->credentials, &ca, GNUTLS_X509_FMT_PEM);
	if (n > 0)
		return 0;
	return fail("client CA: no certificate in it", n ? n : GNUTLS_E_NO_CERTIFICATE_FOUND, err,
		    errlen);
}

int tls_new(struct tls **result, const struct webconfig *config, const struct tls_material *m,
	    char *err, size_t errlen)
{
	gnutls_datum_t cert = datum(m->cert), key = datum(m->key);
	struct tls *tls = calloc(1, sizeof(*tls));
	int error;

	snprintf(err, errlen, "out of memory");
	if (!tls)
		return -ENOMEM;
	tls->config = config;
	error = gnutls_certificate_allocate_credentials(&tls->credentials);
	if (error) {
		free(tls);
		return fail("TLS", error, err, errlen);
	}
	error = gnutls_certificate_set_x509_key_mem(tls->credentials, &cert, &key,
						    GNUTLS_X509_FMT_PEM);
	if (error < 0) {
		error = fail("certificate and key", error, err, errlen);
		goto fail;
	}
	if (config->client_auth >= CLIENT_AUTH_VERIFY_IF_GIVEN) {
		error = set_client_ca(tls, m->client_ca, err, errlen);
		if (error)
			goto fail;
	}
	error = gnutls_priority_init(&tls->priority, config->priority, NULL);
	if (error) {
		error = fail("versions, cipher suites and curves", error, err, errlen);
		goto fail;
	}
	*result = tls;
	return 0;
fail:
	tls_free(tls);
	return error;
}

void tls_free(struct tls *tls)
{
	if (!tls)
		return;
	gnutls_certificate_free_credentials(tls->credentials);
	if (tls->priority)
		gnutls_priority_deinit(tls->priority);
	free(tls);
}

/* A subject alternative name as text, as the configuration has it. */
static bool san_text(unsigned int type, const unsigned char *san, size_t len, char *text,
		     size_t size)
{
	switch (type) {
	case GNUTLS_SAN_DNSNAME:
	case GNUTLS_SAN_RFC822NAME:
	case GNUTLS_SAN_URI:
		snprintf(text, size, "%.*s", (int)len, (const char *)san);
		return strlen(text) == len;
	case GNUTLS_SAN_IPADDRESS:
		return (len == 4 && inet_ntop(AF_INET, san, text, size)) ||
		       (len == 16 && inet_ntop(AF_INET6, san, text, size));
	default:
		return false;
	}
}

static bool has_allowed_san(const struct webconfig *config, const gnutls_datum_t *der)
{
	gnutls_x509_crt_t cert;
	bool allowed = false;

	if (gnutls_x509_crt_init(&cert))
		return false;
	if (gnutls_x509_crt_import(cert, der, GNUTLS_X509_FMT_DER))
		goto out;
	for (unsigned int i = 0; !allowed; i++) {
		unsigned char san[1024];
		char text[sizeof(san) + 1];
		size_t len = sizeof(san);
		unsigned int type;
		int n = gnutls_x509_crt_get_subject_alt_name2(cert, i, san, &len, &type, NULL);

		if (n == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			break;
		if (n < 0 || !san_text(type, san, len, text, sizeof(text)))
			continue;
		for (size_t k = 0; k < config->client_allowed_sans.n; k++)
			allowed |= !strcmp(text, config->client_allowed_sans.items[k]);
	}
out:
	gnutls_x509_crt_deinit(cert);
	return allowed;
}

/* During the handshake; anything but 0 ends it. */
static int verify_client(gnutls_session_t session)
{
	const struct tls *tls = gnutls_session_get_ptr(session);
	gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
					 .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
	const struct webconfig *config = tls->config;
	unsigned int n, status;
	const gnutls_datum_t *certs = gnutls_certificate_get_peers(session, &n);

	if (!certs || !n)
		return config->client_auth == CLIENT_AUTH_REQUEST ||
				       config->client_auth == CLIENT_AUTH_VERIFY_IF_GIVEN
			       ? 0
			       : GNUTLS_E_NO_CERTIFICATE_FOUND;
	if (config->client_auth >= CLIENT_AUTH_VERIFY_IF_GIVEN &&
	    (gnutls_certificate_verify_peers(session, &purpose, 1, &status) || status))
		return GNUTLS_E_CERTIFICATE_ERROR;
	if (config->has_client_allowed_sans && !has_allowed_san(config, &certs[0]))
		return GNUTLS_E_CERTIFICATE_ERROR;
	return 0;
}

void tls_begin(const struct tls *tls, gnutls_session_t session)
{
	static const gnutls_certificate_request_t requests[] = {
		[CLIENT_AUTH_NONE] = GNUTLS_CERT_IGNORE,
		[CLIENT_AUTH_REQUEST] = GNUTLS_CERT_REQUEST,
		[CLIENT_AUTH_REQUIRE_ANY] = GNUTLS_CERT_REQUIRE,
		[CLIENT_AUTH_VERIFY_IF_GIVEN] = GNUTLS_CERT_REQUEST,
		[CLIENT_AUTH_REQUIRE_AND_VERIFY] = GNUTLS_CERT_REQUIRE,
	};

	gnutls_priority_set(session, tls->priority);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials);
	gnutls_certificate_server_set_request(session, requests[tls->config->client_auth]);
	gnutls_session_set_ptr(session, (void *)tls);
	if (tls->config->client_auth != CLIENT_AUTH_NONE)
		gnutls_session_set_verify_function(session, verify_client);
}
