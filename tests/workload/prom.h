/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict reader of the Prometheus text format 0.0.4, independent of the
 * exporter's writer. It refuses what a scraper may tolerate: samples without a
 * TYPE, families in pieces, repeated series, invalid UTF-8, time stamps.
 */
#ifndef WORKLOAD_PROM_H
#define WORKLOAD_PROM_H

#include <stdbool.h>
#include <stddef.h>

enum prom_type { PROM_COUNTER, PROM_GAUGE, PROM_HISTOGRAM, PROM_UNTYPED };

struct prom_family {
	const char *name;
	const char *help; /* NULL if absent */
	enum prom_type type;
};

struct prom_label {
	const char *name;
	const char *value; /* escapes resolved */
};

struct prom_sample {
	const char *name; /* with _bucket, _sum, _count */
	const char *key;  /* identity of the series: name and labels, without username */
	const struct prom_label *labels;
	size_t n_labels;
	int family; /* index */
	int line;
	double value;
};

struct prom {
	struct prom_family *families;
	size_t n_families;
	struct prom_sample *samples; /* in the order of the text */
	size_t n_samples;
	const struct prom_sample **by_key; /* sorted by key */
	struct prom_label *label_pool;
	char *key_pool;
	char *text;
};

/*
 * Takes the text (len bytes, must be followed by a NUL) over, also on error.
 * Returns 0 or -EINVAL with the fault in err, "line 12: ...".
 */
int prom_parse(struct prom *prom, char *text, size_t len, char *err, size_t err_len);
void prom_free(struct prom *prom);

/* Value of a label, NULL if the sample has none of that name. */
const char *prom_label(const struct prom_sample *sample, const char *name);

/* The sample of that identity, NULL if there is none. */
const struct prom_sample *prom_find(const struct prom *prom, const char *key);

/* "name=value" or "name!=value", split; an absent label has the empty value. */
struct prom_match {
	const char *name;
	const char *value;
	bool negate;
};

bool prom_matches(const struct prom_sample *sample, const struct prom_match *match, size_t n);

/* Sum of the samples of that name that match all; *n_series tells how many (may be NULL). */
double prom_sum(const struct prom *prom, const char *name, const struct prom_match *match, size_t n,
		size_t *n_series);

#endif
