// SPDX-License-Identifier: Apache-2.0
/* Invariants of the exporter's output that need no knowledge of what happened. */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project.h"

#define P "lustre_client_"

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Same labels in the same order, leaving "le" out. */
static bool same_labels(const struct prom_sample *a, const struct prom_sample *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		i += i < a->n_labels && !strcmp(a->labels[i].name, "le");
		j += j < b->n_labels && !strcmp(b->labels[j].name, "le");
		if (i == a->n_labels || j == b->n_labels)
			return i == a->n_labels && j == b->n_labels;
		if (strcmp(a->labels[i].name, b->labels[j].name) ||
		    strcmp(a->labels[i].value, b->labels[j].value))
			return false;
		i++;
		j++;
	}
}

static int complain(const struct prom_sample *s, const char *what)
{
	printf("line %d: %s %s\n", s->line, s->name, what);
	return 1;
}

/* One histogram: its buckets, _sum and _count stand together. *at moves behind it. */
static int check_histogram(const struct prom *prom, size_t *at)
{
	const struct prom_sample *first = &prom->samples[*at], *count = NULL, *sum = NULL;
	double le = -INFINITY, last = 0;
	int bad = 0;
	size_t i;

	for (i = *at; i < prom->n_samples; i++) {
		const struct prom_sample *s = &prom->samples[i];
		const char *bound = prom_label(s, "le");

		if (s->family != first->family || !same_labels(first, s))
			break;
		if (ends_with(s->name, "_count")) {
			count = s;
		} else if (ends_with(s->name, "_sum")) {
			sum = s;
		} else if (!bound) {
			bad += complain(s, "has no le");
		} else {
			double b = strtod(bound, NULL);

			if (count || sum)
				bad += complain(s, "stands after _sum or _count");
			if (b <= le)
				bad += complain(s, "has bounds that do not rise");
			if (s->value < last)
				bad += complain(s, "is not cumulative");
			le = b;
			last = s->value;
		}
	}
	if (!count || !sum)
		bad += complain(first, "has no _sum or no _count");
	if (!isinf(le))
		bad += complain(first, "has no bucket +Inf");
	if (count && count->value != last)
		bad += complain(count, "is not its bucket +Inf");
	*at = i;
	return bad;
}

int check_form(const struct prom *prom)
{
	int bad = 0;

	for (size_t f = 0; f < prom->n_families; f++) {
		const struct prom_family *family = &prom->families[f];

		if (!family->help || !*family->help) {
			printf("%s has no HELP\n", family->name);
			bad++;
		}
		if (family->type == PROM_UNTYPED) {
			printf("%s has no TYPE\n", family->name);
			bad++;
		}
		if (family->type == PROM_COUNTER && !ends_with(family->name, "_total")) {
			printf("%s is a counter without _total\n", family->name);
			bad++;
		}
	}
	for (size_t i = 0; i < prom->n_samples;) {
		if (prom->families[prom->samples[i].family].type == PROM_HISTOGRAM)
			bad += check_histogram(prom, &i);
		else
			i++;
	}
	return bad;
}

struct agreement {
	const char *a, *b; /* metrics whose sums by labels are equal */
	const char *labels[PROJECT_LABELS];
};

/* A label that a family does not have is empty on both sides, so the longest list serves. */
static const struct agreement agreements[] = {
	{P "fs_operations_total",
	 P "access_operations_total",
	 {"fs", "mount", "access_intent", "op"}},
	{P "fs_data_bytes_total", P "data_bytes_total", {"fs", "mount", "access_intent", "op"}},
	{P "access_duration_seconds_count",
	 P "access_operations_total",
	 {"fs", "mount", "access_intent", "op", "uid", "username", "actor_type", "slurm_job_id"}},
};

static int check_agreement(const struct prom *prom, const struct agreement *agreement)
{
	struct projection a = {0}, b = {0};
	size_t n = 0;
	int bad;

	while (n < PROJECT_LABELS && agreement->labels[n])
		n++;
	bad = project(&a, prom, agreement->a, agreement->labels, n, NULL, 0);
	if (!bad)
		bad = project(&b, prom, agreement->b, agreement->labels, n, NULL, 0);
	if (!bad)
		bad = projection_compare(agreement->a, &a, agreement->b, &b);
	projection_free(&a);
	projection_free(&b);
	return bad;
}

/* Each series of the errors has at most as many errors as its operations. */
static int check_errors(const struct prom *prom)
{
	static const char *const labels[PROJECT_LABELS] = {
		"fs", "mount", "access_intent", "op", "uid", "username", "process", "actor_type",
	};
	struct projection errors = {0}, ops = {0};
	size_t j = 0;
	int bad;

	bad = project(&errors, prom, P "operation_errors_total", labels, PROJECT_LABELS, NULL, 0);
	if (!bad)
		bad = project(&ops, prom, P "access_operations_total", labels, PROJECT_LABELS, NULL,
			      0);
	for (size_t i = 0; !bad && i < errors.n; i++) {
		const struct group *e = &errors.groups[i];
		int order = 1;

		while (j < ops.n) {
			order = 0;
			for (size_t l = 0; l < PROJECT_LABELS && !order; l++)
				order = strcmp(ops.groups[j].value[l], e->value[l]);
			if (order >= 0)
				break;
			j++;
		}
		if (j == ops.n || order != 0 || ops.groups[j].sum < e->sum) {
			printf("op %s of process %s: more errors than operations\n", e->value[3],
			       e->value[6]);
			bad++;
		}
	}
	projection_free(&errors);
	projection_free(&ops);
	return bad;
}

int check_families(const struct prom *prom)
{
	int bad = 0;

	for (size_t i = 0; i < sizeof(agreements) / sizeof(agreements[0]); i++) {
		int n = check_agreement(prom, &agreements[i]);

		if (n < 0)
			return n;
		bad += n;
	}
	return bad + check_errors(prom);
}

int check_monotonic(const struct prom *before, const struct prom *after, bool may_vanish)
{
	int bad = 0;

	for (size_t i = 0; i < before->n_samples; i++) {
		const struct prom_sample *old = &before->samples[i], *new;

		if (before->families[old->family].type == PROM_GAUGE ||
		    before->families[old->family].type == PROM_UNTYPED)
			continue;
		new = prom_find(after, old->key);
		if (!new && !may_vanish)
			bad += complain(old, "vanished");
		if (new &&new->value < old->value) {
			printf("line %d: %s decreased from %.15g to %.15g\n", new->line, new->name,
			       old->value, new->value);
			bad++;
		}
	}
	return bad;
}
