// SPDX-License-Identifier: Apache-2.0
/* A sorted copy of the list, searched by halves. */
#include "allowlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int allowlist_init(struct allowlist *list, const char *const *names, size_t n)
{
	*list = (struct allowlist){0};
	if (!n)
		return 0;
	list->names = calloc(n, sizeof(*list->names));
	if (!list->names)
		return -ENOMEM;
	memcpy(list->names, names, n * sizeof(*names));
	list->n = n;
	qsort(list->names, n, sizeof(*list->names), compare);
	return 0;
}

void allowlist_free(struct allowlist *list)
{
	free(list->names);
	*list = (struct allowlist){0};
}

const char *allowlist_apply(const struct allowlist *list, const char *name)
{
	if (!list->n || bsearch(&name, list->names, list->n, sizeof(*list->names), compare))
		return name;
	return NAME_OTHER;
}
