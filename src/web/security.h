/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web configuration file as it is now. It is read again for each request and,
 * with the certificates that it names, for each handshake: what an administrator
 * changes holds from the next one on, without a signal. A file that has become bad, or
 * that cannot be read any more, serves nobody until it is good again; the log says so
 * once, and when it is over.
 *
 * Whether there is TLS at all is decided at the start.
 */
#ifndef WEB_SECURITY_H
#define WEB_SECURITY_H

#include <stdbool.h>

#include "web/tls.h"

/* What held when it was read; never changes. */
struct policy {
	struct webconfig *config;
	struct tls *tls; /* NULL: plain HTTP */
	struct tls_material material;
};

struct web_security;

/* The file is read once and must be good. 0 or -errno, with one line in err. */
int web_security_new(struct web_security **security, const char *path, char *err, size_t errlen);
void web_security_free(struct web_security *s);

/*
 * Reads the files again, as for a handshake: whether this process, now perhaps another
 * user than the one that web_security_new() was called as, may do that at all. Of s
 * NULL there is nothing to be read. 0 or -errno, with one line in err.
 */
int web_security_check(struct web_security *s, char *err, size_t errlen);

/* Of s NULL there is no file: plain HTTP for everybody. */
bool web_security_tls(const struct web_security *s);

/*
 * The policy of now, to be put, or NULL: nobody may be served, and the log has it. For a
 * handshake the certificates are read again too. Any thread.
 */
const struct policy *policy_get(struct web_security *s, bool handshake);
void policy_put(const struct policy *p);

/* May one request more be served, by the policy's rate limit? */
bool web_security_rate(struct web_security *s, const struct policy *p);

#endif
