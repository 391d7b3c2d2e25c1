// SPDX-License-Identifier: Apache-2.0
/* Grouping by sorting: a scrape may have a hundred thousand samples. */
#include "project.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = 0;

	/* values not asked for are NULL in both */
	for (size_t i = 0; i < PROJECT_LABELS && !order && x->value[i]; i++)
		order = strcmp(x->value[i], y->value[i]);
	return order;
}

int project(struct projection *p, const struct prom *prom, const char *metric,
	    const char *const *labels, size_t n_labels, const struct prom_match *match,
	    size_t n_match)
{
	size_t n = 0;

	memset(p, 0, sizeof(*p));
	p->n_labels = n_labels;
	p->groups = calloc(prom->n_samples + 1, sizeof(p->groups[0]));
	if (!p->groups)
		return -ENOMEM;
	for (size_t i = 0; i < prom->n_samples; i++) {
		const struct prom_sample *sample = &prom->samples[i];

		if (strcmp(sample->name, metric) || !prom_matches(sample, match, n_match))
			continue;
		for (size_t l = 0; l < n_labels; l++) {
			const char *value = prom_label(sample, labels[l]);

			p->groups[n].value[l] = value ? value : "";
		}
		p->groups[n++].sum = sample->value;
	}
	if (!n)
		return 0;
	qsort(p->groups, n, sizeof(p->groups[0]), compare_groups);
	for (size_t i = 1; i < n; i++) {
		if (!compare_groups(&p->groups[p->n], &p->groups[i]))
			p->groups[p->n].sum += p->groups[i].sum;
		else
			p->groups[++p->n] = p->groups[i];
	}
	p->n++;
	return 0;
}

void projection_free(struct projection *p)
{
	free(p->groups);
	memset(p, 0, sizeof(*p));
}

static void print_group(const char *name, const struct projection *p, const struct group *g,
			double sum)
{
	printf("%s{", name);
	for (size_t i = 0; i < p->n_labels; i++)
		printf("%s%s", i ? "," : "", g->value[i]);
	printf("} %.15g", sum);
}

static void print_difference(const char *name_a, const char *name_b, const struct projection *p,
			     const struct group *g, double a, double b)
{
	print_group(name_a, p, g, a);
	printf(", ");
	print_group(name_b, p, g, b);
	printf("\n");
}

int projection_compare(const char *name_a, const struct projection *a, const char *name_b,
		       const struct projection *b)
{
	size_t i = 0, j = 0;
	int differences = 0;

	while (i < a->n || j < b->n) {
		int order = i == a->n	? 1
			    : j == b->n ? -1
					: compare_groups(&a->groups[i], &b->groups[j]);
		double left = order <= 0 ? a->groups[i].sum : 0;
		double right = order >= 0 ? b->groups[j].sum : 0;

		if (left != right) {
			differences++;
			print_difference(name_a, name_b, a,
					 order <= 0 ? &a->groups[i] : &b->groups[j], left, right);
		}
		i += order <= 0;
		j += order >= 0;
	}
	return differences;
}
