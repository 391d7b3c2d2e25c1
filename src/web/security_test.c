// SPDX-License-Identifier: Apache-2.0
/*
 * The server under a web configuration file that changes: handshakes, certificates of
 * both sides, passwords, headers, rate. Certificates are made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <crypt.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "util/log.h"
#include "web/testing.h"

/* A key and a certificate as PEM. */
struct identity {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t cert;
	char *cert_pem, *key_pem;
};

static void make_identity(struct identity *id, const char *name, const char *san,
			  const struct identity *ca)
{
	gnutls_datum_t out;
	unsigned char serial = 1;

	assert_int_equal(gnutls_x509_privkey_init(&id->key), 0);
	assert_int_equal(
		gnutls_x509_privkey_generate(id->key, GNUTLS_PK_ECDSA,
					     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
		0);
	assert_int_equal(gnutls_x509_crt_init(&id->cert), 0);
	gnutls_x509_crt_set_version(id->cert, 3);
	gnutls_x509_crt_set_serial(id->cert, &serial, 1);
	gnutls_x509_crt_set_dn_by_oid(id->cert, GNUTLS_OID_X520_COMMON_NAME, 0, name, strlen(name));
	gnutls_x509_crt_set_activation_time(id->cert, time(NULL) - 3600);
	gnutls_x509_crt_set_expiration_time(id->cert, time(NULL) + 3600);
	gnutls_x509_crt_set_key(id->cert, id->key);
	gnutls_x509_crt_set_basic_constraints(id->cert, !ca, -1);
	if (ca) {
		gnutls_x509_crt_set_key_usage(id->cert, GNUTLS_KEY_DIGITAL_SIGNATURE);
		gnutls_x509_crt_set_key_purpose_oid(id->cert, GNUTLS_KP_TLS_WWW_CLIENT, 0);
		gnutls_x509_crt_set_key_purpose_oid(id->cert, GNUTLS_KP_TLS_WWW_SERVER, 0);
	} else {
		gnutls_x509_crt_set_key_usage(id->cert, GNUTLS_KEY_KEY_CERT_SIGN |
								GNUTLS_KEY_DIGITAL_SIGNATURE);
	}
	if (san)
		gnutls_x509_crt_set_subject_alt_name(id->cert, GNUTLS_SAN_DNSNAME, san, strlen(san),
						     GNUTLS_FSAN_SET);
	assert_int_equal(gnutls_x509_crt_sign2(id->cert, ca ? ca->cert : id->cert,
					       ca ? ca->key : id->key, GNUTLS_DIG_SHA256, 0),
			 0);
	assert_int_equal(gnutls_x509_crt_export2(id->cert, GNUTLS_X509_FMT_PEM, &out), 0);
	id->cert_pem = strndup((char *)out.data, out.size);
	gnutls_free(out.data);
	assert_int_equal(gnutls_x509_privkey_export2(id->key, GNUTLS_X509_FMT_PEM, &out), 0);
	id->key_pem = strndup((char *)out.data, out.size);
	gnutls_free(out.data);
}

static void identity_free(struct identity *id)
{
	gnutls_x509_crt_deinit(id->cert);
	gnutls_x509_privkey_deinit(id->key);
	free(id->cert_pem);
	free(id->key_pem);
}

struct fixture {
	char dir[32];
	struct site site;
	struct web_security *security;
	struct web_server *server;
	uint16_t port;
};

static void write_file(struct fixture *f, const char *name, const char *text)
{
	char path[64];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fputs(text, out) >= 0, 1);
	assert_int_equal(fclose(out), 0);
}

static void prepare(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->dir, "/tmp/web_security_XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->site.snapshot = sample_world();
}

static void start(struct fixture *f)
{
	struct web_site site = site_of(&f->site);
	struct address address;
	struct listeners l;
	char path[64], err[512];
	const char *why;

	snprintf(path, sizeof(path), "%s/web.yml", f->dir);
	assert_int_equal(web_security_new(&f->security, path, err, sizeof(err)), 0);
	site.security = f->security;
	assert_int_equal(address_parse(&address, "127.0.0.1:0", &why), 0);
	assert_int_equal(web_listen(&l, &address, 1, err, sizeof(err)), 0);
	f->port = listener_port(&l);
	assert_int_equal(web_start(&f->server, &l, &site, err, sizeof(err)), 0);
}

static void stop(struct fixture *f)
{
	static const char *const names[] = {"web.yml", "cert", "key", "ca"};
	char path[64];

	web_stop(f->server);
	web_security_free(f->security);
	snapshot_put(f->site.snapshot);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		unlink(path);
	}
	rmdir(f->dir);
}

/*
 * GET /-/healthy over TLS, with a certificate of the client's if id is given. The status,
 * or -1 when the handshake or the connection failed; common name of the server in cn.
 */
static int tls_get(struct fixture *f, const struct identity *id, const char *priority, char cn[64])
{
	static const char request[] = "GET /-/healthy HTTP/1.0\r\n\r\n";
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;
	char response[4096] = "";
	int fd = client_connect(f->port), status = -1, n;
	size_t used = 0, cn_len = 64;
	const gnutls_datum_t *peer;
	gnutls_x509_crt_t cert;
	unsigned int peers;

	gnutls_certificate_allocate_credentials(&credentials);
	if (id)
		gnutls_certificate_set_x509_key(credentials, (gnutls_x509_crt_t *)&id->cert, 1,
						id->key);
	/* Also a certificate of an authority that the server does not name. */
	gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_FORCE_CLIENT_CERT | GNUTLS_NO_SIGNAL);
	assert_int_equal(gnutls_priority_set_direct(session, priority, NULL), 0);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
	gnutls_transport_set_int(session, fd);
	do
		n = gnutls_handshake(session);
	while (n < 0 && !gnutls_error_is_fatal(n));
	if (n < 0)
		goto out;
	if (cn) {
		peer = gnutls_certificate_get_peers(session, &peers);
		gnutls_x509_crt_init(&cert);
		gnutls_x509_crt_import(cert, peer, GNUTLS_X509_FMT_DER);
		gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, cn, &cn_len);
		gnutls_x509_crt_deinit(cert);
	}
	gnutls_record_send(session, request, strlen(request));
	do {
		n = gnutls_record_recv(session, response + used, sizeof(response) - 1 - used);
		if (n > 0)
			used += n;
	} while (n > 0 || n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED);
	if (used)
		status = status_of(response);
out:
	gnutls_deinit(session);
	gnutls_certificate_free_credentials(credentials);
	close(fd);
	return status;
}

#define TLS_FILES "tls_server_config:\n  cert_file: cert\n  key_file: key\n"

static void test_certificates(void **state)
{
	struct identity first, second;
	struct fixture f;
	char cn[64];

	prepare(&f);
	make_identity(&first, "first", NULL, NULL);
	make_identity(&second, "second", NULL, NULL);
	write_file(&f, "cert", first.cert_pem);
	write_file(&f, "key", first.key_pem);
	write_file(&f, "web.yml", TLS_FILES);
	start(&f);
	assert_int_equal(tls_get(&f, NULL, "NORMAL", cn), 200);
	assert_string_equal(cn, "first");

	/* Replaced while running: served on the next handshake, key and certificate at once. */
	write_file(&f, "cert", second.cert_pem);
	assert_int_equal(tls_get(&f, NULL, "NORMAL", cn), -1);
	write_file(&f, "key", second.key_pem);
	assert_int_equal(tls_get(&f, NULL, "NORMAL", cn), 200);
	assert_string_equal(cn, "second");

	/* Versions follow the file. */
	assert_int_equal(tls_get(&f, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL), 200);
	write_file(&f, "web.yml", TLS_FILES "  min_version: TLS13\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL), -1);
	assert_int_equal(tls_get(&f, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.3", NULL), 200);

	/* A bad file serves nobody, until it is good again; neither does one without TLS. */
	write_file(&f, "web.yml", TLS_FILES "  nonsense: 1\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), -1);
	write_file(&f, "web.yml", "");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), -1);
	write_file(&f, "web.yml", TLS_FILES);
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), 200);

	/* Ciphers and curves. */
	write_file(&f, "web.yml",
		   TLS_FILES "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]\n"
			     "  curve_preferences: [CurveP384]\n  max_version: TLS12\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, NULL, "NORMAL:-CIPHER-ALL:+AES-256-GCM", NULL), -1);
	assert_int_equal(tls_get(&f, NULL, "NORMAL:-GROUP-ALL:+GROUP-SECP256R1", NULL), -1);
	stop(&f);
	identity_free(&first);
	identity_free(&second);
}

static void test_client_certificates(void **state)
{
	struct identity server, ca, good, other_san, other_ca, stranger;
	struct fixture f;

	prepare(&f);
	make_identity(&server, "server", NULL, NULL);
	make_identity(&ca, "ca", NULL, NULL);
	make_identity(&other_ca, "other ca", NULL, NULL);
	make_identity(&good, "good", "prometheus.example", &ca);
	make_identity(&other_san, "other", "other.example", &ca);
	make_identity(&stranger, "stranger", "prometheus.example", &other_ca);
	write_file(&f, "cert", server.cert_pem);
	write_file(&f, "key", server.key_pem);
	write_file(&f, "ca", ca.cert_pem);

#define CLIENT_CA TLS_FILES "  client_ca_file: ca\n"
	write_file(&f, "web.yml", CLIENT_CA "  client_auth_type: RequireAndVerifyClientCert\n");
	start(&f);
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), -1);
	assert_int_equal(tls_get(&f, &good, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &other_san, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &stranger, "NORMAL", NULL), -1);

	write_file(&f, "web.yml",
		   CLIENT_CA "  client_auth_type: RequireAndVerifyClientCert\n"
			     "  client_allowed_sans: [a.example, prometheus.example]\n");
	assert_int_equal(tls_get(&f, &good, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &good, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL), 200);
	assert_int_equal(tls_get(&f, &other_san, "NORMAL", NULL), -1);
	assert_int_equal(tls_get(&f, &other_san, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL), -1);

	write_file(&f, "web.yml", CLIENT_CA "  client_auth_type: VerifyClientCertIfGiven\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &good, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &stranger, "NORMAL", NULL), -1);

	write_file(&f, "web.yml", TLS_FILES "  client_auth_type: RequireAnyClientCert\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), -1);
	assert_int_equal(tls_get(&f, &stranger, "NORMAL", NULL), 200);

	write_file(&f, "web.yml", TLS_FILES "  client_auth_type: RequestClientCert\n");
	assert_int_equal(tls_get(&f, NULL, "NORMAL", NULL), 200);
	assert_int_equal(tls_get(&f, &stranger, "NORMAL", NULL), 200);
	stop(&f);
	identity_free(&server);
	identity_free(&ca);
	identity_free(&other_ca);
	identity_free(&good);
	identity_free(&other_san);
	identity_free(&stranger);
}

/* "secret" and "changed" at the lowest cost. */
#define SECRET	"$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define CHANGED "$2b$04$abcdefghijklmnopqrstuu5XQl64I3WPWSJw.ftK7xXCrRn1r6QJi"

static int ask_as(struct fixture *f, const char *authorization)
{
	char lines[256];
	char *response;
	int status;

	snprintf(lines, sizeof(lines), "%s%s%s", authorization ? "Authorization: " : "",
		 authorization ? authorization : "", authorization ? "\r\n" : "");
	response = client_ask(f->port, "GET", "/metrics", lines);
	status = status_of(response);
	if (status == 401)
		assert_non_null(strstr(response, "WWW-Authenticate: Basic"));
	free(response);
	return status;
}

static void test_passwords(void **state)
{
	struct fixture f;

	prepare(&f);
	write_file(&f, "web.yml", "basic_auth_users:\n  alice: " SECRET "\n");
	start(&f);
	/* alice:secret, alice:wrong, bob:secret, alice:changed */
	assert_int_equal(ask_as(&f, NULL), 401);
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6c2VjcmV0"), 200);
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6c2VjcmV0"), 200);
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6d3Jvbmc="), 401);
	assert_int_equal(ask_as(&f, "Basic Ym9iOnNlY3JldA=="), 401);
	assert_int_equal(ask_as(&f, "Basic !!!"), 401);
	assert_int_equal(ask_as(&f, "Bearer abc"), 401);
	/* Everything is behind the password, the landing page too; nothing was collected. */
	assert_int_equal(f.site.begun, 2);

	write_file(&f, "web.yml", "basic_auth_users:\n  alice: " CHANGED "\n");
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6c2VjcmV0"), 401);
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6Y2hhbmdlZA=="), 200);
	write_file(&f, "web.yml", "basic_auth_users: [\n");
	assert_int_equal(ask_as(&f, "Basic YWxpY2U6Y2hhbmdlZA=="), 500);
	write_file(&f, "web.yml", "");
	assert_int_equal(ask_as(&f, NULL), 200);
	stop(&f);
}

/* A request on a connection of its own, from an address of this machine. */
static int ask_from(uint16_t port, uint32_t from, const char *request)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	sa = (struct sockaddr_in){.sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_int_equal(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	client_send(fd, request);
	return fd;
}

/* How many of them have an answer by now. */
static int answered(const int *fds, int n)
{
	int sum = 0;
	char byte;

	for (int i = 0; i < n; i++)
		sum += recv(fds[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
	return sum;
}

/*
 * Fifty wrong passwords, each of which takes a quarter of a second or more to refuse: the
 * right one is let in while most of them still wait, from whatever address it comes, and
 * so is who needs no check any more.
 */
static void test_wrong_passwords_do_not_delay(void **state)
{
	enum { WRONG = 50 };
	static const char right[] =
		"GET /metrics HTTP/1.0\r\nAuthorization: Basic YWxpY2U6c2VjcmV0\r\n\r\n";
	static const uint32_t from[] = {0x7f000001, 0x7f000002, 0x7f000002};
	char text[256], wrong[128], salt[] = "$2b$12$abcdefghijklmnopqrstuu";
	struct fixture f;
	int fds[WRONG];

	prepare(&f);
	snprintf(text, sizeof(text), "basic_auth_users: {alice: %s}\n", crypt("secret", salt));
	write_file(&f, "web.yml", text);
	start(&f);
	for (int i = 0; i < WRONG; i++) {
		/* YWxpY2U6 is "alice:"; each password is another one. */
		snprintf(wrong, sizeof(wrong),
			 "GET /metrics HTTP/1.0\r\nAuthorization: Basic YWxpY2U6d3Jv%04d\r\n\r\n",
			 1000 + i);
		fds[i] = ask_from(f.port, 0x7f000001, wrong);
	}
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		char *response = client_read(ask_from(f.port, from[i], right), NULL);

		assert_int_equal(status_of(response), 200);
		assert_in_range(answered(fds, WRONG), 0, WRONG / 2);
		free(response);
	}
	/* Stopping does not wait for the rest; they are not let in. */
	web_stop(f.server);
	f.server = NULL;
	for (int i = 0; i < WRONG; i++) {
		char *response = client_read(fds[i], NULL);

		assert_int_not_equal(status_of(response), 200);
		free(response);
	}
	stop(&f);
}

static void test_headers_and_rate(void **state)
{
	struct fixture f;
	char *response;

	prepare(&f);
	write_file(&f, "web.yml",
		   "http_server_config: {headers: {X-Frame-Options: deny}}\n"
		   "rate_limit: {interval: 100h, burst: 2}\n");
	start(&f);
	response = client_get(f.port, "/-/healthy");
	assert_int_equal(status_of(response), 200);
	assert_non_null(strstr(response, "X-Frame-Options: deny\r\n"));
	free(response);
	assert_int_equal(ask_as(&f, NULL), 200);
	assert_int_equal(ask_as(&f, NULL), 429);
	write_file(&f, "web.yml", "");
	assert_int_equal(ask_as(&f, NULL), 200);
	write_file(&f, "web.yml", "rate_limit: {interval: 1s, burst: 0}\n");
	assert_int_equal(ask_as(&f, NULL), 429);
	stop(&f);
}

/* What is wrong with the file or the files that it names is told at the start. */
static void test_start_errors(void **state)
{
	struct web_security *security;
	char path[64], err[512], expected[256];
	struct fixture f;

	prepare(&f);
	snprintf(path, sizeof(path), "%s/web.yml", f.dir);
	assert_int_equal(web_security_new(&security, path, err, sizeof(err)), -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot read %s: No such file or directory (see --web.config.file)", path);
	assert_string_equal(err, expected);

	write_file(&f, "web.yml", TLS_FILES);
	assert_int_equal(web_security_new(&security, path, err, sizeof(err)), -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot read cert_file %s/cert: No such file or directory", f.dir);
	assert_string_equal(err, expected);

	write_file(&f, "cert", "no certificate");
	write_file(&f, "key", "no key");
	assert_int_equal(web_security_new(&security, path, err, sizeof(err)), -EINVAL);
	snprintf(expected, sizeof(expected), "%s: certificate and key: ", path);
	assert_int_equal(strncmp(err, expected, strlen(expected)), 0);
	write_file(&f, "web.yml", "");
	start(&f);
	stop(&f);
}

/* Expects n policies of that kind, all had or none. */
static void get_policies(struct fixture *f, int n, bool handshake, bool had)
{
	while (n--) {
		const struct policy *p = policy_get(f->security, handshake);

		assert_int_equal(p != NULL, had);
		if (p)
			policy_put(p);
	}
}

/* However many ask meanwhile, the log has one line for a fault, and one for its end. */
static void test_faults_are_logged_once(void **state)
{
	struct fixture f;
	struct identity id;
	char path[64], err[512], log[4096] = "", expected[512];
	FILE *out = tmpfile();
	const char *at = log;

	prepare(&f);
	make_identity(&id, "server", NULL, NULL);
	write_file(&f, "cert", id.cert_pem);
	write_file(&f, "key", id.key_pem);
	write_file(&f, "web.yml", TLS_FILES);
	snprintf(path, sizeof(path), "%s/web.yml", f.dir);
	assert_int_equal(web_security_new(&f.security, path, err, sizeof(err)), 0);
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, fileno(out));
	get_policies(&f, 3, true, true);

	write_file(&f, "web.yml", "nonsense: 1\n");
	get_policies(&f, 5, false, false);
	get_policies(&f, 5, true, false);
	write_file(&f, "web.yml", TLS_FILES);
	get_policies(&f, 3, true, true);

	/* A connection that is there goes on, and does not make the fault a new one. */
	snprintf(path, sizeof(path), "%s/key", f.dir);
	unlink(path);
	for (int i = 0; i < 3; i++) {
		get_policies(&f, 1, true, false);
		get_policies(&f, 1, false, true);
	}
	write_file(&f, "key", id.key_pem);
	get_policies(&f, 3, true, true);
	log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, STDERR_FILENO);

	rewind(out);
	assert_true(fread(log, 1, sizeof(log) - 1, out) > 0);
	fclose(out);
	for (int i = 0; i < 4; i++) {
		static const char *const lines[] = {
			"level=error msg=\"nobody is served: %s/web.yml:1: unknown key "
			"\\\"nonsense\\\" in the file\"\n",
			"level=info msg=\"%s/web.yml is good again: serving\"\n",
			"level=error msg=\"nobody is served: cannot read key_file %s/key: No such "
			"file or directory\"\n",
			"level=info msg=\"%s/web.yml is good again: serving\"\n",
		};

		snprintf(expected, sizeof(expected), lines[i], f.dir);
		at = strstr(at, "level=");
		assert_non_null(at);
		assert_int_equal(strncmp(at, expected, strlen(expected)), 0);
		at += strlen(expected);
	}
	assert_string_equal(at, "");
	identity_free(&id);
	f.server = NULL;
	stop(&f);
}

/* As the user that the exporter becomes: what root could read is not enough. */
static int check_as(uid_t uid, struct fixture *f, char *err, size_t errlen)
{
	char line[512] = "";
	int pipe_fd[2], status;
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (setresuid(uid, uid, uid))
			_exit(1);
		status = web_security_check(f->security, line, sizeof(line));
		if (write(pipe_fd[1], line, strlen(line)) < 0)
			_exit(1);
		_exit(-status);
	}
	close(pipe_fd[1]);
	n = read(pipe_fd[0], err, errlen - 1);
	err[n > 0 ? n : 0] = '\0';
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void test_unreadable(void **state)
{
	static const char *const files[] = {"web.yml", "key"};
	char path[64], err[512], expected[512];
	struct fixture f;
	struct identity id;

	if (geteuid())
		skip();
	prepare(&f);
	make_identity(&id, "server", NULL, NULL);
	write_file(&f, "cert", id.cert_pem);
	write_file(&f, "key", id.key_pem);
	write_file(&f, "web.yml", TLS_FILES);
	assert_int_equal(chmod(f.dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/web.yml", f.dir);
	assert_int_equal(web_security_new(&f.security, path, err, sizeof(err)), 0);
	assert_int_equal(check_as(65534, &f, err, sizeof(err)), 0);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", f.dir, files[i]);
		assert_int_equal(chmod(path, 0600), 0);
		assert_int_equal(check_as(0, &f, err, sizeof(err)), 0);
		assert_int_equal(check_as(65534, &f, err, sizeof(err)), -EACCES);
		snprintf(expected, sizeof(expected), "cannot read %s%s: Permission denied%s",
			 i ? "key_file " : "", path, i ? "" : " (see --web.config.file)");
		assert_string_equal(err, expected);
		assert_int_equal(chmod(path, 0644), 0);
	}
	identity_free(&id);
	f.server = NULL;
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_certificates),
		cmocka_unit_test(test_client_certificates),
		cmocka_unit_test(test_passwords),
		cmocka_unit_test(test_headers_and_rate),
		cmocka_unit_test(test_wrong_passwords_do_not_delay),
		cmocka_unit_test(test_start_errors),
		cmocka_unit_test(test_faults_are_logged_once),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
