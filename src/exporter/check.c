// SPDX-License-Identifier: Apache-2.0
/* --check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "exporter/check.h"
#include "exporter/start.h"
#include "helper/helper.h"
#include "mount/mountinfo.h"
#include "ops/table.h"
#include "util/quote.h"

enum { CHECK_ALL = 0, CHECK_SOME = 1, CHECK_NOTHING = 3 };

#define COLUMN "%-22s"

/* First line of a small file of the kernel's; false if it cannot be read. */
static bool read_line(const char *root, const char *file, char *line, size_t size)
{
	char path[256];
	bool read;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	read = fgets(line, size, f);
	fclose(f);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

static void print_kernel(const struct options *o)
{
	char line[256], path[256];
	struct utsname name;

	if (!uname(&name))
		printf(COLUMN "%s %s\n", "kernel", name.release, name.machine);
	if (o->btf)
		printf(COLUMN "%s\n", "BTF of the kernel", o->btf);
	else {
		snprintf(path, sizeof(path), "%s/kernel/btf/vmlinux", o->sysfs);
		printf(COLUMN "%s\n", "BTF of the kernel",
		       access(path, R_OK) ? "none: give it with --btf" : path);
	}
	/* none [integrity] confidentiality: the mode in force stands in brackets */
	if (read_line(o->sysfs, "kernel/security/lockdown", line, sizeof(line)))
		printf(COLUMN "%s%s\n", "lockdown", line,
		       strstr(line, "[confidentiality]")
			       ? ": probes cannot read kernel memory; boot without "
				 "lockdown=confidentiality"
			       : "");
	else
		printf(COLUMN "not in this kernel\n", "lockdown");
	if (read_line(o->procfs, "sys/kernel/perf_event_paranoid", line, sizeof(line)))
		printf(COLUMN "%s\n", "perf_event_paranoid", line);
}

static void print_capabilities(const struct options *o)
{
	static const struct {
		int bit;
		const char *name, *what;
	} needed[] = {
		{21, "CAP_SYS_ADMIN", "kprobes while perf_event_paranoid is 3, BTF of modules"},
		{38, "CAP_PERFMON", "kprobes while perf_event_paranoid is 2 or less"},
		{39, "CAP_BPF", "loading BPF programs"},
		{24, "CAP_SYS_RESOURCE", "locked memory for maps on kernels before 5.11"},
		{19, "CAP_SYS_PTRACE", "environment of other users' processes"},
	};
	unsigned long long effective = 0;
	char line[256], path[256];
	bool all = true;
	FILE *f;

	snprintf(path, sizeof(path), "%s/self/status", o->procfs);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (effective >> needed[i].bit & 1)
			continue;
		printf(COLUMN "%s is missing: %s\n", all ? "capabilities" : "", needed[i].name,
		       needed[i].what);
		all = false;
	}
	if (all)
		printf(COLUMN "all that are needed\n", "capabilities");
}

static void print_lustre(const struct options *o, const struct probe_report *report)
{
	char line[256], path[256], quoted[512];
	struct mountinfo info = {};

	if (!report || !report->module_loaded) {
		printf(COLUMN "not loaded: %s\n", "module lustre",
		       report ? "probes are set and arm themselves when it comes" : "");
	} else {
		if (!read_line(o->sysfs, "fs/lustre/version", line, sizeof(line)) &&
		    !read_line(o->sysfs, "module/lustre/version", line, sizeof(line)))
			strcpy(line, "of unknown version");
		snprintf(path, sizeof(path), "%s/kernel/btf/lustre", o->sysfs);
		printf(COLUMN "loaded, %s, %s\n", "module lustre", line,
		       access(path, R_OK) ? "without BTF" : "with BTF");
	}
	if (report)
		printf(COLUMN "%s\n", "kernel preemption",
		       report->preemptible == 0	  ? "off or voluntary: fentry loses no call"
		       : report->preemptible == 1 ? "on: fentry would lose calls and is not used"
						  : "cannot be told (debugfs is hidden): fentry is "
						    "not used");
	if (mountinfo_read(o->procfs, &info) || !info.count)
		printf(COLUMN "none\n", "Lustre mounts");
	for (size_t i = 0; i < info.count; i++) {
		quote(quoted, sizeof(quoted), info.entries[i].mount_point);
		printf(COLUMN "%s on %s\n", i ? "" : "Lustre mounts", info.entries[i].fsname,
		       quoted);
	}
	mountinfo_free(&info);
}

static int print_rows(const struct probe_report *report)
{
	unsigned int attached = 0, missing = 0;

	printf("\n%-13s %-24s %-13s %s\n", "OPERATION", "FUNCTION", "PROBE", "REMARK");
	for (int fn = 0; fn < FN_MAX; fn++) {
		const struct probe_row *row = &report->row[fn];
		const struct fn_info *info = &fn_table[fn];
		const char *op = op_table[info->op].name;
		bool optional = info->flags & FNF_OPTIONAL;

		if (!row->wanted) {
			printf("%-13s %-24s %-13s %s\n", op, info->symbols, "-",
			       "not asked for (--ops)");
			continue;
		}
		if (row->form != FORM_NONE) {
			attached++;
			printf("%-13s %-24s %-13s\n", op, row->symbol, probe_form_name(row->form));
			continue;
		}
		missing += !optional;
		printf("%-13s %-24s %-13s %s%s%s\n", op, info->symbols, "none", row->reason,
		       optional ? "; nothing is lost"
				: "; missing: lustre_client_access_operations_total op=",
		       optional ? "" : op);
	}
	printf("\n%u functions observed, %u missing\n", attached, missing);
	if (!attached)
		return CHECK_NOTHING;
	return missing || !report->module_loaded ? CHECK_SOME : CHECK_ALL;
}

int check_run(const struct options *options)
{
	struct helper *helper = NULL;
	char err[256] = "";
	int status;

	print_kernel(options);
	print_capabilities(options);
	/* What is missing is told, it is no reason not to start. */
	if (start_helper(&helper, options, true, err, sizeof(err))) {
		print_lustre(options, NULL);
		printf("\nNothing can be observed: %s\n", err);
		return CHECK_NOTHING;
	}
	print_lustre(options, helper_report(helper));
	status = print_rows(helper_report(helper));
	helper_stop(helper);
	return status;
}
