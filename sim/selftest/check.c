// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "selftest/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUGFS "/sys/kernel/debug/lustre_sim/"
#define SYSFS	"/sys/fs/lustre/llite"

struct counts {
	uint64_t operations, bytes, errors[ERRNO_CLASS_MAX];
};

static const char *const op_names[OP_MAX] = {
#define OP(id, name, intent, flags) [OP_##id] = name,
#include "ops/ops.def"
};

static char instance[64];
static struct counts before[OP_MAX], wanted[OP_MAX];
static bool is_wanted[OP_MAX];
static int passed, failed, failed_here;

static int op_by_name(const char *name)
{
	for (int op = 0; op < OP_MAX; op++) {
		if (!strcmp(op_names[op], name))
			return op;
	}
	return -1;
}

static void snapshot(struct counts all[OP_MAX])
{
	FILE *f = fopen(DEBUGFS "operations", "r");
	char name[64], op[32];
	struct counts c;

	if (!f) {
		perror(DEBUGFS "operations");
		exit(2);
	}
	memset(all, 0, OP_MAX * sizeof(*all));
	while (fscanf(f, "%63s %31s %" SCNu64 " %" SCNu64, name, op, &c.operations, &c.bytes) ==
	       4) {
		for (int i = 0; i < ERRNO_CLASS_MAX; i++) {
			if (fscanf(f, "%" SCNu64, &c.errors[i]) != 1)
				exit(2);
		}
		if (!strcmp(name, instance))
			all[op_by_name(op)] = c;
	}
	fclose(f);
}

/* One file system of that name is mounted at a time. */
void check_mount(const char *fsname)
{
	size_t length = strlen(fsname);
	DIR *d = opendir(SYSFS);
	struct dirent *e;

	instance[0] = '\0';
	while (d && (e = readdir(d))) {
		if (!strncmp(e->d_name, fsname, length) && e->d_name[length] == '-')
			snprintf(instance, sizeof(instance), "%.63s", e->d_name);
	}
	if (d)
		closedir(d);
	if (!instance[0]) {
		printf("no instance of %s in " SYSFS "\n", fsname);
		exit(2);
	}
	printf("# %s\n", instance);
}

void check_begin(void)
{
	memset(wanted, 0, sizeof(wanted));
	memset(is_wanted, 0, sizeof(is_wanted));
	failed_here = 0;
	snapshot(before);
}

void want_bytes(enum op_id op, uint64_t count, uint64_t bytes)
{
	wanted[op].operations += count;
	wanted[op].bytes += bytes;
	is_wanted[op] = true;
}

void want(enum op_id op, uint64_t count)
{
	want_bytes(op, count, 0);
}

void want_errors(enum op_id op, uint64_t count, enum errno_class class, uint64_t errors)
{
	want_bytes(op, count, 0);
	wanted[op].errors[class] += errors;
}

void must_at(bool ok, const char *text, const char *file, int line)
{
	if (ok)
		return;
	printf("  %s:%d: not so: %s (%s)\n", file, line, text, strerror(errno));
	failed_here++;
}

static void print_counts(const char *label, const struct counts *c)
{
	printf("    %s %" PRIu64 " bytes %" PRIu64 " errors", label, c->operations, c->bytes);
	for (int i = 0; i < ERRNO_CLASS_MAX; i++)
		printf(" %" PRIu64, c->errors[i]);
	printf("\n");
}

/* Made by walking paths, as many as the caches leave over. */
static bool of_the_way(int op)
{
	return op == OP_PERMISSION || op == OP_REVALIDATE || op == OP_LOOKUP || op == OP_GET_ACL;
}

static void verdict(const char *name)
{
	printf("%s %s\n", failed_here ? "FAIL" : "ok  ", name);
	failed_here ? failed++ : passed++;
}

void check_end(const char *name)
{
	struct counts after[OP_MAX];

	snapshot(after);
	for (int op = 0; op < OP_MAX; op++) {
		struct counts d = after[op];

		if (!is_wanted[op] && of_the_way(op))
			continue;
		d.operations -= before[op].operations;
		d.bytes -= before[op].bytes;
		for (int i = 0; i < ERRNO_CLASS_MAX; i++)
			d.errors[i] -= before[op].errors[i];
		if (!memcmp(&d, &wanted[op], sizeof(d)))
			continue;
		printf("  %s: %s\n", name, op_names[op]);
		print_counts("wanted ", &wanted[op]);
		print_counts("counted", &d);
		failed_here++;
	}
	verdict(name);
}

void check_end_requests(const char *name)
{
	verdict(name);
}

void sim_write(const char *file, const char *format, ...)
{
	char path[128], text[256];
	va_list args;
	int fd, n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(path, sizeof(path), DEBUGFS "%s", file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, n) != n) {
		printf("cannot write '%s' to %s: %s\n", text, path, strerror(errno));
		exit(2);
	}
	close(fd);
}

uint64_t sim_calls_of(const char *symbol)
{
	FILE *f = fopen(DEBUGFS "functions", "r");
	uint64_t calls = 0, n;
	char name[64];

	while (f && fscanf(f, "%63s %" SCNu64, name, &n) == 2) {
		if (!strcmp(name, symbol))
			calls = n;
	}
	if (f)
		fclose(f);
	return calls;
}

bool sim_has_line(const char *file, const char *line)
{
	char path[128], text[256], full[320];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "%s", file);
	snprintf(full, sizeof(full), "%s %s\n", instance, line);
	f = fopen(path, "r");
	while (f && fgets(text, sizeof(text), f))
		found |= !strcmp(text, full);
	if (f)
		fclose(f);
	return found;
}

static bool matches(const char *line, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " "), m = strcspn(line, " \n");

		if (strncmp(words, "*", n) && (n != m || strncmp(words, line, n)))
			return false;
		words += n + (words[n] == ' ');
		line += m + (line[m] == ' ');
	}
	return true;
}

uint64_t sim_sum(const char *file, const char *words, int column)
{
	char path[128], line[256];
	size_t length = strlen(instance);
	uint64_t sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "%s", file);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		char *rest = line + length + 1, *word;

		if (strncmp(line, instance, length) || line[length] != ' ' || !matches(rest, words))
			continue;
		word = strtok(rest, " \n");
		for (int i = 0; word && i < column; i++)
			word = strtok(NULL, " \n");
		sum += word ? strtoull(word, NULL, 10) : 0;
	}
	if (f)
		fclose(f);
	return sum;
}

void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	must(write(fd, "3", 1) == 1);
	close(fd);
}

int check_summary(void)
{
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
