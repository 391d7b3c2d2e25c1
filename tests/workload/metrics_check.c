// SPDX-License-Identifier: Apache-2.0
/*
 * Judges scrapes of the exporter: form, agreement of the families, growth, and
 * equality with what the client counted itself. One line per difference.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "fetch.h"
#include "llite.h"
#include "project.h"
#include "source.h"

#define MATCH_MAX 16

static volatile sig_atomic_t stopping;

struct options {
	bool may_vanish;
	op_mask ops;
	double seconds;
	long interval_ms;
	int status;
	const char *method;
	const char *header;
};

static const char usage_text[] =
	"usage: metrics-check COMMAND ...    (SCRAPE: http://ADDRESS:PORT/PATH, a file, or -)\n"
	"  lint SCRAPE                      format, histograms, agreement of the families\n"
	"  sum SCRAPE METRIC [LABEL=VALUE | LABEL!=VALUE]...\n"
	"  count SCRAPE METRIC [MATCH]...   number of series\n"
	"  by SCRAPE METRIC LABEL [MATCH]...  one line 'SUM VALUE' per value of the label\n"
	"  monotonic [--may-vanish] SCRAPE SCRAPE\n"
	"  watch [--seconds S] [--interval MS] URL  lint and monotonic, until the time is over or "
	"SIGTERM\n"
	"  same [--ops OP,...] SCRAPE OPERATIONS    exporter's totals = simulated client's counts\n"
	"  same [--ops OP,...] SCRAPE OPERATIONS SCRAPE OPERATIONS  the same between two moments\n"
	"  llite SCRAPE STATS SCRAPE STATS          relations to a real client's llite.*.stats\n"
	"  get [--method M] [--status N] [--header TEXT] URL   body to stdout; 1 if it is not as "
	"told\n"
	"Exit status: 0 holds, 1 does not, 2 usage, 3 could not be read.\n";

static int load(struct prom *prom, const char *where)
{
	struct page page;
	char fault[256];
	int err = page_fetch(where, NULL, &page);

	memset(prom, 0, sizeof(*prom));
	if (err) {
		fprintf(stderr, "%s: %s\n", where, strerror(-err));
	} else if (page.status != 200) {
		fprintf(stderr, "%s: status %d\n", where, page.status);
		err = -EPROTO;
	} else {
		err = prom_parse(prom, page.body, page.len, fault, sizeof(fault));
		page.body = NULL; /* the parser has it */
		if (err)
			printf("%s: %s\n", where, fault);
	}
	page_free(&page);
	return err;
}

/* The exit status for a number of differences, or -errno. */
static int verdict(int bad)
{
	return bad < 0 ? 3 : bad > 0;
}

static int parse_matches(struct prom_match *match, int n, char **words)
{
	if (n > MATCH_MAX)
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		char *sign = strchr(words[i], '=');

		if (!sign || sign == words[i])
			return -EINVAL;
		match[i].negate = sign[-1] == '!';
		sign[-(int)match[i].negate] = '\0';
		match[i].name = words[i];
		match[i].value = sign + 1;
	}
	return n;
}

static int cmd_lint(const struct options *o, int argc, char **argv)
{
	struct prom prom;
	int bad = load(&prom, argv[0]);

	if (bad) {
		prom_free(&prom);
		return bad == -EINVAL ? 1 : 3;
	}
	bad = check_form(&prom) + check_families(&prom);
	prom_free(&prom);
	return verdict(bad);
}

static int query(int argc, char **argv, bool count)
{
	struct prom_match match[MATCH_MAX];
	int n = parse_matches(match, argc - 2, argv + 2);
	struct prom prom;
	size_t series;
	double sum;

	if (n < 0)
		return 2;
	if (load(&prom, argv[0])) {
		prom_free(&prom);
		return 3;
	}
	sum = prom_sum(&prom, argv[1], match, (size_t)n, &series);
	if (count)
		printf("%zu\n", series);
	else
		printf("%.15g\n", sum);
	prom_free(&prom);
	return 0;
}

static int cmd_sum(const struct options *o, int argc, char **argv)
{
	return query(argc, argv, false);
}

static int cmd_count(const struct options *o, int argc, char **argv)
{
	return query(argc, argv, true);
}

static int cmd_by(const struct options *o, int argc, char **argv)
{
	struct prom_match match[MATCH_MAX];
	int n = parse_matches(match, argc - 3, argv + 3);
	const char *label = argv[2];
	struct projection p = {0};
	struct prom prom;
	int err;

	if (n < 0)
		return 2;
	err = load(&prom, argv[0]);
	if (!err)
		err = project(&p, &prom, argv[1], &label, 1, match, (size_t)n);
	for (size_t i = 0; !err && i < p.n; i++)
		printf("%.15g %s\n", p.groups[i].sum, p.groups[i].value[0]);
	projection_free(&p);
	prom_free(&prom);
	return verdict(err);
}

static int cmd_monotonic(const struct options *o, int argc, char **argv)
{
	struct prom before, after;
	int bad = load(&before, argv[0]);

	if (load(&after, argv[1]) || bad)
		bad = -EINVAL;
	else
		bad = check_monotonic(&before, &after, o->may_vanish);
	prom_free(&before);
	prom_free(&after);
	return verdict(bad);
}

static void stop(int sig)
{
	stopping = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int cmd_watch(const struct options *o, int argc, char **argv)
{
	struct prom before = {0}, after;
	double end = now() + o->seconds;
	struct timespec pause = {o->interval_ms / 1000, o->interval_ms % 1000 * 1000000};
	int bad = 0, scrapes = 0;

	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	do {
		int n = load(&after, argv[0]);

		if (n)
			return n == -EINVAL ? 1 : 3;
		n = check_form(&after) + check_families(&after) +
		    check_monotonic(&before, &after, o->may_vanish);
		if (n)
			printf("in scrape %d\n", scrapes);
		bad += n;
		prom_free(&before);
		before = after;
		scrapes++;
		nanosleep(&pause, NULL);
	} while (!stopping && now() < end);
	prom_free(&before);
	printf("%d scrapes, %d differences\n", scrapes, bad);
	return verdict(bad);
}

static int load_sim(struct tallies *t, const char *where)
{
	struct page page;
	int err = page_fetch(where, NULL, &page);

	if (err)
		fprintf(stderr, "%s: %s\n", where, strerror(-err));
	else
		err = tallies_from_sim(t, page.body, false);
	page_free(&page);
	return err;
}

static int load_exporter(struct tallies *t, const char *where)
{
	struct prom prom;
	int err = load(&prom, where);

	if (!err)
		err = tallies_from_prom(t, &prom, false);
	prom_free(&prom);
	return err;
}

/* after -= before, by name; what is not in after any more has gone back to 0. */
static int subtract(struct tallies *after, const struct tallies *before)
{
	int bad = 0;

	for (size_t i = 0; i < before->n; i++) {
		const struct fs_tally *b = &before->fs[i];
		struct tally *a = tallies_at(after, b->name, strlen(b->name));
		struct tally delta;

		if (!a)
			return -ENOSPC;
		bad += tally_delta(&delta, a, &b->tally);
		*a = delta;
	}
	return bad;
}

static int cmd_same(const struct options *o, int argc, char **argv)
{
	static struct tallies got, expected, got_before, expected_before;
	int bad = load_exporter(argc == 4 ? &got_before : &got, argv[0]);

	if (!bad)
		bad = load_sim(argc == 4 ? &expected_before : &expected, argv[1]);
	if (!bad && argc == 4) {
		bad = load_exporter(&got, argv[2]);
		if (!bad)
			bad = load_sim(&expected, argv[3]);
		if (bad)
			return verdict(bad);
		bad = subtract(&got, &got_before) + subtract(&expected, &expected_before);
	}
	if (bad)
		return verdict(bad);
	for (size_t i = 0; i < expected.n; i++) /* each name stands in got */
		tallies_at(&got, expected.fs[i].name, strlen(expected.fs[i].name));
	for (size_t i = 0; i < got.n; i++) {
		const char *name = got.fs[i].name;
		struct tally *want = tallies_at(&expected, name, strlen(name));

		bad += tally_compare(name, &got.fs[i].tally, want, o->ops);
	}
	return verdict(bad);
}

static int load_stats(struct llite_stats *stats, const char *where)
{
	struct page page;
	int err = page_fetch(where, NULL, &page);

	if (!err)
		err = llite_parse(stats, page.body);
	if (err)
		fprintf(stderr, "%s: %s\n", where, strerror(-err));
	page_free(&page);
	return err;
}

static int cmd_llite(const struct options *o, int argc, char **argv)
{
	static struct tallies before, after;
	struct llite_stats stats_before, stats_after;
	struct tally tally_before, tally_after, delta;
	int bad;

	if (load_exporter(&before, argv[0]) || load_stats(&stats_before, argv[1]) ||
	    load_exporter(&after, argv[2]) || load_stats(&stats_after, argv[3]))
		return 3;
	tallies_sum(&tally_before, &before);
	tallies_sum(&tally_after, &after);
	bad = tally_delta(&delta, &tally_after, &tally_before);
	return verdict(bad + llite_compare(&stats_before, &stats_after, &delta));
}

static int cmd_get(const struct options *o, int argc, char **argv)
{
	struct page page;
	int err = page_fetch(argv[0], o->method, &page), bad = 0;

	if (err) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(-err));
		page_free(&page);
		return 3;
	}
	if (page.status != o->status) {
		printf("status %d, expected %d\n", page.status, o->status);
		bad = 1;
	}
	if (o->header && (!page.header || !strcasestr(page.header, o->header))) {
		printf("no header '%s'\n", o->header);
		bad = 1;
	}
	fwrite(page.body, 1, page.len, stdout);
	page_free(&page);
	return bad;
}

static const struct command {
	const char *name;
	int min_args, max_args;
	int (*run)(const struct options *o, int argc, char **argv);
} commands[] = {
	{"lint", 1, 1, cmd_lint},
	{"sum", 2, 2 + MATCH_MAX, cmd_sum},
	{"count", 2, 2 + MATCH_MAX, cmd_count},
	{"by", 3, 3 + MATCH_MAX, cmd_by},
	{"monotonic", 2, 2, cmd_monotonic},
	{"watch", 1, 1, cmd_watch},
	{"same", 2, 4, cmd_same},
	{"llite", 4, 4, cmd_llite},
	{"get", 1, 1, cmd_get},
};

/* "read,write" to a mask; "all" is every operation there is. */
static int parse_ops(char *list, op_mask *mask)
{
	char *name;

	*mask = 0;
	while ((name = strsep(&list, ","))) {
		int op = op_by_name(name);

		if (!strcmp(name, "all"))
			*mask = ~UINT64_C(0);
		else if (op < 0)
			return op;
		else
			*mask |= UINT64_C(1) << op;
	}
	return 0;
}

static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{"may-vanish", no_argument, NULL, 'v'},
		{"ops", required_argument, NULL, 'o'},
		{"seconds", required_argument, NULL, 's'},
		{"interval", required_argument, NULL, 'i'},
		{"status", required_argument, NULL, 'c'},
		{"method", required_argument, NULL, 'm'},
		{"header", required_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
		switch (option) {
		case 'v':
			o->may_vanish = true;
			break;
		case 'o':
			if (parse_ops(optarg, &o->ops))
				return -EINVAL;
			break;
		case 's':
			o->seconds = strtod(optarg, NULL);
			break;
		case 'i':
			o->interval_ms = strtol(optarg, NULL, 10);
			break;
		case 'c':
			o->status = (int)strtol(optarg, NULL, 10);
			break;
		case 'm':
			o->method = optarg;
			break;
		case 'h':
			o->header = optarg;
			break;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = {
		.ops = op_mask_default(), .seconds = 1e9, .interval_ms = 100, .status = 200};

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *c = &commands[i];

		if (strcmp(argv[1], c->name))
			continue;
		if (parse_options(&o, argc - 1, argv + 1))
			break;
		argc -= 1 + optind;
		argv += 1 + optind;
		if (argc < c->min_args || argc > c->max_args || (c->run == cmd_same && argc == 3))
			break;
		setvbuf(stdout, NULL, _IOLBF, 0);
		return c->run(&o, argc, argv);
	}
	fputs(usage_text, stderr);
	return 2;
}
