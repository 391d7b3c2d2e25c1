// SPDX-License-Identifier: Apache-2.0
/* Relations between llite.*.stats and operations. */
#include "llite.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum relation {
	EQUAL,	      /* to the operations that succeeded */
	AT_MOST,      /* the statistics leave something out */
	ONCE_OR_TWICE /* 2.17 counts a lock request at entry and again at success */
};

struct rule {
	const char *stats[2]; /* their sum ... */
	enum relation relation;
	op_mask ops; /* ... against the sum of these */
	bool bytes;  /* compares the statistic's sum with bytes moved */
};

static const struct rule rules[] = {
	{{"open"}, EQUAL, OP_BIT(OPEN), false},
	{{"close"}, EQUAL, OP_BIT(CLOSE), false},
	{{"getattr"}, EQUAL, OP_BIT(GETATTR), false},
	{{"readdir"}, EQUAL, OP_BIT(READDIR), false},
	{{"statfs"}, EQUAL, OP_BIT(STATFS), false},
	{{"mkdir"}, EQUAL, OP_BIT(MKDIR), false},
	{{"rmdir"}, EQUAL, OP_BIT(RMDIR), false},
	{{"unlink"}, EQUAL, OP_BIT(UNLINK), false},
	{{"link"}, EQUAL, OP_BIT(LINK), false},
	{{"symlink"}, EQUAL, OP_BIT(SYMLINK), false},
	{{"rename"}, EQUAL, OP_BIT(RENAME), false},
	{{"fsync"}, EQUAL, OP_BIT(FSYNC), false},
	{{"mmap"}, EQUAL, OP_BIT(MMAP), false},
	{{"seek"}, EQUAL, OP_BIT(SEEK), false},
	{{"fallocate"}, EQUAL, OP_BIT(FALLOCATE), false},
	/* an open that creates adds to mknod; create(2) passes through mknod */
	{{"mknod"}, EQUAL, OP_BIT(MKNOD) | OP_BIT(CREATE), false},
	{{"setattr", "truncate"}, EQUAL, OP_BIT(SETATTR), false},
	{{"flock"}, ONCE_OR_TWICE, OP_BIT(FLOCK), false},
	/* not: asynchronous direct I/O, reads at the end of the file */
	{{"read"}, AT_MOST, OP_BIT(READ), false},
	{{"write"}, AT_MOST, OP_BIT(WRITE), false},
	{{"read_bytes"}, AT_MOST, OP_BIT(READ), true},
	{{"write_bytes"}, AT_MOST, OP_BIT(WRITE), true},
	/* not: faults answered without a locked page */
	{{"page_fault"}, AT_MOST, OP_BIT(FAULT), false},
	{{"page_mkwrite"}, AT_MOST, OP_BIT(PAGE_MKWRITE), false},
};

static struct llite_stat *stat_at(struct llite_stats *stats, const char *name)
{
	for (int i = 0; i < stats->n; i++) {
		if (!strcmp(stats->stat[i].name, name))
			return &stats->stat[i];
	}
	if (stats->n == LLITE_STATS)
		return NULL;
	snprintf(stats->stat[stats->n].name, LLITE_NAME_LEN, "%s", name);
	return &stats->stat[stats->n++];
}

/* "open  12 samples [usecs] 1 20 100 2000": min, max, sum and its square only where measured. */
int llite_parse(struct llite_stats *stats, char *text)
{
	char *line;

	memset(stats, 0, sizeof(*stats));
	while ((line = strsep(&text, "\n"))) {
		char name[LLITE_NAME_LEN], unit[16];
		uint64_t samples, min, max, sum = 0;
		struct llite_stat *stat;
		int n;

		n = sscanf(line,
			   "%31s %" SCNu64 " samples [%15[^]]] %" SCNu64 " %" SCNu64 " %" SCNu64,
			   name, &samples, unit, &min, &max, &sum);
		if (n < 3) {
			/* snapshot_time, start_time, elapsed_time; the name of a parameter */
			if (!*line || strstr(line, "_time") || strchr(line, '='))
				continue;
			return -EINVAL;
		}
		stat = stat_at(stats, name);
		if (!stat)
			return -ENOSPC;
		stat->samples += samples;
		stat->sum += n == 6 ? sum : 0;
	}
	return 0;
}

static uint64_t happened(const struct llite_stats *stats, const struct rule *rule)
{
	uint64_t n = 0;

	for (int i = 0; i < 2 && rule->stats[i]; i++) {
		for (int j = 0; j < stats->n; j++) {
			if (!strcmp(stats->stat[j].name, rule->stats[i]))
				n += rule->bytes ? stats->stat[j].sum : stats->stat[j].samples;
		}
	}
	return n;
}

static uint64_t observed(const struct tally *tally, const struct rule *rule)
{
	uint64_t n = 0;

	for (int op = 0; op < OP_MAX; op++) {
		const struct op_tally *o = &tally->op[op];

		if (!(rule->ops & (UINT64_C(1) << op)))
			continue;
		n += rule->bytes ? o->bytes : o->ops;
		for (int c = 0; c < ERRNO_CLASS_MAX && !rule->bytes; c++)
			n -= o->errors[c];
	}
	return n;
}

static bool holds(enum relation relation, uint64_t stats, uint64_t ops)
{
	switch (relation) {
	case EQUAL:
		return stats == ops;
	case AT_MOST:
		return stats <= ops;
	case ONCE_OR_TWICE:
		return stats == ops || stats == 2 * ops;
	}
	return false;
}

int llite_compare(const struct llite_stats *before, const struct llite_stats *after,
		  const struct tally *exporter)
{
	static const char *const words[] = {"", "at most ", "once or twice "};
	int bad = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];
		uint64_t stats = happened(after, rule) - happened(before, rule);
		uint64_t ops = observed(exporter, rule);

		if (holds(rule->relation, stats, ops))
			continue;
		printf("llite %s%s%s%s %" PRIu64 ", expected %s%" PRIu64 "\n", rule->stats[0],
		       rule->stats[1] ? " + " : "", rule->stats[1] ? rule->stats[1] : "",
		       rule->bytes ? " (sum)" : "", stats, words[rule->relation], ops);
		bad++;
	}
	return bad;
}
