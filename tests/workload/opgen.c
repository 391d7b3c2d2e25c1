// SPDX-License-Identifier: Apache-2.0
/*
 * opgen: makes N calls of a named kind on a directory, and can compare what it
 * did with what others counted.
 */
#include "opgen.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WATCH 4

static const struct opcase *const tables[] = {data_cases, async_cases, map_cases, name_cases,
					      attr_cases};

/* Errors to inject in turn: one of every class that a call may show. */
static const int injected[] = {EIO, ETIMEDOUT, ENOTCONN, EACCES, ENOENT, ENOSPC};

static const char usage_text[] =
	"usage: opgen --dir DIR [OPTION]... CASE...|all|errors\n"
	"  --count N       calls of each case by each thread (100)\n"
	"  --threads T     (1)\n"
	"  --size BYTES    of a read or write (64)\n"
	"  --uid UID       works as this user (its fsuid)\n"
	"  --name NAME     calls itself this\n"
	"  --watch SOURCE  compares with it: a scrape's URL or the simulated client's counts; "
	"repeatable\n"
	"  --inject FILE   the simulated client's injections: 'errors' makes every operation fail\n"
	"  --verbose       tells what was done\n"
	"  --list          names of the cases\n"
	"Prints 'ok CASE' or 'not ok CASE: reason'; exit status 1 if one was not ok.\n";

struct settings {
	struct run run;
	const char *watch[MAX_WATCH];
};

static int for_each_case(int (*visit)(const struct opcase *c, void *arg), void *arg)
{
	int sum = 0;

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (const struct opcase *c = tables[t]; c->name; c++) {
			int rc = visit(c, arg);

			if (rc < 0)
				return rc;
			sum += rc;
		}
	}
	return sum;
}

static int list_one(const struct opcase *c, void *arg)
{
	printf("%s\n", c->name);
	return 0;
}

static int run_one(const struct opcase *c, void *arg)
{
	const struct run *run = arg;

	if ((c->flags & CASE_SLOW) || ((c->flags & CASE_SIM) && !run->inject))
		return 0;
	return run_case(run, c, 0);
}

/* Every operation with errors of its own, the classes in turn. */
static int run_errors(const struct opcase *c, void *arg)
{
	static size_t next;
	size_t n = sizeof(injected) / sizeof(injected[0]);

	if (!c->symbol)
		return 0;
	return run_case(arg, c, injected[next++ % n]);
}

struct search {
	const char *name;
	const struct opcase *found;
};

static int match_one(const struct opcase *c, void *arg)
{
	struct search *search = arg;

	if (!strcmp(c->name, search->name))
		search->found = c;
	return 0;
}

static int run_named(const struct run *run, const char *name)
{
	struct search search = {.name = name};

	if (!strcmp(name, "all"))
		return for_each_case(run_one, (void *)run);
	if (!strcmp(name, "errors") && run->inject)
		return for_each_case(run_errors, (void *)run);
	for_each_case(match_one, &search);
	if (!search.found) {
		fprintf(stderr, "%s: no such case (--list shows them)\n", name);
		return -EINVAL;
	}
	return run_case(run, search.found, 0);
}

static int parse(struct settings *s, int argc, char **argv)
{
	static const struct option longs[] = {
		{"dir", required_argument, NULL, 'd'},
		{"count", required_argument, NULL, 'c'},
		{"threads", required_argument, NULL, 't'},
		{"size", required_argument, NULL, 's'},
		{"uid", required_argument, NULL, 'u'},
		{"name", required_argument, NULL, 'n'},
		{"watch", required_argument, NULL, 'w'},
		{"inject", required_argument, NULL, 'i'},
		{"verbose", no_argument, NULL, 'v'},
		{"list", no_argument, NULL, 'l'},
		{0},
	};
	struct run *run = &s->run;
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (option) {
		case 'd':
			run->dir = optarg;
			break;
		case 'c':
			run->count = atoi(optarg);
			break;
		case 't':
			run->threads = atoi(optarg);
			break;
		case 's':
			run->size = strtoul(optarg, NULL, 10);
			break;
		case 'u':
			run->uid = (uid_t)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			prctl(PR_SET_NAME, optarg);
			break;
		case 'w':
			if (run->n_watch == MAX_WATCH)
				return -EINVAL;
			s->watch[run->n_watch++] = optarg;
			break;
		case 'i':
			run->inject = optarg;
			break;
		case 'v':
			run->verbose = true;
			break;
		case 'l':
			for_each_case(list_one, NULL);
			return 1;
		default:
			return -EINVAL;
		}
	}
	if (!run->dir || run->count < 1 || run->threads < 1 || run->size < 2 || optind == argc)
		return -EINVAL;
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.run = {.count = 100, .threads = 1, .size = 64, .ops = op_mask_default()}};
	struct rlimit files = {65536, 65536};
	int failed = 0, rc;

	if (argc == 1 && !strcmp(argv[0], "nothing"))
		return 0; /* the program of the case "exec" */
	s.run.watch = s.watch;
	rc = parse(&s, argc, argv);
	if (rc < 0)
		fputs(usage_text, stderr);
	if (rc)
		return rc < 0 ? 2 : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	umask(022);
	if (setrlimit(RLIMIT_NOFILE, &files) < 0 && s.run.count > 400)
		perror("RLIMIT_NOFILE");
	for (int i = optind; i < argc; i++) {
		rc = run_named(&s.run, argv[i]);
		if (rc < 0)
			return 2;
		failed += rc;
	}
	return failed ? 1 : 0;
}
