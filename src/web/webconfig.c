// SPDX-License-Identifier: Apache-2.0
/*
 * Reading of the web configuration file, see webconfig.h. A table of keys per
 * section drives it; what the values mean together is checked in
 * webconfig_rules.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "util/parse.h"
#include "util/quote.h"
#include "web/webconfig_private.h"

/* One key of a section: its value is read to a place in struct webconfig. */
struct key {
	const char *name;
	int (*read)(struct reader *r, const struct key *key, const yaml_node_t *value);
	size_t offset;
	const struct key *section; /* keys below it, up to one without name */
};

int webconfig_fail(struct reader *r, size_t line, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->err, r->errlen, "%s:%zu: ", r->name, line);

	va_start(args, format);
	if (n >= 0 && (size_t)n < r->errlen)
		vsnprintf(r->err + n, r->errlen - n, format, args);
	va_end(args);
	return -EINVAL;
}

/* Lines are counted from 1. */
static size_t line_of(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

static const char *text_of(const yaml_node_t *scalar)
{
	return (const char *)scalar->data.scalar.value;
}

/* Nothing, as YAML writes it. Quotes make a string of it. */
static bool is_null(const yaml_node_t *node)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	text = text_of(node);
	return !*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") ||
	       !strcmp(text, "NULL");
}

static int fail_type(struct reader *r, const struct key *key, const yaml_node_t *value,
		     const char *wanted)
{
	return webconfig_fail(r, line_of(value), "%s must be %s", key->name, wanted);
}

/* A copy of the scalar; what contains a NUL is no text. */
static int copy_text(struct reader *r, const struct key *key, const yaml_node_t *value, char **copy)
{
	if (value->type != YAML_SCALAR_NODE)
		return fail_type(r, key, value, "a string");
	if (strlen(text_of(value)) != value->data.scalar.length)
		return fail_type(r, key, value, "a string without NUL");
	*copy = strdup(is_null(value) ? "" : text_of(value));
	return *copy ? 0 : -ENOMEM;
}

static int read_string(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	char **place = (char **)((char *)r->config + key->offset);
	int err = copy_text(r, key, value, place);

	if (!err && !**place) {
		free(*place);
		*place = NULL;
	}
	return err;
}

/* Relative to the folder of the configuration file. */
static int read_path(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	char **place = (char **)((char *)r->config + key->offset), *joined;
	int err = read_string(r, key, value);

	if (err || !*place || **place == '/')
		return err;
	if (asprintf(&joined, "%s/%s", r->dir, *place) < 0)
		return -ENOMEM;
	free(*place);
	*place = joined;
	return 0;
}

static int read_bool(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	static const char *const words[][2] = {
		{"no", "yes"},	   {"No", "Yes"},     {"NO", "YES"},	 {"off", "on"},
		{"Off", "On"},	   {"OFF", "ON"},     {"n", "y"},	 {"N", "Y"},
		{"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"},
	};
	bool *place = (bool *)((char *)r->config + key->offset);

	if (is_null(value))
		return 0;
	for (size_t i = 0; value->type == YAML_SCALAR_NODE && i < sizeof(words) / sizeof(words[0]);
	     i++) {
		for (int truth = 0; truth < 2; truth++) {
			if (strcmp(text_of(value), words[i][truth]))
				continue;
			*place = truth;
			return 0;
		}
	}
	return fail_type(r, key, value, "true or false");
}

static int read_number(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	int64_t *place = (int64_t *)((char *)r->config + key->offset);

	if (is_null(value))
		return 0;
	if (value->type != YAML_SCALAR_NODE || parse_int(text_of(value), place))
		return fail_type(r, key, value, "an integer");
	return 0;
}

/* With the units of Go's time.ParseDuration. */
static int read_duration(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	int64_t *place = (int64_t *)((char *)r->config + key->offset);

	if (is_null(value))
		return 0;
	if (value->type != YAML_SCALAR_NODE || strpbrk(text_of(value), "ywd") ||
	    parse_duration(text_of(value), place) || *place < 0)
		return fail_type(r, key, value, "a duration such as 1s");
	return 0;
}

static int read_list(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	struct webconfig_list *list = (struct webconfig_list *)((char *)r->config + key->offset);
	size_t n;

	if (is_null(value))
		return 0;
	if (value->type != YAML_SEQUENCE_NODE)
		return fail_type(r, key, value, "a list");
	n = value->data.sequence.items.top - value->data.sequence.items.start;
	list->items = calloc(n ? n : 1, sizeof(*list->items));
	if (!list->items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const yaml_node_t *item =
			yaml_document_get_node(r->document, value->data.sequence.items.start[i]);
		int err = copy_text(r, key, item, &list->items[i]);

		if (err)
			return err;
		list->n++;
	}
	return 0;
}

static int read_sans(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	r->config->has_client_allowed_sans = value->type == YAML_SEQUENCE_NODE;
	return read_list(r, key, value);
}

static int read_pairs(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	struct webconfig_pairs *pairs = (struct webconfig_pairs *)((char *)r->config + key->offset);
	size_t n;

	if (is_null(value))
		return 0;
	if (value->type != YAML_MAPPING_NODE)
		return fail_type(r, key, value, "a mapping of names to strings");
	n = value->data.mapping.pairs.top - value->data.mapping.pairs.start;
	pairs->items = calloc(n ? n : 1, sizeof(*pairs->items));
	if (!pairs->items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const yaml_node_pair_t *p = &value->data.mapping.pairs.start[i];
		const yaml_node_t *name = yaml_document_get_node(r->document, p->key);
		const yaml_node_t *item = yaml_document_get_node(r->document, p->value);
		struct webconfig_pair *pair = &pairs->items[pairs->n++];
		int err = copy_text(r, key, name, &pair->name);

		for (size_t k = 0; !err && k < i; k++)
			if (!strcmp(pairs->items[k].name, pair->name))
				err = webconfig_fail(r, line_of(name), "%s names one twice",
						     key->name);
		if (!err)
			err = copy_text(r, key, item, &pair->value);
		if (err)
			return err;
	}
	return 0;
}

static int read_section(struct reader *r, const struct key *key, const yaml_node_t *value);

#define KEY(name, read, member)                                      \
	{                                                            \
		name, read, offsetof(struct webconfig, member), NULL \
	}

static const struct key tls_keys[] = {
	KEY("cert", read_string, cert),
	KEY("key", read_string, key),
	KEY("client_ca", read_string, client_ca),
	KEY("cert_file", read_path, cert_file),
	KEY("key_file", read_path, key_file),
	KEY("client_ca_file", read_path, client_ca_file),
	KEY("client_auth_type", read_string, client_auth_type),
	KEY("client_allowed_sans", read_sans, client_allowed_sans),
	KEY("cipher_suites", read_list, cipher_suites),
	KEY("curve_preferences", read_list, curve_preferences),
	KEY("min_version", read_string, min_version),
	KEY("max_version", read_string, max_version),
	KEY("prefer_server_cipher_suites", read_bool, prefer_server_cipher_suites),
	{0},
};

static const struct key http_keys[] = {
	KEY("http2", read_bool, http2),
	KEY("headers", read_pairs, headers),
	{0},
};

static const struct key rate_keys[] = {
	KEY("interval", read_duration, interval_ns),
	KEY("burst", read_number, burst),
	{0},
};

static const struct key root_keys[] = {
	{"tls_server_config", read_section, 0, tls_keys},
	{"http_server_config", read_section, 0, http_keys},
	{"rate_limit", read_section, 0, rate_keys},
	KEY("basic_auth_users", read_pairs, users),
	{0},
};

static const struct key root = {"the file", read_section, 0, root_keys};

static const struct key *find_key(const struct key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

static int read_section(struct reader *r, const struct key *key, const yaml_node_t *value)
{
	uint64_t seen = 0;

	if (is_null(value))
		return 0;
	if (value->type != YAML_MAPPING_NODE)
		return fail_type(r, key, value, "a mapping");
	for (yaml_node_pair_t *p = value->data.mapping.pairs.start;
	     p < value->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = yaml_document_get_node(r->document, p->key);
		const yaml_node_t *item = yaml_document_get_node(r->document, p->value);
		const struct key *k = NULL;
		char quoted[128];
		int err;

		if (name->type == YAML_SCALAR_NODE)
			k = find_key(key->section, text_of(name));
		if (!k) {
			quote(quoted, sizeof(quoted),
			      name->type == YAML_SCALAR_NODE ? text_of(name) : "");
			return webconfig_fail(r, line_of(name), "unknown key %s in %s", quoted,
					      key->name);
		}
		if (seen & 1ULL << (k - key->section))
			return webconfig_fail(r, line_of(name), "%s is there twice", k->name);
		seen |= 1ULL << (k - key->section);
		err = k->read(r, k, item);
		if (err)
			return err;
	}
	return 0;
}

static int parse_document(struct reader *r, const char *text, size_t len)
{
	yaml_parser_t parser;
	yaml_document_t document;
	const yaml_node_t *node;
	int err = 0;

	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &document)) {
		err = parser.error == YAML_MEMORY_ERROR
			      ? -ENOMEM
			      : webconfig_fail(r, parser.problem_mark.line + 1, "not YAML: %s",
					       parser.problem ? parser.problem : "");
		yaml_parser_delete(&parser);
		return err;
	}
	r->document = &document;
	node = yaml_document_get_root_node(&document);
	/* An empty file is an empty configuration. */
	if (node)
		err = read_section(r, &root, node);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return err;
}

int webconfig_parse(struct webconfig **config, const char *text, size_t len, const char *name,
		    const char *dir, char *err, size_t errlen)
{
	struct reader r = {.name = name, .dir = dir, .err = err, .errlen = errlen};
	int error;

	snprintf(err, errlen, "%s: out of memory", name);
	r.config = calloc(1, sizeof(*r.config));
	if (!r.config)
		return -ENOMEM;
	r.config->prefer_server_cipher_suites = true;
	r.config->http2 = true;
	error = parse_document(&r, text, len);
	if (!error)
		error = webconfig_check(&r);
	if (error) {
		webconfig_free(r.config);
		return error;
	}
	*config = r.config;
	return 0;
}

static void list_free(struct webconfig_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
}

static void pairs_free(struct webconfig_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->items[i].name);
		free(pairs->items[i].value);
	}
	free(pairs->items);
}

void webconfig_free(struct webconfig *c)
{
	if (!c)
		return;
	free(c->cert);
	free(c->key);
	free(c->client_ca);
	free(c->cert_file);
	free(c->key_file);
	free(c->client_ca_file);
	free(c->client_auth_type);
	free(c->min_version);
	free(c->max_version);
	list_free(&c->client_allowed_sans);
	list_free(&c->cipher_suites);
	list_free(&c->curve_preferences);
	pairs_free(&c->headers);
	pairs_free(&c->users);
	free(c);
}

int webconfig_read_file(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;
	char *buf;
	int err = 0;

	if (fd < 0)
		return -errno;
	buf = malloc(WEBCONFIG_SIZE_MAX + 1);
	if (!buf) {
		close(fd);
		return -ENOMEM;
	}
	while ((n = read(fd, buf + used, WEBCONFIG_SIZE_MAX + 1 - used)) > 0)
		used += n;
	if (n < 0)
		err = -errno;
	else if (used > WEBCONFIG_SIZE_MAX)
		err = -EFBIG;
	close(fd);
	if (err) {
		free(buf);
		return err;
	}
	buf[used] = '\0';
	*text = buf;
	*len = used;
	return 0;
}
