// SPDX-License-Identifier: Apache-2.0
/*
 * Negotiation of content, see negotiate.h. RFC 9110: the most specific range that
 * covers an offer gives its quality. What Prometheus adds: versions, where none
 * means the oldest, and the escaping of names, which is told back.
 */
#include "encode/negotiate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define QUALITY_MAX	1000 /* qualities have three decimals */
#define QUALITY_UNKNOWN -1

/* A piece of a header value, not terminated. */
struct piece {
	const char *at;
	size_t len;
};

/* What can be had. Where a client has no preference, the first one is given. */
static const struct offer {
	const char *type, *subtype;
	const char *version; /* NULL: has none */
	bool is_default;     /* meant by a range without version */
	bool tells_escaping; /* always; others only if asked */
	const struct encoder *encoder;
	const char *content_type;
} offers[] = {
	{"text", "plain", "0.0.4", true, false, &text_encoder,
	 "text/plain; version=0.0.4; charset=utf-8"},
	{"text", "plain", "1.0.0", false, true, &text_encoder,
	 "text/plain; version=1.0.0; charset=utf-8"},
	{"application", "openmetrics-text", "1.0.0", false, false, &openmetrics_encoder,
	 "application/openmetrics-text; version=1.0.0; charset=utf-8"},
	{"application", "openmetrics-text", "0.0.1", true, false, &openmetrics_encoder,
	 "application/openmetrics-text; version=0.0.1; charset=utf-8"},
	{"application", "vnd.google.protobuf", NULL, true, false, &protobuf_encoder,
	 "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
	 "encoding=delimited"},
};

#define OFFERS (sizeof(offers) / sizeof(offers[0]))

static const char *const escapings[] = {"underscores", "allow-utf-8", "dots", "values"};

/* One element of Accept. */
struct range {
	struct piece type, subtype, version, escaping, proto, encoding;
	int quality;
};

static bool is(struct piece p, const char *text)
{
	return strlen(text) == p.len && !strncasecmp(p.at, text, p.len);
}

static struct piece trim(struct piece p)
{
	while (p.len && (p.at[0] == ' ' || p.at[0] == '\t')) {
		p.at++;
		p.len--;
	}
	while (p.len && (p.at[p.len - 1] == ' ' || p.at[p.len - 1] == '\t'))
		p.len--;
	return p;
}

/* Cuts off what stands before the separator, which does not count inside quotes. */
static bool next_piece(struct piece *rest, char separator, struct piece *piece)
{
	bool quoted = false;
	size_t i;

	if (!rest->at)
		return false;
	for (i = 0; i < rest->len; i++) {
		char c = rest->at[i];

		if (quoted && c == '\\' && i + 1 < rest->len)
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (c == separator && !quoted)
			break;
	}
	*piece = trim((struct piece){rest->at, i});
	if (i < rest->len) {
		rest->at += i + 1;
		rest->len -= i + 1;
	} else {
		rest->at = NULL;
	}
	return true;
}

/* 0, 1, 0.5, 0.123; what is no number counts as not given. */
static int parse_quality(struct piece p)
{
	int quality = 0, weight = QUALITY_MAX;
	bool point = false;

	if (!p.len)
		return QUALITY_MAX;
	for (size_t i = 0; i < p.len; i++) {
		if (p.at[i] == '.' && !point) {
			point = true;
		} else if (!isdigit((unsigned char)p.at[i])) {
			return QUALITY_MAX;
		} else if (point) {
			weight /= 10;
			quality += (p.at[i] - '0') * weight;
		} else if (quality < QUALITY_MAX) {
			quality = quality * 10 + (p.at[i] - '0') * QUALITY_MAX;
		}
	}
	return quality < QUALITY_MAX ? quality : QUALITY_MAX;
}

/* name=value, the quotes taken off. */
static void split_parameter(struct piece p, struct piece *name, struct piece *value)
{
	const char *equals = memchr(p.at, '=', p.len);

	*name = p;
	*value = (struct piece){p.at + p.len, 0};
	if (!equals)
		return;
	*name = trim((struct piece){p.at, equals - p.at});
	*value = trim((struct piece){equals + 1, p.at + p.len - equals - 1});
	if (value->len >= 2 && value->at[0] == '"' && value->at[value->len - 1] == '"') {
		value->at++;
		value->len -= 2;
	}
}

static bool parse_range(struct piece element, struct range *r)
{
	struct piece rest = element, p, name, value;
	const char *slash;

	*r = (struct range){.quality = QUALITY_MAX};
	next_piece(&rest, ';', &p);
	slash = memchr(p.at, '/', p.len);
	if (!slash)
		return false;
	r->type = trim((struct piece){p.at, slash - p.at});
	r->subtype = trim((struct piece){slash + 1, p.at + p.len - slash - 1});
	while (next_piece(&rest, ';', &p)) {
		split_parameter(p, &name, &value);
		if (is(name, "q"))
			r->quality = parse_quality(value);
		else if (is(name, "version"))
			r->version = value;
		else if (is(name, "escaping"))
			r->escaping = value;
		else if (is(name, "proto"))
			r->proto = value;
		else if (is(name, "encoding"))
			r->encoding = value;
	}
	return true;
}

/* How precisely the range covers the offer; 0: not at all. */
static int specificity(const struct range *r, const struct offer *o)
{
	if (is(r->type, "*") && is(r->subtype, "*"))
		return 1;
	if (!is(r->type, o->type))
		return 0;
	if (is(r->subtype, "*"))
		return 2;
	if (!is(r->subtype, o->subtype))
		return 0;
	if (!o->version) {
		if (r->proto.len && !is(r->proto, "io.prometheus.client.MetricFamily"))
			return 0;
		return r->proto.len && is(r->encoding, "delimited") ? 4 : 0;
	}
	if (r->version.len)
		return is(r->version, o->version) ? 4 : 0;
	/* Without a version the oldest one is wanted, but all are refused. */
	return o->is_default || !r->quality ? 3 : 0;
}

/* An offer's quality, and the range that gives it. */
struct match {
	int quality;
	int specificity;
	int order; /* of the range in the header */
	struct piece escaping;
};

static void match_all(const char *accept, struct match matches[OFFERS])
{
	struct piece rest = {accept, strlen(accept)}, element;
	struct range r;

	for (int order = 0; next_piece(&rest, ',', &element); order++) {
		if (!parse_range(element, &r))
			continue;
		for (size_t i = 0; i < OFFERS; i++) {
			int s = specificity(&r, &offers[i]);

			if (s > matches[i].specificity)
				matches[i] = (struct match){r.quality, s, order, r.escaping};
		}
	}
}

static const char *escaping_name(struct piece wanted)
{
	for (size_t i = 0; i < sizeof(escapings) / sizeof(escapings[0]); i++)
		if (is(wanted, escapings[i]))
			return escapings[i];
	return escapings[0];
}

/* By what order they are listed in enum coding: what costs less comes later. */
static enum coding choose_coding(const char *accept_encoding)
{
	static const char *const names[CODING_MAX] = {"identity", "gzip", "zstd"};
	struct piece rest = {accept_encoding, strlen(accept_encoding)}, element;
	int quality[CODING_MAX] = {QUALITY_UNKNOWN, QUALITY_UNKNOWN, QUALITY_UNKNOWN};
	int any = QUALITY_UNKNOWN;
	enum coding best = CODING_IDENTITY;

	while (next_piece(&rest, ',', &element)) {
		struct piece parts = element, coding, parameter, name, value;
		int q = QUALITY_MAX;

		next_piece(&parts, ';', &coding);
		while (next_piece(&parts, ';', &parameter)) {
			split_parameter(parameter, &name, &value);
			if (is(name, "q"))
				q = parse_quality(value);
		}
		if (is(coding, "*"))
			any = q;
		if (is(coding, "x-gzip"))
			quality[CODING_GZIP] = q;
		for (int i = 0; i < CODING_MAX; i++)
			if (is(coding, names[i]))
				quality[i] = q;
	}
	if (quality[CODING_GZIP] == QUALITY_UNKNOWN)
		quality[CODING_GZIP] = any;
	/* Not compressed is as good as what is not mentioned: the client has asked for another. */
	for (int i = CODING_GZIP; i < CODING_MAX; i++)
		if (quality[i] > 0 && quality[i] >= quality[best])
			best = i;
	return best;
}

void negotiate(const char *accept, const char *accept_encoding, struct negotiated *n)
{
	struct match matches[OFFERS] = {{0}};
	const struct offer *o;
	size_t best = 0;
	int len;

	if (accept)
		match_all(accept, matches);
	for (size_t i = 1; i < OFFERS; i++)
		if (matches[i].quality > matches[best].quality ||
		    (matches[i].quality && matches[i].quality == matches[best].quality &&
		     matches[i].order < matches[best].order))
			best = i;
	o = &offers[best];
	n->encoder = o->encoder;
	len = snprintf(n->content_type, sizeof(n->content_type), "%s", o->content_type);
	if (o->tells_escaping || matches[best].escaping.len)
		snprintf(n->content_type + len, sizeof(n->content_type) - len, "; escaping=%s",
			 escaping_name(matches[best].escaping));
	n->coding = accept_encoding ? choose_coding(accept_encoding) : CODING_IDENTITY;
}
