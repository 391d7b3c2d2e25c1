// SPDX-License-Identifier: Apache-2.0
/* Families built ad hoc, see extras.h. */
#include "series/extras.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "series/intern.h"

struct extra {
	UT_hash_handle hh; /* by text, within the family */
	double value;
	struct label labels[EXTRAS_LABELS_MAX];
	unsigned int n_labels;
	size_t len;
	char text[]; /* name NUL value NUL ..., what labels[] point into */
};

struct extra_family {
	const struct family *family;
	struct extra *samples;
};

struct extras {
	uint64_t started_ms;
	struct extra_family *families;
	unsigned int n_families;
};

struct extras *extras_new(uint64_t started_ms)
{
	struct extras *x = calloc(1, sizeof(*x));

	if (x)
		x->started_ms = started_ms;
	return x;
}

void extras_free(struct extras *x)
{
	struct extra *e, *next;

	if (!x)
		return;
	for (unsigned int i = 0; i < x->n_families; i++) {
		HASH_ITER (hh, x->families[i].samples, e, next) {
			HASH_DEL(x->families[i].samples, e);
			free(e);
		}
	}
	free(x->families);
	free(x);
}

static struct extra_family *family_get(struct extras *x, const struct family *family)
{
	struct extra_family *families;

	for (unsigned int i = 0; i < x->n_families; i++)
		if (x->families[i].family == family)
			return &x->families[i];
	families = realloc(x->families, (x->n_families + 1) * sizeof(*families));
	if (!families)
		return NULL;
	x->families = families;
	families[x->n_families] = (struct extra_family){.family = family};
	return &families[x->n_families++];
}

/* A sample with the labels written into its text. */
static struct extra *extra_new(const struct label *labels, unsigned int n_labels)
{
	char clean[LABEL_VALUE_MAX];
	struct extra *e;
	size_t room = 0;
	char *p;

	/* A repaired value is at most three times as long as what came in. */
	for (unsigned int i = 0; i < n_labels; i++)
		room += strlen(labels[i].name) + 3 * strnlen(labels[i].value, LABEL_VALUE_MAX) + 2;
	e = calloc(1, sizeof(*e) + room);
	if (!e)
		return NULL;
	p = e->text;
	for (unsigned int i = 0; i < n_labels; i++) {
		size_t len = label_clean(clean, labels[i].value);

		e->labels[i] = (struct label){.name = labels[i].name, .value = NULL};
		p = stpcpy(p, labels[i].name) + 1;
		e->labels[i].value = p;
		memcpy(p, clean, len);
		p += len;
		*p++ = '\0';
	}
	e->n_labels = n_labels;
	e->len = p - e->text;
	return e;
}

int extras_add(struct extras *x, const struct family *family, double value,
	       const struct label *labels, unsigned int n_labels)
{
	struct extra_family *f = family_get(x, family);
	struct extra *e, *same;

	assert(n_labels <= EXTRAS_LABELS_MAX);
	if (!f)
		return -ENOMEM;
	e = extra_new(labels, n_labels);
	if (!e)
		return -ENOMEM;
	HASH_FIND(hh, f->samples, e->text, e->len, same);
	if (same) {
		same->value += value;
		free(e);
		return 0;
	}
	e->value = value;
	HASH_ADD_KEYPTR(hh, f->samples, e->text, e->len, e);
	if (!e->hh.tbl) {
		free(e);
		return -ENOMEM;
	}
	return 0;
}

const struct family *extras_family(const struct extras *x, unsigned int i)
{
	return x && i < x->n_families ? x->families[i].family : NULL;
}

int extras_next(const struct extras *x, unsigned int i, const void **cursor, struct sample *sample)
{
	const struct extra_family *f = &x->families[i];
	const struct extra *e = *cursor ? ((const struct extra *)*cursor)->hh.next : f->samples;

	if (!e)
		return 0;
	*cursor = e;
	*sample = (struct sample){
		.labels = e->labels,
		.n_labels = e->n_labels,
		.created_ms = f->family->type == METRIC_COUNTER ? x->started_ms : 0,
		.kind = VALUE_REAL,
		.real = e->value,
	};
	return 1;
}
