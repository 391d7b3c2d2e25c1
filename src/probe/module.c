// SPDX-License-Identifier: Apache-2.0
/* Is the module there, has it BTF, which of the functions does it have. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe/module.h"

void module_read(const char *sysfs, const char *module, struct module_state *state)
{
	char path[256], word[16] = "";
	struct stat st;
	FILE *f;

	memset(state, 0, sizeof(*state));
	snprintf(path, sizeof(path), "%s/module/%s/initstate", sysfs, module);
	f = fopen(path, "re");
	if (!f)
		return;
	state->live = fscanf(f, "%15s", word) == 1 && !strcmp(word, "live");
	fclose(f);
	if (!state->live)
		return;
	/* Inode numbers of sysfs are not used twice: a reloaded module has another one. */
	snprintf(path, sizeof(path), "%s/module/%s", sysfs, module);
	if (!stat(path, &st))
		state->identity = st.st_ino;
	snprintf(path, sizeof(path), "%s/kernel/btf/%s", sysfs, module);
	state->has_btf = !access(path, R_OK);
}

/* Position of name among the alternatives "a b c", -1 if it is none of them. */
static int alternative_index(const char *symbols, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0;; i++) {
		size_t n = strcspn(symbols, " ");

		if (n == len && !memcmp(symbols, name, n))
			return i;
		if (!symbols[n])
			return -1;
		symbols += n + 1;
	}
}

static void assume_first(struct module_symbols *symbols)
{
	for (int fn = 0; fn < FN_MAX; fn++) {
		const char *s = fn_table[fn].symbols;

		snprintf(symbols->name[fn], sizeof(symbols->name[fn]), "%.*s", (int)strcspn(s, " "),
			 s);
	}
}

void module_find_symbols(const char *procfs, const char *module, bool live,
			 struct module_symbols *symbols)
{
	char path[256], line[512], wanted[80];
	int best[FN_MAX];
	FILE *f;

	memset(symbols, 0, sizeof(*symbols));
	if (!live) {
		assume_first(symbols);
		return;
	}
	for (int fn = 0; fn < FN_MAX; fn++)
		best[fn] = -1;
	snprintf(wanted, sizeof(wanted), "[%s]", module);
	snprintf(path, sizeof(path), "%s/kallsyms", procfs);
	f = fopen(path, "re");
	/* Modules stand at the end: <address> <type> <name>\t[<module>] */
	while (f && fgets(line, sizeof(line), f)) {
		char *in = strchr(line, '['), name[128], type;

		if (!in || strncmp(in, wanted, strlen(wanted)) ||
		    sscanf(line, "%*s %c %127s", &type, name) != 2)
			continue;
		if (type != 't' && type != 'T')
			continue;
		symbols->known = true;
		for (int fn = 0; fn < FN_MAX; fn++) {
			int i = alternative_index(fn_table[fn].symbols, name);

			if (i < 0 || (best[fn] >= 0 && best[fn] <= i))
				continue;
			best[fn] = i;
			snprintf(symbols->name[fn], sizeof(symbols->name[fn]), "%.63s", name);
		}
	}
	if (f)
		fclose(f);
	if (!symbols->known)
		assume_first(symbols);
}

int kernel_is_preemptible(void)
{
	FILE *f = fopen("/sys/kernel/debug/sched/preempt", "re");
	struct utsname name;
	char line[128] = "";

	/* The mode in force stands in brackets: none (voluntary) full */
	if (f) {
		bool read = fgets(line, sizeof(line), f);

		fclose(f);
		if (read)
			return strstr(line, "(full)") || strstr(line, "(lazy)");
	}
	/* Not switchable, or debugfs is hidden: the build says whether it can be at all. */
	if (uname(&name))
		return -1;
	return strstr(name.version, "PREEMPT_DYNAMIC") ? -1 : !!strstr(name.version, "PREEMPT");
}
