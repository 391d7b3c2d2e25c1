// SPDX-License-Identifier: Apache-2.0
/*
 * The server over real sockets. Nothing here depends on how long anything takes: a
 * server that lets one client hold up another makes the test wait for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <poll.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "web/testing.h"

struct fixture {
	struct site site;
	struct web_server *server;
	uint16_t port;
};

static void start(struct fixture *f, const struct web_limits *limits)
{
	struct address address;
	struct web_site site = site_of(&f->site);
	struct listeners l;
	const char *why;
	char err[256];

	if (limits)
		site.limits = *limits;
	assert_int_equal(address_parse(&address, "127.0.0.1:0", &why), 0);
	assert_int_equal(web_listen(&l, &address, 1, err, sizeof(err)), 0);
	f->port = listener_port(&l);
	assert_int_equal(web_start(&f->server, &l, &site, err, sizeof(err)), 0);
}

static void stop(struct fixture *f)
{
	web_stop(f->server);
	snapshot_put(f->site.snapshot);
}

static void check(struct fixture *f, const char *method, const char *path, int status,
		  const char *body)
{
	char *response = client_ask(f->port, method, path, "");

	assert_int_equal(status_of(response), status);
	if (body)
		assert_string_equal(body_of(response), body);
	free(response);
}

static void test_pages(void **state)
{
	struct fixture f = {0};
	char *response;

	start(&f, NULL);
	check(&f, "GET", "/-/healthy", 200, "OK\n");
	check(&f, "HEAD", "/-/healthy", 200, "");
	check(&f, "GET", "/-/ready", 200, "OK\n");
	f.site.unready = true;
	check(&f, "GET", "/-/ready", 503, "no function of Lustre is observed\n");
	check(&f, "GET", "/nothing", 404, "404 page not found\n");
	check(&f, "POST", "/nothing", 404, "404 page not found\n");
	check(&f, "GET", "/metrics/", 404, NULL);

	response = client_get(f.port, "/");
	assert_int_equal(status_of(response), 200);
	assert_non_null(strstr(response, "Content-Type: text/html; charset=utf-8\r\n"));
	assert_non_null(strstr(response, "Version: 0.1.0<"));
	assert_non_null(strstr(response, "<a href=\"/metrics\">"));
	free(response);

	response = client_ask(f.port, "DELETE", "/metrics", "");
	assert_int_equal(status_of(response), 405);
	assert_non_null(strstr(response, "Allow: GET, HEAD\r\n"));
	free(response);
	assert_int_equal(f.site.begun, 0);

	/* Nothing to serve is an answer too. */
	check(&f, "GET", "/metrics", 503, "cannot collect, see the exporter's log\n");
	stop(&f);
}

static void test_metrics(void **state)
{
	struct fixture f = {.site.snapshot = sample_world()};
	size_t len;
	char *expected = world_encode(f.site.snapshot, &text_encoder, 4096, &len);
	char *response;

	start(&f, NULL);
	response = client_get(f.port, "/metrics?ignored=1");
	assert_int_equal(status_of(response), 200);
	assert_non_null(
		strstr(response, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	assert_string_equal(body_of(response), expected);
	free(response);
	check(&f, "HEAD", "/metrics", 200, "");
	free(expected);
	stop(&f);
}

/* The header decides; two header lines are one list. */
static void test_negotiation(void **state)
{
	struct fixture f = {.site.snapshot = sample_world()};
	size_t len;
	char *openmetrics = world_encode(f.site.snapshot, &openmetrics_encoder, 4096, &len);
	char *text = world_encode(f.site.snapshot, &text_encoder, 4096, &len);
	char long_header[10000], *response;

	start(&f, NULL);
	response = client_ask(f.port, "GET", "/metrics",
			      "Accept: text/plain;q=0.5\r\n"
			      "Accept: application/openmetrics-text;version=1.0.0\r\n");
	assert_non_null(strstr(response, "Content-Type: application/openmetrics-text; "
					 "version=1.0.0; charset=utf-8\r\n"));
	assert_non_null(strstr(response, "Vary: Accept, Accept-Encoding\r\n"));
	assert_null(strstr(response, "Content-Encoding"));
	assert_string_equal(body_of(response), openmetrics);
	free(response);

	response = client_ask(f.port, "GET", "/metrics", "Accept-Encoding: br, gzip\r\n");
	assert_non_null(strstr(response, "Content-Encoding: gzip\r\n"));
	assert_memory_equal(body_of(response), "\x1f\x8b", 2);
	free(response);

	response = client_ask(f.port, "GET", "/metrics", "Accept-Encoding: gzip, zstd\r\n");
	assert_non_null(strstr(response, "Content-Encoding: zstd\r\n"));
	assert_memory_equal(body_of(response), "\x28\xb5\x2f\xfd", 4);
	free(response);

	/* 8 KB of what nobody understands. */
	len = sprintf(long_header, "Accept: ");
	while (len < 8192)
		len += sprintf(long_header + len, "a/b;c=\"d\";q=0.%zu,", len % 10);
	strcpy(long_header + len, "\r\n");
	response = client_ask(f.port, "GET", "/metrics", long_header);
	assert_int_equal(status_of(response), 200);
	assert_string_equal(body_of(response), text);
	free(response);
	free(openmetrics);
	free(text);
	stop(&f);
}

/* While one collection runs, all scrapes that come in wait for the same next one. */
static void test_scrapes_share_a_snapshot(void **state)
{
	enum { SCRAPES = 20 };
	struct fixture f = {.site.snapshot = sample_world(), .site.hold = true};
	int fds[1 + SCRAPES];

	start(&f, NULL);
	fds[0] = client_connect(f.port);
	client_send(fds[0], "GET /metrics HTTP/1.0\r\n\r\n");
	site_await(&f.site, 1);
	for (int i = 1; i <= SCRAPES; i++) {
		fds[i] = client_connect(f.port);
		client_send(fds[i], "GET /metrics HTTP/1.0\r\n\r\n");
	}
	/* One round of the serving thread may have begun before the last of them, two not. */
	for (int i = 0; i < 3; i++)
		check(&f, "GET", "/-/healthy", 200, "OK\n");
	site_hold(&f.site, false);
	for (int i = 0; i <= SCRAPES; i++) {
		char *response = client_read(fds[i], NULL);

		assert_int_equal(status_of(response), 200);
		free(response);
	}
	assert_int_equal(f.site.begun, 2);
	stop(&f);
}

/* More clients that never finish a header than there may be connections. */
static void test_slow_headers(void **state)
{
	const struct web_limits limits = {.connections = 4,
					  .request_ms = 3600000,
					  .idle_ms = 3600000,
					  .response_ms = 3600000};
	struct fixture f = {.site.snapshot = sample_world()};
	int fds[12];

	start(&f, &limits);
	for (int i = 0; i < 12; i++) {
		fds[i] = client_connect(f.port);
		client_send(fds[i], "GET /metrics HTTP/1.1\r\nHost:");
		if (i % 3 == 2)
			check(&f, "GET", "/metrics", 200, NULL);
	}
	/* The longest waiting ones were sent away. */
	for (int i = 0; i < 8; i++)
		free(client_read(fds[i], NULL));
	for (int i = 8; i < 12; i++)
		close(fds[i]);
	stop(&f);
}

/* A snapshot whose text is much larger than any socket buffer. */
static struct snapshot *large_snapshot(void)
{
	const struct series_options options = {
		.uid_labels = true, .process_labels = true, .max_series = 1000000};
	struct intern *strings = intern_new();
	struct series_table *t = series_table_new(&options, strings);
	struct series_delta d = testing_delta(1, 1000, 0);
	struct series_key key = {.op = OP_OPEN};
	struct snapshot *s;

	series_begin(t, 1, 1);
	assert_int_equal(series_mount_get(t, "lus", "/lus", &key.mount), 0);
	for (key.uid = 0; key.uid < 8000; key.uid++)
		assert_int_equal(series_add(t, &key, &d), 0);
	assert_int_equal(snapshot_take(t, NULL, testing_username, NULL, 1, &s), 0);
	series_table_free(t);
	intern_free(strings);
	return s;
}

/* Clients that read nothing, or a byte at a time, and one that reads. */
static void test_slow_readers(void **state)
{
	struct fixture f = {.site.snapshot = large_snapshot(), .site.hold = true};
	int fds[10];

	start(&f, NULL);
	for (int i = 0; i < 10; i++) {
		fds[i] = client_send_to(f.port, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
		site_await(&f.site, 1);
	}
	/* They have two snapshots between them: nobody is sent away. */
	for (int i = 0; i < 3; i++)
		check(&f, "GET", "/-/healthy", 200, "OK\n");
	site_hold(&f.site, false);
	for (int i = 0; i < 3; i++) {
		char byte, *response = client_get(f.port, "/metrics");
		const char *body = body_of(response);

		assert_int_equal(recv(fds[i], &byte, 1, 0), 1);
		assert_true(strlen(body) > 20000000);
		assert_int_equal(body[strlen(body) - 1], '\n');
		free(response);
	}
	for (int i = 0; i < 10; i++)
		close(fds[i]);
	stop(&f);
}

/* Ten readers who do not read, each of a snapshot of its own: only the last ones stay. */
static void test_snapshots_are_limited(void **state)
{
	enum { READERS = 10 };
	struct fixture f = {.site.snapshot = large_snapshot()};
	size_t full, len[READERS];
	int fds[READERS];

	start(&f, NULL);
	free(client_read(client_send_to(f.port, "GET /metrics HTTP/1.0\r\n\r\n"), &full));
	for (int i = 0; i < READERS; i++) {
		fds[i] = client_send_to(f.port, "GET /metrics HTTP/1.0\r\n\r\n");
		site_await(&f.site, 2 + i);
	}
	/* One more pass, so that the last one's is over. */
	free(client_get(f.port, "/metrics"));
	for (int i = 0; i < READERS; i++)
		free(client_read(fds[i], &len[i]));
	for (int i = 0; i < READERS - SNAPSHOTS_MAX; i++)
		assert_true(len[i] < full);
	for (int i = READERS - SNAPSHOTS_MAX + 1; i < READERS; i++)
		assert_int_equal(len[i], full);
	stop(&f);
}

/* Each deadline ends its connection although the client goes on. */
static void test_deadlines(void **state)
{
	const struct web_limits never = {.connections = 100,
					 .request_ms = 3600000,
					 .idle_ms = 3600000,
					 .response_ms = 3600000};
	struct web_limits limits = never;
	struct fixture f = {.site.snapshot = NULL};
	char *response;
	int fd;

	limits.request_ms = 1;
	start(&f, &limits);
	fd = client_connect(f.port);
	send(fd, "GET ", 4, MSG_NOSIGNAL);
	response = client_read(fd, NULL);
	assert_string_equal(response, "");
	free(response);
	stop(&f);

	limits = never;
	limits.idle_ms = 1;
	f = (struct fixture){.site.snapshot = NULL};
	start(&f, &limits);
	fd = client_connect(f.port);
	client_send(fd, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n");
	response = client_read(fd, NULL);
	assert_string_equal(body_of(response), "OK\n");
	free(response);
	stop(&f);

	/* The scraper's own limit, by its header, runs out while a collection hangs. */
	f = (struct fixture){.site.hold = true};
	start(&f, &never);
	fd = client_connect(f.port);
	client_send(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n"
			"X-Prometheus-Scrape-Timeout-Seconds: 0.001\r\n\r\n");
	response = client_read(fd, NULL);
	assert_string_equal(response, "");
	free(response);
	site_hold(&f.site, false);
	stop(&f);
}

static void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

/*
 * A byte now and then is no reason to wait on: neither for the rest of a header nor until
 * a response has been read.
 */
static void test_trickles(void **state)
{
	struct web_limits limits = {
		.connections = 100, .request_ms = 200, .idle_ms = 3600000, .response_ms = 3600000};
	struct fixture f = {.site.snapshot = NULL};
	size_t full, len;
	char byte, *response;
	int fd, sent;

	start(&f, &limits);
	fd = client_send_to(f.port, "GET / HTTP/1.1\r\nX: ");
	for (sent = 0; sent < 10000; sent++) {
		if (send(fd, "x", 1, MSG_NOSIGNAL) < 0 || !recv(fd, &byte, 1, MSG_DONTWAIT))
			break;
		pause_ms(1);
	}
	assert_in_range(sent, 1, 9999);
	close(fd);
	stop(&f);

	limits.request_ms = 3600000;
	limits.response_ms = 3600000;
	f = (struct fixture){.site.snapshot = large_snapshot()};
	start(&f, &limits);
	free(client_read(client_send_to(f.port, "GET /metrics HTTP/1.0\r\n\r\n"), &full));
	fd = client_send_to(f.port, "GET /metrics HTTP/1.0\r\n"
				    "X-Prometheus-Scrape-Timeout-Seconds: 0.2\r\n\r\n");
	for (int i = 0; i < 1000; i++) {
		if (recv(fd, &byte, 1, 0) != 1)
			break;
		pause_ms(1);
	}
	/* What was on its way by then, and no more. */
	response = client_read(fd, &len);
	assert_true(len + 1000 < full);
	free(response);
	stop(&f);
}

static void test_listen(void **state)
{
	static const char dir_template[] = "/tmp/web_testXXXXXX";
	struct address addresses[4];
	struct fixture f = {0};
	struct web_site site = site_of(&f.site);
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct listeners l, second;
	char err[256], text[160], expected[256], dir[sizeof(dir_template)];
	const char *why;
	char *response;
	int fd;

	memcpy(dir, dir_template, sizeof(dir));
	assert_non_null(mkdtemp(dir));
	assert_int_equal(address_parse(&addresses[0], ":0", &why), 0);
	assert_int_equal(web_listen(&l, addresses, 1, err, sizeof(err)), 0);
	f.port = listener_port(&l);

	/* The port is taken. */
	snprintf(text, sizeof(text), ":%u", f.port);
	assert_int_equal(address_parse(&addresses[1], text, &why), 0);
	assert_int_equal(web_listen(&second, &addresses[1], 1, err, sizeof(err)), -EADDRINUSE);
	snprintf(expected, sizeof(expected),
		 "cannot listen on :%u: address already in use (is another exporter running? "
		 "choose --web.listen-address)",
		 f.port);
	assert_string_equal(err, expected);
	assert_int_equal(second.n, 0);
	web_unlisten(&l);

	assert_int_equal(address_parse(&addresses[1], "192.0.2.1:9108", &why), 0);
	assert_int_equal(web_listen(&second, &addresses[1], 1, err, sizeof(err)), -EADDRNOTAVAIL);
	assert_string_equal(err, "cannot listen on 192.0.2.1:9108: Cannot assign requested address "
				 "(this machine does not have that address; choose "
				 "--web.listen-address)");

	/* Several at once, one a Unix socket whose file was left behind. */
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", dir);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	close(fd);
	snprintf(text, sizeof(text), "unix:%s", un.sun_path);
	assert_int_equal(address_parse(&addresses[1], text, &why), 0);
	assert_int_equal(web_listen(&l, addresses, 2, err, sizeof(err)), 0);
	assert_int_equal(l.n, 2);
	f.port = listener_port(&l);
	assert_int_equal(web_listen(&second, &addresses[1], 1, err, sizeof(err)), -EADDRINUSE);
	assert_int_equal(web_start(&f.server, &l, &site, err, sizeof(err)), 0);
	check(&f, "GET", "/-/healthy", 200, "OK\n");
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	client_send(fd, "GET /-/healthy HTTP/1.0\r\n\r\n");
	response = client_read(fd, NULL);
	assert_string_equal(body_of(response), "OK\n");
	free(response);
	stop(&f);
	/* Its file went with it. */
	assert_int_equal(access(un.sun_path, F_OK), -1);

	/* What has been put in its place since is not ours. */
	assert_int_equal(web_listen(&l, &addresses[1], 1, err, sizeof(err)), 0);
	snprintf(text, sizeof(text), "%s.old", un.sun_path);
	assert_int_equal(rename(un.sun_path, text), 0);
	assert_int_equal(web_listen(&second, &addresses[1], 1, err, sizeof(err)), 0);
	web_unlisten(&l);
	assert_int_equal(access(un.sun_path, F_OK), 0);
	web_unlisten(&second);
	assert_int_equal(access(un.sun_path, F_OK), -1);
	unlink(text);
	assert_int_equal(rmdir(dir), 0);
}

/* In a process of its own, which has the descriptors where systemd puts them. */
static int systemd_child(int sockets, int listening)
{
	struct listeners l;
	char err[256], pid[16], n[16];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (listening && listen(fd, 1))
		return 1;
	for (int i = 0; i < sockets; i++)
		dup2(fd, 3 + i);
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(n, sizeof(n), "%d", sockets);
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", n, 1);
	switch (web_listen_systemd(&l, err, sizeof(err))) {
	case 0:
		return 10 + (int)l.n;
	case -ENOENT:
		return strstr(err, "systemd handed over no socket") ? 20 : 1;
	case -EINVAL:
		return strstr(err, "file descriptor 3 is not a listening stream socket") ? 30 : 1;
	default:
		return 1;
	}
}

static int run_systemd_child(int sockets, int listening)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(systemd_child(sockets, listening));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_systemd_sockets(void **state)
{
	assert_int_equal(run_systemd_child(2, 1), 12);
	assert_int_equal(run_systemd_child(0, 1), 20);
	assert_int_equal(run_systemd_child(1, 0), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_negotiation),
		cmocka_unit_test(test_scrapes_share_a_snapshot),
		cmocka_unit_test(test_slow_headers),
		cmocka_unit_test(test_slow_readers),
		cmocka_unit_test(test_snapshots_are_limited),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_trickles),
		cmocka_unit_test(test_listen),
		cmocka_unit_test(test_systemd_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
