// SPDX-License-Identifier: Apache-2.0
/* Where and how OTLP is pushed, see push_config.h. */
#include "web/push_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/parse.h"
#include "util/quote.h"
#include "util/utf8.h"

#define TIMEOUT_MS  10000
#define INTERVAL_MS 60000
#define PATH	    "/v1/metrics"

/* An empty variable counts as none. */
static const char *get(env_fn *env, const char *name)
{
	const char *value = env(name);

	return value && *value ? value : NULL;
}

#define VARIABLE_MAX 64

/* The variable for metrics, else the one for all signals; which it was in found. */
static const char *get_otlp(env_fn *env, const char *name, char found[VARIABLE_MAX])
{
	static const char *const prefixes[] = {"OTEL_EXPORTER_OTLP_METRICS_",
					       "OTEL_EXPORTER_OTLP_"};
	const char *value = NULL;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) && !value; i++) {
		snprintf(found, VARIABLE_MAX, "%s%s", prefixes[i], name);
		value = get(env, found);
	}
	return value;
}

static int bad(const char *what, const char *value, const char *rule, char *err, size_t errlen)
{
	char quoted[128];

	quote(quoted, sizeof(quoted), value);
	snprintf(err, errlen, "%s %s: %s", what, quoted, rule);
	return -EINVAL;
}

static int set_url(struct push_config *c, const char *what, const char *value, bool whole,
		   char *err, size_t errlen)
{
	size_t len = strlen(value);

	if (strncmp(value, "http://", 7) && strncmp(value, "https://", 8))
		return bad(what, value, "must begin with http:// or https://", err, errlen);
	for (const char *p = value; *p; p++)
		if (iscntrl((unsigned char)*p) || *p == ' ')
			return bad(what, value, "is not a URL", err, errlen);
	while (!whole && len && value[len - 1] == '/')
		len--;
	if (whole ||
	    (len > strlen(PATH) && !strncmp(value + len - strlen(PATH), PATH, strlen(PATH))))
		c->url = strndup(value, len);
	else if (asprintf(&c->url, "%.*s" PATH, (int)len, value) < 0)
		c->url = NULL;
	return c->url ? 0 : -ENOMEM;
}

/* The flag is a base; of the variables only the one for metrics is not. */
static int find_url(struct push_config *c, const char *endpoint, env_fn *env, char *err,
		    size_t errlen)
{
	const char *value;

	if (endpoint && *endpoint)
		return set_url(c, "--otlp.endpoint", endpoint, false, err, errlen);
	value = get(env, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	if (value)
		return set_url(c, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", value, true, err, errlen);
	value = get(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
	return value ? set_url(c, "OTEL_EXPORTER_OTLP_ENDPOINT", value, false, err, errlen) : 0;
}

static int hex(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* A copy with %XX decoded and blanks around it dropped; NULL: no memory. */
static char *decode(const char *text, size_t len)
{
	char *copy, *to;

	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	copy = to = malloc(len + 1);
	for (size_t i = 0; copy && i < len; i++) {
		if (text[i] == '%' && i + 2 < len && hex(text[i + 1]) >= 0 &&
		    hex(text[i + 2]) >= 0) {
			*to++ = hex(text[i + 1]) * 16 + hex(text[i + 2]);
			i += 2;
		} else {
			*to++ = text[i];
		}
	}
	if (copy)
		*to = '\0';
	return copy;
}

/* name=value,name=value; add takes over both. */
static int read_list(struct push_config *c, const char *what, const char *list,
		     int (*add)(struct push_config *c, char *name, char *value), char *err,
		     size_t errlen)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		const char *equals = memchr(list, '=', len);
		char *name, *value;
		int error;

		if (!equals && strspn(list, " \t") < len)
			return bad(what, list, "is not a list of name=value", err, errlen);
		if (equals) {
			name = decode(list, equals - list);
			value = decode(equals + 1, list + len - equals - 1);
			error = name && value ? add(c, name, value) : -ENOMEM;
			if (error) {
				free(name);
				free(value);
				return error == -EINVAL ? bad(what, list, "has what cannot be sent",
							      err, errlen)
							: error;
			}
		}
		list += len + (list[len] == ',');
	}
	return 0;
}

static int add_header(struct push_config *c, char *name, char *value)
{
	if (c->n_headers == PUSH_LIST_MAX || !*name)
		return -EINVAL;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("!#$%&'*+-.^_`|~", *p))
			return -EINVAL;
	for (const char *p = value; *p; p++)
		if (iscntrl((unsigned char)*p))
			return -EINVAL;
	if (asprintf(&c->headers[c->n_headers], "%s: %s", name, value) < 0)
		return -ENOMEM;
	c->n_headers++;
	free(name);
	free(value);
	return 0;
}

/* What is there already stays: the more definite source is asked first. */
static int add_attribute(struct push_config *c, char *name, char *value)
{
	char *clean = malloc(UTF8_SANITIZED_MAX(strlen(value)));

	if (!clean)
		return -ENOMEM;
	utf8_sanitize(clean, UTF8_SANITIZED_MAX(strlen(value)), value, strlen(value));
	for (size_t i = 0; i < c->n_attributes; i++) {
		if (strcmp(c->attributes[i].name, name))
			continue;
		free(clean);
		free(name);
		free(value);
		return 0;
	}
	if (c->n_attributes == PUSH_LIST_MAX || !*name) {
		free(clean);
		return -EINVAL;
	}
	c->attributes[c->n_attributes++] = (struct label){name, clean};
	free(value);
	return 0;
}

static int add_fixed(struct push_config *c, const char *name, const char *value)
{
	char *name_copy = strdup(name), *value_copy = strdup(value);
	int error = name_copy && value_copy ? add_attribute(c, name_copy, value_copy) : -ENOMEM;

	if (error) {
		free(name_copy);
		free(value_copy);
	}
	return error;
}

static int find_attributes(struct push_config *c, env_fn *env, const char *version,
			   const char *hostname, char *err, size_t errlen)
{
	const char *name = get(env, "OTEL_SERVICE_NAME");
	const char *list = get(env, "OTEL_RESOURCE_ATTRIBUTES");
	int error = name ? add_fixed(c, "service.name", name) : 0;

	if (!error && list)
		error = read_list(c, "OTEL_RESOURCE_ATTRIBUTES", list, add_attribute, err, errlen);
	if (!error)
		error = add_fixed(c, "service.name", "lustre-ebpf-exporter");
	if (!error)
		error = add_fixed(c, "service.version", version);
	if (!error)
		error = add_fixed(c, "service.instance.id", hostname);
	if (!error)
		error = add_fixed(c, "host.name", hostname);
	return error;
}

static int find_ms(const char *what, const char *value, unsigned int *ms, char *err, size_t errlen)
{
	uint64_t n;

	if (!value)
		return 0;
	if (parse_digits(value, strlen(value), 86400000, &n) || !n)
		return bad(what, value, "must be a number of milliseconds, at most a day", err,
			   errlen);
	*ms = n;
	return 0;
}

static int find_choices(struct push_config *c, env_fn *env, char *err, size_t errlen)
{
	const char *aggregation = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";
	char what[VARIABLE_MAX];
	const char *value = get_otlp(env, "COMPRESSION", what);

	if (value && strcmp(value, "gzip") && strcmp(value, "none"))
		return bad(what, value, "must be gzip or none", err, errlen);
	c->gzip = !value || !strcmp(value, "gzip");

	value = get_otlp(env, "PROTOCOL", what);
	if (value && strcmp(value, "http/protobuf"))
		return bad(what, value, "only http/protobuf is spoken", err, errlen);

	value = get(env, aggregation);
	if (value && strcmp(value, "explicit_bucket_histogram") &&
	    strcmp(value, "base2_exponential_bucket_histogram"))
		return bad(aggregation, value,
			   "must be explicit_bucket_histogram or "
			   "base2_exponential_bucket_histogram",
			   err, errlen);
	c->exponential = value && *value == 'b';
	return 0;
}

int push_config_load(struct push_config *c, const char *endpoint, env_fn *env, const char *version,
		     const char *hostname, char *err, size_t errlen)
{
	char what[VARIABLE_MAX];
	const char *value;
	int error;

	*c = (struct push_config){.timeout_ms = TIMEOUT_MS, .interval_ms = INTERVAL_MS};
	snprintf(err, errlen, "out of memory");
	error = find_url(c, endpoint, env, err, errlen);
	if (error)
		goto fail;
	if (!c->url)
		return 0;
	value = get_otlp(env, "HEADERS", what);
	if (value)
		error = read_list(c, what, value, add_header, err, errlen);
	if (!error)
		error = find_attributes(c, env, version, hostname, err, errlen);
	if (!error) {
		value = get_otlp(env, "TIMEOUT", what);
		error = find_ms(what, value, &c->timeout_ms, err, errlen);
	}
	if (!error)
		error = find_ms("OTEL_METRIC_EXPORT_INTERVAL",
				get(env, "OTEL_METRIC_EXPORT_INTERVAL"), &c->interval_ms, err,
				errlen);
	if (!error)
		error = find_choices(c, env, err, errlen);
	c->ca_file = get_otlp(env, "CERTIFICATE", what);
	c->cert_file = get_otlp(env, "CLIENT_CERTIFICATE", what);
	c->key_file = get_otlp(env, "CLIENT_KEY", what);
	if (!error)
		return 1;
fail:
	push_config_free(c);
	return error;
}

void push_config_free(struct push_config *c)
{
	free(c->url);
	for (size_t i = 0; i < c->n_headers; i++)
		free(c->headers[i]);
	for (size_t i = 0; i < c->n_attributes; i++) {
		free((char *)c->attributes[i].name);
		free((char *)c->attributes[i].value);
	}
	*c = (struct push_config){0};
}
