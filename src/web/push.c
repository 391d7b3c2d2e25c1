// SPDX-License-Identifier: Apache-2.0
/* Pushing to an OTLP receiver, see push.h. */
#include "web/push.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "encode/otlp.h"
#include "util/log.h"

#define BACKOFF_FIRST_MS 1000
#define BACKOFF_MAX_MS	 30000
#define ANSWER_MAX	 65536 /* bytes of an answer that are looked at */
#define WINDOW_GZIP	 (15 + 16)

struct pusher {
	const struct push_config *config;
	struct push_site site;
	struct otlp_source source;
	CURL *curl;
	struct curl_slist *headers;
	char curl_error[CURL_ERROR_SIZE];
	struct out packed; /* the request, compressed */
	struct out answer;
	unsigned int seed; /* of the jitter */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool stopping;
	bool flush;
	struct push_stats stats;
};

/* What a try came to. */
enum outcome {
	TAKEN,
	TRY_AGAIN, /* after *delay_ms, 0: as one likes */
	REFUSED,
};

static bool is_stopping(struct pusher *p)
{
	bool stopping;

	pthread_mutex_lock(&p->lock);
	stopping = p->stopping && !p->flush;
	pthread_mutex_unlock(&p->lock);
	return stopping;
}

/* By the clock, until the pusher stops. */
static bool wait_ms(struct pusher *p, unsigned int ms)
{
	struct timespec until;
	bool stopping;

	if (p->site.wait)
		return p->site.wait(p->site.ctx, ms);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&p->lock);
	while (!p->stopping && pthread_cond_timedwait(&p->wake, &p->lock, &until) != ETIMEDOUT)
		;
	stopping = p->stopping;
	pthread_mutex_unlock(&p->lock);
	return !stopping;
}

static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
	struct pusher *p = ctx;

	/* A larger answer is none that we know: nothing of it is kept. */
	if (p->answer.len + n > ANSWER_MAX)
		return 0;
	out_bytes(&p->answer, data, n);
	return n;
}

static int progress(void *ctx, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
		    curl_off_t ulnow)
{
	return is_stopping(ctx);
}

static int compress_request(const struct out *request, struct out *packed)
{
	z_stream z = {.next_in = (Bytef *)request->base, .avail_in = request->len};
	int result;
	char *to;

	packed->len = 0;
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	to = out_reserve(packed, deflateBound(&z, request->len));
	z.next_out = (Bytef *)to;
	z.avail_out = to ? packed->room : 0;
	result = to ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
	packed->len = z.total_out;
	deflateEnd(&z);
	return result == Z_STREAM_END ? 0 : -ENOMEM;
}

/* The receiver has taken a request of n points. */
static void note_taken(struct pusher *p, int n)
{
	char why[256];
	int64_t rejected = otlp_rejected(p->answer.base, p->answer.len, why, sizeof(why));

	/* An answer that cannot be read does not undo the status. */
	if (rejected < 0)
		log_debug("OTLP receiver %s: answer is not of OTLP", p->config->url);
	if (rejected > 0)
		log_kv(LOG_LEVEL_WARN, "OTLP receiver rejected data points",
		       LOG_S("url", p->config->url), LOG_N("rejected", rejected),
		       LOG_S("why", why));
	pthread_mutex_lock(&p->lock);
	p->stats.requests++;
	p->stats.points += n;
	p->stats.rejected += rejected > 0 ? rejected : 0;
	pthread_mutex_unlock(&p->lock);
}

static enum outcome try_once(struct pusher *p, const struct out *body, unsigned int *delay_ms)
{
	curl_off_t retry_after = 0;
	long status = 0;
	CURLcode code;

	*delay_ms = 0;
	p->answer.len = 0;
	p->curl_error[0] = '\0';
	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, body->base);
	curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	code = curl_easy_perform(p->curl);
	if (code != CURLE_OK) {
		log_kv(LOG_LEVEL_WARN, "OTLP push failed", LOG_S("url", p->config->url),
		       LOG_S("error", p->curl_error[0] ? p->curl_error : curl_easy_strerror(code)));
		return code == CURLE_WRITE_ERROR ? REFUSED : TRY_AGAIN;
	}
	curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300)
		return TAKEN;
	log_kv(LOG_LEVEL_WARN, "OTLP push failed", LOG_S("url", p->config->url),
	       LOG_N("status", status));
	if (status != 429 && status != 502 && status != 503 && status != 504)
		return REFUSED;
	curl_easy_getinfo(p->curl, CURLINFO_RETRY_AFTER, &retry_after);
	if (retry_after > 0 && retry_after < 86400)
		*delay_ms = retry_after * 1000;
	return TRY_AGAIN;
}

/* Between half and all of a delay that doubles: receivers that recover are not met by all at once.
 */
static unsigned int backoff_ms(struct pusher *p, unsigned int attempt)
{
	unsigned int ms = BACKOFF_FIRST_MS;

	while (attempt-- && ms < BACKOFF_MAX_MS)
		ms *= 2;
	if (ms > BACKOFF_MAX_MS)
		ms = BACKOFF_MAX_MS;
	return ms / 2 + rand_r(&p->seed) % (ms / 2 + 1);
}

/* Tries until the next push is due. False: it was given up. */
static bool send_request(struct pusher *p, const struct out *request, int points)
{
	const struct out *body = request;
	unsigned int waited = 0, delay;

	if (p->config->gzip) {
		if (compress_request(request, &p->packed))
			return false;
		body = &p->packed;
	}
	for (unsigned int attempt = 0;; attempt++) {
		enum outcome outcome = try_once(p, body, &delay);

		if (outcome == TAKEN) {
			note_taken(p, points);
			return true;
		}
		if (!delay)
			delay = backoff_ms(p, attempt);
		waited += delay;
		if (outcome == REFUSED || waited > p->config->interval_ms || is_stopping(p) ||
		    !wait_ms(p, delay))
			return false;
	}
}

static void push_snapshot(struct pusher *p, struct snapshot *s)
{
	struct otlp *o = otlp_new(s, &p->source);
	struct out request = {0};
	bool failed = !o;
	int n = 0;

	while (!failed && (n = otlp_next(o, &request)) > 0)
		failed = !send_request(p, &request, n);
	if (failed || n < 0) {
		pthread_mutex_lock(&p->lock);
		p->stats.failed++;
		pthread_mutex_unlock(&p->lock);
	}
	otlp_free(o);
	out_free(&request);
}

static void push_now(struct pusher *p)
{
	struct snapshot *s;
	int err = p->site.collect(p->site.ctx, &s);

	if (err) {
		log_error("cannot collect for a push: %s", strerror(-err));
		return;
	}
	push_snapshot(p, s);
	snapshot_put(s);
}

static void *push_main(void *arg)
{
	struct pusher *p = arg;
	bool flush;

	while (wait_ms(p, p->config->interval_ms))
		push_now(p);
	pthread_mutex_lock(&p->lock);
	flush = p->flush;
	pthread_mutex_unlock(&p->lock);
	if (flush)
		push_now(p);
	return NULL;
}

static bool set_up(struct pusher *p)
{
	const struct push_config *c = p->config;
	struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/x-protobuf");
	CURL *curl = curl_easy_init();

	p->curl = curl;
	p->headers = list;
	if (!curl || !list)
		return false;
	/* An empty one keeps libcurl from waiting for "100 Continue". */
	list = curl_slist_append(list, "Expect:");
	if (list && c->gzip)
		list = curl_slist_append(list, "Content-Encoding: gzip");
	for (size_t i = 0; list && i < c->n_headers; i++)
		list = curl_slist_append(list, c->headers[i]);
	if (!list)
		return false;
	curl_easy_setopt(curl, CURLOPT_URL, c->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "lustre-ebpf-exporter");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)c->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, p->curl_error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, p);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, p);
	if (c->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, c->ca_file);
	if (c->cert_file)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, c->cert_file);
	if (c->key_file)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, c->key_file);
	return true;
}

static void pusher_free(struct pusher *p)
{
	curl_easy_cleanup(p->curl);
	curl_slist_free_all(p->headers);
	out_free(&p->packed);
	out_free(&p->answer);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

int push_start(struct pusher **pusher, const struct push_config *config,
	       const struct push_site *site, char *err, size_t errlen)
{
	struct pusher *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;
	int error;

	snprintf(err, errlen, "cannot start the OTLP push: out of memory");
	if (!p)
		return -ENOMEM;
	p->config = config;
	p->site = *site;
	p->source = (struct otlp_source){
		.attributes = config->attributes,
		.n_attributes = config->n_attributes,
		.version = site->version,
		.exponential = config->exponential,
	};
	p->seed = (unsigned int)time(NULL) ^ (unsigned int)(uintptr_t)p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) || !set_up(p)) {
		pusher_free(p);
		return -ENOMEM;
	}
	error = pthread_create(&p->thread, NULL, push_main, p);
	if (error) {
		snprintf(err, errlen, "cannot start the OTLP push: %s", strerror(error));
		pusher_free(p);
		return -error;
	}
	*pusher = p;
	return 0;
}

void push_stop(struct pusher *p, bool flush)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	p->flush = flush;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pusher_free(p);
	curl_global_cleanup();
}

void push_stats(struct pusher *p, struct push_stats *stats)
{
	pthread_mutex_lock(&p->lock);
	*stats = p->stats;
	pthread_mutex_unlock(&p->lock);
}
