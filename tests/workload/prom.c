// SPDX-License-Identifier: Apache-2.0
/*
 * Strict parser of the Prometheus text format 0.0.4. Works in place on the
 * text; names and values point into it.
 */
#include "prom.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct prom *prom;
	char *at; /* rest of the current line, NUL terminated */
	int line;
	int current; /* family of the lines being read, -1 before the first */
	size_t n_labels;
	char *key_at;
	char *err;
	size_t err_len;
};

__attribute__((format(printf, 2, 3))) static int fault(struct parser *p, const char *format, ...)
{
	va_list args;
	int n = snprintf(p->err, p->err_len, "line %d: ", p->line);

	va_start(args, format);
	if (n > 0 && (size_t)n < p->err_len)
		vsnprintf(p->err + n, p->err_len - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static bool valid_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		unsigned int n, min, c = *s++;

		if (c < 0x80)
			continue;
		if (c >= 0xc2 && c <= 0xdf)
			n = 1, min = 0x80, c &= 0x1f;
		else if (c >= 0xe0 && c <= 0xef)
			n = 2, min = 0x800, c &= 0x0f;
		else if (c >= 0xf0 && c <= 0xf4)
			n = 3, min = 0x10000, c &= 0x07;
		else
			return false;
		while (n--) {
			if ((*s & 0xc0) != 0x80)
				return false;
			c = c << 6 | (*s++ & 0x3f);
		}
		if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return false;
	}
	return true;
}

/* Takes a name off the line; colons belong to metric names only. */
static char *take_name(struct parser *p, bool metric)
{
	char *start = p->at;

	if (!isalpha((unsigned char)*p->at) && *p->at != '_' && !(metric && *p->at == ':'))
		return NULL;
	while (isalnum((unsigned char)*p->at) || *p->at == '_' || (metric && *p->at == ':'))
		p->at++;
	return start;
}

static int family_index(const struct prom *prom, const char *name, size_t len)
{
	for (size_t i = 0; i < prom->n_families; i++) {
		if (!strncmp(prom->families[i].name, name, len) && !prom->families[i].name[len])
			return (int)i;
	}
	return -1;
}

/* A HELP or TYPE line opens its family, or continues it if nothing came between. */
static int open_family(struct parser *p, char *name, char *name_end)
{
	struct prom *prom = p->prom;
	int known = family_index(prom, name, (size_t)(name_end - name));

	if (known >= 0 && known != p->current)
		return fault(p, "family %.*s in two places", (int)(name_end - name), name);
	if (known >= 0)
		return known;
	*name_end = '\0';
	prom->families[prom->n_families] = (struct prom_family){name, NULL, PROM_UNTYPED};
	p->current = (int)prom->n_families++;
	return p->current;
}

static int parse_comment(struct parser *p)
{
	static const char *const types[] = {"counter", "gauge", "histogram", "untyped"};
	struct prom *prom = p->prom;
	bool help = !strncmp(p->at, "# HELP ", 7);
	char *name, *text;
	size_t samples_before = prom->n_samples;
	int f;

	if (!help && strncmp(p->at, "# TYPE ", 7))
		return fault(p, "comment that is neither HELP nor TYPE");
	p->at += 7;
	name = take_name(p, true);
	if (!name || *p->at != ' ')
		return fault(p, "no metric name followed by a blank");
	text = p->at + 1;
	f = open_family(p, name, p->at);
	if (f < 0)
		return f;
	if (samples_before && prom->samples[samples_before - 1].family == f)
		return fault(p, "HELP or TYPE of %s after its samples", prom->families[f].name);
	if (help) {
		if (prom->families[f].help)
			return fault(p, "second HELP of %s", prom->families[f].name);
		prom->families[f].help = text;
		for (char *c = text; *c; c++) {
			if (*c == '\\' && c[1] != '\\' && c[1] != 'n')
				return fault(p, "bad escape in HELP");
			c += *c == '\\';
		}
		return 0;
	}
	for (int t = 0; t < 4; t++) {
		if (!strcmp(text, types[t])) {
			prom->families[f].type = (enum prom_type)t;
			return 0;
		}
	}
	return fault(p, "unknown type '%s'", text);
}

/* Resolves the escapes of a quoted value in place. */
static int take_value(struct parser *p, const char **value)
{
	char *out;

	if (*p->at++ != '"')
		return fault(p, "label value without quote");
	*value = out = p->at;
	while (*p->at != '"') {
		char c = *p->at++;

		if (!c)
			return fault(p, "label value without end");
		if (c == '\\') {
			c = *p->at++;
			if (c != '\\' && c != '"' && c != 'n')
				return fault(p, "bad escape in label value");
			c = c == 'n' ? '\n' : c;
		}
		*out++ = c;
	}
	p->at++;
	*out = '\0';
	return 0;
}

static int parse_labels(struct parser *p, struct prom_sample *sample)
{
	struct prom_label *labels = &p->prom->label_pool[p->n_labels];
	int err;

	sample->labels = labels;
	if (*p->at != '{')
		return 0;
	*p->at++ = '\0'; /* ends the metric name */
	while (*p->at != '}') {
		struct prom_label *label = &labels[sample->n_labels];
		char *end;

		label->name = take_name(p, false);
		if (!label->name || *p->at != '=')
			return fault(p, "no label name followed by '='");
		end = p->at++;
		err = take_value(p, &label->value);
		if (err)
			return err;
		*end = '\0';
		for (size_t i = 0; i < sample->n_labels; i++) {
			if (!strcmp(labels[i].name, label->name))
				return fault(p, "label %s twice", label->name);
		}
		sample->n_labels++;
		p->n_labels++;
		if (*p->at == ',')
			p->at++;
		else if (*p->at != '}')
			return fault(p, "neither ',' nor '}' after a label");
	}
	p->at++;
	return 0;
}

static bool is_suffix(const char *suffix, enum prom_type type)
{
	if (type != PROM_HISTOGRAM)
		return !*suffix;
	return !strcmp(suffix, "_bucket") || !strcmp(suffix, "_sum") || !strcmp(suffix, "_count");
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct prom_label *)a)->name, ((const struct prom_label *)b)->name);
}

/*
 * The identity: name, then labels sorted by name, with separators no UTF-8 text
 * contains. A user name belongs to its uid and may become known later: it is no
 * part of the identity, so a series must not stand there under both names.
 */
static void make_key(struct parser *p, struct prom_sample *sample)
{
	struct prom_label sorted[64];
	char *out = p->key_at;

	memcpy(sorted, sample->labels, sample->n_labels * sizeof(sorted[0]));
	qsort(sorted, sample->n_labels, sizeof(sorted[0]), compare_labels);
	sample->key = out;
	out = stpcpy(out, sample->name);
	for (size_t i = 0; i < sample->n_labels; i++) {
		if (!strcmp(sorted[i].name, "username") && prom_label(sample, "uid"))
			continue;
		*out++ = '\xff';
		out = stpcpy(out, sorted[i].name);
		*out++ = '\xfe';
		out = stpcpy(out, sorted[i].value);
	}
	p->key_at = out + 1;
}

static int parse_number(struct parser *p, double *value)
{
	char *end;

	/* strtod also takes hexadecimal and "infinity"; the format has neither */
	if (strspn(p->at, "+-.0123456789eEInfNa") != strlen(p->at))
		return fault(p, "bad value '%s' (or a time stamp)", p->at);
	*value = strtod(p->at, &end);
	if (end == p->at || *end)
		return fault(p, "bad value '%s'", p->at);
	return 0;
}

static int parse_sample(struct parser *p)
{
	struct prom *prom = p->prom;
	struct prom_sample *sample = &prom->samples[prom->n_samples];
	const struct prom_family *family;
	char *name_end;
	int err;

	*sample = (struct prom_sample){.name = take_name(p, true), .line = p->line};
	if (!sample->name)
		return fault(p, "no metric name");
	name_end = p->at;
	err = parse_labels(p, sample);
	if (err)
		return err;
	if (sample->n_labels > 63)
		return fault(p, "more than 63 labels");
	if (*p->at++ != ' ')
		return fault(p, "no blank before the value");
	*name_end = '\0';
	err = parse_number(p, &sample->value);
	if (err)
		return err;
	if (p->current < 0)
		return fault(p, "%s before any TYPE", sample->name);
	family = &prom->families[p->current];
	sample->family = p->current;
	if (strncmp(sample->name, family->name, strlen(family->name)) ||
	    !is_suffix(sample->name + strlen(family->name), family->type))
		return fault(p, "%s among the samples of %s", sample->name, family->name);
	if (family->type == PROM_COUNTER && !(sample->value >= 0 && isfinite(sample->value)))
		return fault(p, "counter %s is %g", sample->name, sample->value);
	make_key(p, sample);
	prom->n_samples++;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp((*(const struct prom_sample *const *)a)->key,
		      (*(const struct prom_sample *const *)b)->key);
}

static int index_samples(struct parser *p)
{
	struct prom *prom = p->prom;

	for (size_t i = 0; i < prom->n_samples; i++)
		prom->by_key[i] = &prom->samples[i];
	qsort(prom->by_key, prom->n_samples, sizeof(prom->by_key[0]), compare_keys);
	for (size_t i = 1; i < prom->n_samples; i++) {
		const struct prom_sample *a = prom->by_key[i - 1], *b = prom->by_key[i];

		if (strcmp(a->key, b->key))
			continue;
		p->line = a->line > b->line ? a->line : b->line;
		return fault(p, "series %s again, first in line %d", a->name,
			     a->line < b->line ? a->line : b->line);
	}
	return 0;
}

/* Every comma, brace or line break bounds the number of labels, samples and families. */
static int allocate(struct prom *prom, const char *text, size_t len)
{
	size_t lines = 1, labels = 1;

	for (size_t i = 0; i < len; i++) {
		lines += text[i] == '\n';
		labels += text[i] == '=';
	}
	prom->families = calloc(lines, sizeof(prom->families[0]));
	prom->samples = calloc(lines, sizeof(prom->samples[0]));
	prom->by_key = calloc(lines, sizeof(prom->by_key[0]));
	prom->label_pool = calloc(labels, sizeof(prom->label_pool[0]));
	prom->key_pool = malloc(len + lines + 1);
	if (!prom->families || !prom->samples || !prom->by_key || !prom->label_pool ||
	    !prom->key_pool)
		return -ENOMEM;
	return 0;
}

int prom_parse(struct prom *prom, char *text, size_t len, char *err, size_t err_len)
{
	struct parser p = {.prom = prom, .current = -1, .err = err, .err_len = err_len};
	char *next;
	int rc;

	memset(prom, 0, sizeof(*prom));
	prom->text = text;
	if (strlen(text) != len)
		return fault(&p, "NUL byte in the text");
	if (len && text[len - 1] != '\n')
		return fault(&p, "the text does not end with a line feed");
	if (allocate(prom, text, len))
		return fault(&p, "out of memory");
	p.key_at = prom->key_pool;
	for (p.at = text; *p.at; p.at = next) {
		p.line++;
		next = strchr(p.at, '\n') + 1;
		next[-1] = '\0';
		if (!valid_utf8(p.at))
			return fault(&p, "invalid UTF-8");
		rc = *p.at == '#' ? parse_comment(&p) : parse_sample(&p);
		if (rc)
			return rc;
	}
	return index_samples(&p);
}

void prom_free(struct prom *prom)
{
	free(prom->families);
	free(prom->samples);
	free(prom->by_key);
	free(prom->label_pool);
	free(prom->key_pool);
	free(prom->text);
	memset(prom, 0, sizeof(*prom));
}

const char *prom_label(const struct prom_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->n_labels; i++) {
		if (!strcmp(sample->labels[i].name, name))
			return sample->labels[i].value;
	}
	return NULL;
}

const struct prom_sample *prom_find(const struct prom *prom, const char *key)
{
	struct prom_sample wanted = {.key = key};
	const struct prom_sample *pointer = &wanted, **found;

	found = bsearch(&pointer, prom->by_key, prom->n_samples, sizeof(prom->by_key[0]),
			compare_keys);
	return found ? *found : NULL;
}

bool prom_matches(const struct prom_sample *sample, const struct prom_match *match, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = prom_label(sample, match[i].name);

		if (!strcmp(value ? value : "", match[i].value) == match[i].negate)
			return false;
	}
	return true;
}

double prom_sum(const struct prom *prom, const char *name, const struct prom_match *match, size_t n,
		size_t *n_series)
{
	double sum = 0;
	size_t series = 0;

	for (size_t i = 0; i < prom->n_samples; i++) {
		if (strcmp(prom->samples[i].name, name) ||
		    !prom_matches(&prom->samples[i], match, n))
			continue;
		sum += prom->samples[i].value;
		series++;
	}
	if (n_series)
		*n_series = series;
	return sum;
}
