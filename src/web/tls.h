/* SPDX-License-Identifier: Apache-2.0 */
/* TLS of the server: what a session is given before its handshake. */
#ifndef WEB_TLS_H
#define WEB_TLS_H

#include <gnutls/gnutls.h>

#include "web/webconfig.h"

/* PEM texts, from the configuration or from the files that it names. */
struct tls_material {
	char *cert, *key, *client_ca; /* client_ca NULL: the system's */
};

struct tls;

/* Reads the files that the configuration names. 0 or -errno, with one line in err. */
int tls_material_load(struct tls_material *m, const struct webconfig *config, char *err,
		      size_t errlen);
bool tls_material_equal(const struct tls_material *a, const struct tls_material *b);
void tls_material_free(struct tls_material *m);

/* The configuration must outlive it. 0 or -errno, with one line in err. */
int tls_new(struct tls **tls, const struct webconfig *config, const struct tls_material *m,
	    char *err, size_t errlen);
void tls_free(struct tls *tls);

/*
 * Gives a session that has not begun its handshake certificate, versions, ciphers and
 * what is asked of the client's certificate. tls must outlive the session.
 */
void tls_begin(const struct tls *tls, gnutls_session_t session);

#endif
