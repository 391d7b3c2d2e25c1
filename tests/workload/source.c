// SPDX-License-Identifier: Apache-2.0
/* Readers of the simulated client's counts and of the exporter's families. */
#include "source.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"
#include "ops/table.h"

#define INSTANCE_HEX 16

struct tally *tallies_at(struct tallies *t, const char *name, size_t len)
{
	if (len >= FS_NAME_LEN)
		return NULL;
	for (size_t i = 0; i < t->n; i++) {
		if (!strncmp(t->fs[i].name, name, len) && !t->fs[i].name[len])
			return &t->fs[i].tally;
	}
	if (t->n == SOURCE_MAX)
		return NULL;
	memcpy(t->fs[t->n].name, name, len);
	t->fs[t->n].name[len] = '\0';
	return &t->fs[t->n++].tally;
}

/* Length of the file system's name in an instance name, 0 if it is none. */
static size_t fsname_len(const char *instance)
{
	const char *dash = strrchr(instance, '-');

	if (!dash || dash == instance || strlen(dash + 1) != INSTANCE_HEX ||
	    strspn(dash + 1, "0123456789abcdef") != INSTANCE_HEX)
		return 0;
	return (size_t)(dash - instance);
}

static int sim_line(struct tallies *t, char *line, bool by_instance)
{
	uint64_t n[2 + ERRNO_CLASS_MAX];
	char *instance = strsep(&line, " "), *op = strsep(&line, " ");
	struct op_tally *o;
	struct tally *tally;
	size_t len = fsname_len(instance);
	int id = op ? op_by_name(op) : -ENOENT;

	if (!len || id < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		char *word = strsep(&line, " "), *end;

		if (!word || !isdigit((unsigned char)*word))
			return -EINVAL;
		n[i] = strtoull(word, &end, 10);
		if (*end)
			return -EINVAL;
	}
	if (line)
		return -EINVAL;
	tally = tallies_at(t, instance, by_instance ? strlen(instance) : len);
	if (!tally)
		return -ENOSPC;
	o = &tally->op[id];
	o->ops += n[0];
	o->bytes += n[1];
	for (int c = 0; c < ERRNO_CLASS_MAX; c++)
		o->errors[c] += n[2 + c];
	return 0;
}

int tallies_from_sim(struct tallies *t, char *text, bool by_instance)
{
	char *line;
	int number = 0;

	t->n = 0;
	memset(t, 0, sizeof(*t));
	while ((line = strsep(&text, "\n"))) {
		int err;

		number++;
		if (!*line || *line == '#')
			continue;
		err = sim_line(t, line, by_instance);
		if (err) {
			fprintf(stderr, "operations: line %d is not understood\n", number);
			return err;
		}
	}
	return 0;
}

static int class_by_name(const char *name)
{
	for (int c = 0; c < ERRNO_CLASS_MAX; c++) {
		if (!strcmp(errno_class_name(c), name))
			return c;
	}
	return -ENOENT;
}

/* Where a sample of the three families below adds to; NULL if it is none of them. */
static uint64_t *cell_of(const struct prom_sample *s, struct op_tally *o)
{
	const char *class;
	int c;

	if (!strcmp(s->name, "lustre_client_fs_operations_total"))
		return &o->ops;
	if (!strcmp(s->name, "lustre_client_fs_data_bytes_total"))
		return &o->bytes;
	if (strcmp(s->name, "lustre_client_operation_errors_total"))
		return NULL;
	class = prom_label(s, "errno_class");
	c = class ? class_by_name(class) : -ENOENT;
	return c < 0 ? NULL : &o->errors[c];
}

int tallies_from_prom(struct tallies *t, const struct prom *prom, bool by_mount)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < prom->n_samples; i++) {
		const struct prom_sample *s = &prom->samples[i];
		const char *where = prom_label(s, by_mount ? "mount" : "fs");
		const char *op = prom_label(s, "op");
		int id = op ? op_by_name(op) : -ENOENT;
		struct op_tally none, *o;
		struct tally *tally;
		uint64_t *cell;

		if (!where || !cell_of(s, &none))
			continue;
		if (id < 0) {
			fprintf(stderr, "line %d: no operation '%s'\n", s->line, op ? op : "");
			return -EINVAL;
		}
		tally = tallies_at(t, where, strlen(where));
		if (!tally)
			return -ENOSPC;
		o = &tally->op[id];
		cell = cell_of(s, o);
		*cell += (uint64_t)s->value;
	}
	return 0;
}

void tallies_sum(struct tally *sum, const struct tallies *t)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < t->n; i++)
		tally_add(sum, &t->fs[i].tally);
}

/* A scrape has comments or braces before the first blank line; an oracle has neither. */
static bool looks_like_metrics(const struct page *page)
{
	return page->body[0] == '#' || strchr(page->body, '{') != NULL;
}

int tally_read(struct tally *t, const char *where)
{
	struct tallies tallies;
	struct page page;
	struct prom prom;
	char fault[256];
	int err = page_fetch(where, NULL, &page);

	if (!err && page.status != 200)
		err = -EPROTO;
	if (err) {
		fprintf(stderr, "%s: %s\n", where, strerror(-err));
		page_free(&page);
		return err;
	}
	if (looks_like_metrics(&page)) {
		err = prom_parse(&prom, page.body, page.len, fault, sizeof(fault));
		page.body = NULL; /* the parser has it */
		if (err)
			fprintf(stderr, "%s: %s\n", where, fault);
		else
			err = tallies_from_prom(&tallies, &prom, false);
		prom_free(&prom);
	} else {
		err = tallies_from_sim(&tallies, page.body, false);
	}
	page_free(&page);
	if (!err)
		tallies_sum(t, &tallies);
	return err;
}
