// SPDX-License-Identifier: Apache-2.0
/* Is the module there, has it BTF, may the kernel be preempted. */
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
