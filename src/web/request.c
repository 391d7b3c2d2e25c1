// SPDX-License-Identifier: Apache-2.0
/*
 * What is answered to a request. A scrape is suspended until its snapshot is there;
 * its response is then encoded as fast as the client reads, and no faster.
 */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "encode/gzip.h"
#include "encode/negotiate.h"
#include "encode/zstandard.h"
#include "util/log.h"
#include "web/server_private.h"

#define BLOCK	   32768 /* bytes of a response made at a time */
#define HEADER_MAX 16384 /* of a header's value; the library takes no longer ones */

/* Queues the response, with a header line if name is given. */
static enum MHD_Result answer(struct request *r, unsigned int status, struct MHD_Response *response,
			      const char *name, const char *value)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	if (name)
		MHD_add_response_header(response, name, value);
	for (size_t i = 0; r->policy && i < r->policy->config->headers.n; i++)
		MHD_add_response_header(response, r->policy->config->headers.items[i].name,
					r->policy->config->headers.items[i].value);
	result = MHD_queue_response(r->http, status, response);
	MHD_destroy_response(response);
	return result;
}

static struct MHD_Response *response_text(const char *text, const char *type)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);

	if (response)
		MHD_add_response_header(response, "Content-Type", type);
	return response;
}

static enum MHD_Result answer_text(struct request *r, unsigned int status, const char *text)
{
	return answer(r, status, response_text(text, "text/plain; charset=utf-8"), NULL, NULL);
}

static enum MHD_Result page_healthy(struct request *r)
{
	return answer_text(r, MHD_HTTP_OK, "OK\n");
}

static enum MHD_Result page_ready(struct request *r)
{
	const struct web_site *site = &r->server->site;
	char why[256];

	if (site->ready(site->ctx, why, sizeof(why) - 1))
		return page_healthy(r);
	strcat(why, "\n");
	return answer_text(r, MHD_HTTP_SERVICE_UNAVAILABLE, why);
}

static enum MHD_Result page_landing(struct request *r)
{
	static const char page[] =
		"<!DOCTYPE html>\n"
		"<html lang=\"en\">\n"
		"<head><meta charset=\"utf-8\"><title>Lustre client eBPF exporter</title></head>\n"
		"<body>\n"
		"<h1>Lustre client eBPF exporter</h1>\n"
		"<p>Who does what on the Lustre mounts of this node, as Prometheus metrics.</p>\n"
		"<p>Version: %s</p>\n"
		"<ul>\n"
		"<li><a href=\"%s\">Metrics</a></li>\n"
		"<li><a href=\"/-/healthy\">Health</a></li>\n"
		"<li><a href=\"/-/ready\">Readiness</a></li>\n"
		"</ul>\n"
		"</body>\n"
		"</html>\n";
	const struct web_site *site = &r->server->site;
	struct MHD_Response *response;
	char *text;

	if (asprintf(&text, page, site->version, site->telemetry_path) < 0)
		return MHD_NO;
	response = response_text(text, "text/html; charset=utf-8");
	free(text);
	return answer(r, MHD_HTTP_OK, response, NULL, NULL);
}

static ssize_t end_code(ssize_t n)
{
	if (n > 0)
		return n;
	return n ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t metrics_read(void *cls, uint64_t pos, char *buf, size_t max)
{
	return end_code(exposition_read(cls, buf, max));
}

static void metrics_free(void *cls)
{
	exposition_free(cls);
}

static ssize_t gzip_metrics_read(void *cls, uint64_t pos, char *buf, size_t max)
{
	return end_code(gzip_read(cls, buf, max));
}

static void gzip_metrics_free(void *cls)
{
	gzip_free(cls);
}

static struct MHD_Response *response_metrics(struct exposition *e)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK, metrics_read, e, metrics_free);

	if (!response)
		exposition_free(e);
	return response;
}

static struct MHD_Response *response_gzip(struct exposition *e)
{
	struct gzip *g = gzip_new(e);
	struct MHD_Response *response;

	if (!g)
		return NULL;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, gzip_metrics_read, g,
						     gzip_metrics_free);
	if (response)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	else
		gzip_free(g);
	return response;
}

static ssize_t zstd_metrics_read(void *cls, uint64_t pos, char *buf, size_t max)
{
	return end_code(zstd_read(cls, buf, max));
}

static void zstd_metrics_free(void *cls)
{
	zstd_free(cls);
}

static struct MHD_Response *response_zstd(struct exposition *e)
{
	struct zstd *z = zstd_new(e);
	struct MHD_Response *response;

	if (!z)
		return NULL;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, zstd_metrics_read, z,
						     zstd_metrics_free);
	if (response)
		MHD_add_response_header(response, "Content-Encoding", "zstd");
	else
		zstd_free(z);
	return response;
}

static struct MHD_Response *(*const responses[CODING_MAX])(struct exposition *e) = {
	[CODING_IDENTITY] = response_metrics,
	[CODING_GZIP] = response_gzip,
	[CODING_ZSTD] = response_zstd,
};

/* A header's value; one that is there several times is one list. */
struct header {
	const char *name;
	size_t len;
	bool there;
	char value[HEADER_MAX];
};

static enum MHD_Result collect_header(void *cls, enum MHD_ValueKind kind, const char *name,
				      const char *value)
{
	struct header *h = cls;
	int n;

	if (strcasecmp(name, h->name) || !value)
		return MHD_YES;
	n = snprintf(h->value + h->len, HEADER_MAX - h->len, "%s%s", h->there ? "," : "", value);
	h->len = (size_t)n < HEADER_MAX - h->len ? h->len + n : HEADER_MAX - 1;
	h->there = true;
	return MHD_YES;
}

static const char *get_header(struct request *r, const char *name, struct header *h)
{
	h->name = name;
	h->len = 0;
	h->there = false;
	MHD_get_connection_values(r->http, MHD_HEADER_KIND, collect_header, h);
	return h->there ? h->value : NULL;
}

static enum MHD_Result answer_metrics(struct request *r)
{
	struct header accept, accept_encoding;
	struct MHD_Response *response;
	struct negotiated n;
	struct exposition *e;

	if (r->error || !r->snapshot) {
		log_error("cannot collect for a scrape: %s", strerror(-r->error));
		return answer_text(r, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "cannot collect, see the exporter's log\n");
	}
	negotiate(get_header(r, "Accept", &accept),
		  get_header(r, "Accept-Encoding", &accept_encoding), &n);
	e = exposition_new(r->snapshot, n.encoder);
	if (!e)
		return MHD_NO;
	response = responses[n.coding](e);
	if (response)
		MHD_add_response_header(response, "Vary", "Accept, Accept-Encoding");
	return answer(r, MHD_HTTP_OK, response, "Content-Type", n.content_type);
}

/* Leaves the request to a worker, who resumes it. False: the worker stops. */
static bool hand_over(struct request *r, struct worker *worker)
{
	MHD_suspend_connection(r->http);
	if (worker_queue(worker, &r->work))
		return true;
	MHD_resume_connection(r->http);
	return false;
}

/* Milliseconds until the scraper gives up, by the header that Prometheus sends; 0: not told. */
static unsigned int scrape_timeout_ms(struct request *r)
{
	const char *text = MHD_lookup_connection_value(r->http, MHD_HEADER_KIND,
						       "X-Prometheus-Scrape-Timeout-Seconds");
	double seconds;
	char *end;

	if (!text)
		return 0;
	seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(seconds) || seconds <= 0 || seconds > 86400)
		return 0;
	return seconds < 0.001 ? 1 : (unsigned int)(seconds * 1000);
}

static enum MHD_Result page_metrics(struct request *r)
{
	if (r->asked)
		return answer_metrics(r);
	r->asked = true;
	connection_enter(&r->server->connections, r->connection, PHASE_RESPONSE,
			 scrape_timeout_ms(r));
	if (!hand_over(r, &r->server->scraper))
		r->error = -ESHUTDOWN;
	return MHD_YES;
}

void request_scrape(void *ctx, struct work *batch)
{
	struct web_server *w = ctx;
	struct snapshot *s = NULL;
	int err = w->site.collect(w->site.ctx, &s);
	struct work *next;

	w->pass++;
	for (struct work *work = batch; work; work = next) {
		struct request *r = (struct request *)work;

		next = work->next;
		connection_hold(&w->connections, r->connection, w->pass);
		r->error = err;
		r->snapshot = err ? NULL : snapshot_ref(s);
		/* From here on the request belongs to the serving thread again. */
		MHD_resume_connection(r->http);
	}
	connections_shed(&w->connections);
	if (!err)
		snapshot_put(s);
}

void request_check_password(void *ctx, struct work *work)
{
	struct web_server *w = ctx;
	struct request *r = (struct request *)work;
	bool good = false;

	/* The same one may have been checked since it was queued. */
	if (!auth_cached(&w->auth, &r->credentials, &good) && !w->doorman.stopping)
		good = auth_check(&w->auth, &r->credentials);
	r->state = good ? REQUEST_ADMITTED : REQUEST_REFUSED;
	MHD_resume_connection(r->http);
}

/* One group per address, so that addresses take turns. */
static uint64_t address_group(struct request *r)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(r->http, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *sa = info ? info->client_addr : NULL;
	uint64_t parts[2];

	if (sa && sa->sa_family == AF_INET)
		return ((const struct sockaddr_in *)sa)->sin_addr.s_addr;
	if (!sa || sa->sa_family != AF_INET6)
		return 0;
	memcpy(parts, &((const struct sockaddr_in6 *)sa)->sin6_addr, sizeof(parts));
	return parts[0] ^ parts[1];
}

/* Finds out whether the request is admitted, or leaves that to the doorman. */
static bool admit(struct request *r)
{
	char *password = NULL;
	char *user = MHD_basic_auth_get_username_password(r->http, &password);
	bool decided = true, good;

	r->state = REQUEST_REFUSED;
	if (!user || !password ||
	    credentials_set(&r->credentials, r->policy->config, user, password))
		goto out;
	if (auth_cached(&r->server->auth, &r->credentials, &good)) {
		r->state = good ? REQUEST_ADMITTED : REQUEST_REFUSED;
		goto out;
	}
	r->work.group = address_group(r);
	decided = !hand_over(r, &r->server->doorman);
out:
	if (password)
		explicit_bzero(password, strlen(password));
	MHD_free(user);
	MHD_free(password);
	return decided;
}

/* Fixed paths; the telemetry path comes before them. */
static const struct page {
	const char *path;
	enum MHD_Result (*answer)(struct request *r);
} pages[] = {
	{"/", page_landing},
	{"/-/healthy", page_healthy},
	{"/-/ready", page_ready},
};

static enum MHD_Result route(struct request *r, const char *url, const char *method)
{
	enum MHD_Result (*page)(struct request * r) = NULL;

	if (!strcmp(url, r->server->site.telemetry_path))
		page = page_metrics;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]) && !page; i++)
		if (!strcmp(url, pages[i].path))
			page = pages[i].answer;
	if (!page)
		return answer_text(r, MHD_HTTP_NOT_FOUND, "404 page not found\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer(
			r, MHD_HTTP_METHOD_NOT_ALLOWED,
			response_text("405 method not allowed\n", "text/plain; charset=utf-8"),
			"Allow", "GET, HEAD");
	return page(r);
}

/* What the web configuration says, before anything is answered. */
static enum MHD_Result serve(struct request *r, const char *url, const char *method)
{
	if (r->state == REQUEST_NEW && !r->policy) {
		r->policy = policy_get(r->server->site.security, false);
		if (!r->policy)
			return answer_text(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
					   "Internal Server Error\n");
		if (!web_security_rate(r->server->site.security, r->policy))
			return answer_text(r, MHD_HTTP_TOO_MANY_REQUESTS, "Too Many Requests\n");
		if (!r->policy->config->users.n)
			r->state = REQUEST_ADMITTED;
		else if (!admit(r))
			return MHD_YES;
	}
	if (r->state == REQUEST_ADMITTED)
		return route(r, url, method);
	return answer(r, MHD_HTTP_UNAUTHORIZED,
		      response_text("Unauthorized\n", "text/plain; charset=utf-8"),
		      "WWW-Authenticate", "Basic realm=\"lustre-ebpf-exporter\"");
}

static struct request *request_new(struct web_server *w, struct MHD_Connection *http)
{
	struct request *r = calloc(1, sizeof(*r));
	const union MHD_ConnectionInfo *info;

	if (!r)
		return NULL;
	r->server = w;
	r->http = http;
	info = MHD_get_connection_info(http, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	r->connection = info ? info->socket_context : NULL;
	connection_enter(&w->connections, r->connection, PHASE_RESPONSE, 0);
	return r;
}

enum MHD_Result request_handle(void *cls, struct MHD_Connection *http, const char *url,
			       const char *method, const char *version, const char *upload_data,
			       size_t *upload_data_size, void **req_cls)
{
	struct request *r = *req_cls;

	if (!r) {
		r = request_new(cls, http);
		if (!r)
			return MHD_NO;
		*req_cls = r;
	}
	return serve(r, url, method);
}

void request_completed(void *cls, struct MHD_Connection *http, void **req_cls,
		       enum MHD_RequestTerminationCode toe)
{
	struct request *r = *req_cls;

	if (!r)
		return;
	connection_enter(&r->server->connections, r->connection, PHASE_IDLE, 0);
	snapshot_put(r->snapshot);
	policy_put(r->policy);
	credentials_clear(&r->credentials);
	free(r);
	*req_cls = NULL;
}
