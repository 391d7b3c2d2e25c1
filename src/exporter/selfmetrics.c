// SPDX-License-Identifier: Apache-2.0
/* The exporter's own families. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exporter/selfmetrics.h"
#include "identity/procstat.h"
#include "ops/table.h"
#include "version.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FAMILY(id, n, t, u, h) \
	static const struct family id = {.name = n, .type = t, .unit = u, .help = h}

FAMILY(build_info, "lustre_ebpf_exporter_build_info", METRIC_GAUGE, "",
       "Version and commit of this exporter; always 1.");
FAMILY(probe_info, "lustre_ebpf_exporter_probe_info", METRIC_GAUGE, "",
       "One observed kernel function: how it is probed and, if it is not, why; 1 if it is.");
FAMILY(probe_missed, "lustre_ebpf_exporter_probe_missed_total", METRIC_COUNTER, "",
       "Calls of a function that its probe was not run for: operations that are not counted.");
FAMILY(operations_lost, "lustre_ebpf_exporter_operations_lost_total", METRIC_COUNTER, "",
       "Operations that a probe saw and could not count, by reason.");
FAMILY(map_entries, "lustre_ebpf_exporter_map_entries", METRIC_GAUGE, "",
       "Entries of a kernel map in use.");
FAMILY(map_limit, "lustre_ebpf_exporter_map_limit", METRIC_GAUGE, "", "Entries a kernel map has.");
FAMILY(map_refused, "lustre_ebpf_exporter_map_refused_total", METRIC_COUNTER, "",
       "Times a kernel map had no room: an operation was counted in a folded entry, a request not "
       "at all.");
FAMILY(requests_unfinished, "lustre_ebpf_exporter_rpc_unfinished_total", METRIC_COUNTER, "",
       "Requests counted as completed because their address was used again: their end was not "
       "seen.");
FAMILY(lustre_btf, "lustre_ebpf_exporter_lustre_btf", METRIC_GAUGE, "",
       "1 while BTF of Lustre tells server targets, and the mounts of requests nobody owns.");
FAMILY(series, "lustre_ebpf_exporter_series", METRIC_GAUGE, "", "Series with identity labels.");
FAMILY(series_limit, "lustre_ebpf_exporter_series_limit", METRIC_GAUGE, "",
       "Limit of them (--max-series).");
FAMILY(series_retired, "lustre_ebpf_exporter_series_retired_total", METRIC_COUNTER, "",
       "Series ended because they were idle (--series-ttl).");
FAMILY(folded, "lustre_ebpf_exporter_folded_operations_total", METRIC_COUNTER, "",
       "Operations whose identity labels became \"other\" at the limit of series, by labels lost.");
FAMILY(mounts, "lustre_ebpf_exporter_mounts", METRIC_GAUGE, "", "Lustre client mounts seen.");
FAMILY(mounts_missing, "lustre_ebpf_exporter_mounts_missing", METRIC_GAUGE, "",
       "Mounts asked for with --mount that are not Lustre mounts now.");
FAMILY(module_loaded, "lustre_ebpf_exporter_module_loaded", METRIC_GAUGE, "",
       "1 while the kernel module lustre is loaded.");
FAMILY(collect_seconds, "lustre_ebpf_exporter_collect_duration_seconds", METRIC_GAUGE, "seconds",
       "Time the last collection took.");
FAMILY(cpu_seconds, "process_cpu_seconds_total", METRIC_COUNTER, "seconds",
       "User and system CPU time of the exporter.");
FAMILY(resident, "process_resident_memory_bytes", METRIC_GAUGE, "bytes",
       "Resident memory of the exporter.");
FAMILY(virtual, "process_virtual_memory_bytes", METRIC_GAUGE, "bytes",
       "Virtual memory of the exporter.");
FAMILY(open_fds, "process_open_fds", METRIC_GAUGE, "", "Open file descriptors of the exporter.");
FAMILY(max_fds, "process_max_fds", METRIC_GAUGE, "", "Limit of open file descriptors.");
FAMILY(start_time, "process_start_time_seconds", METRIC_GAUGE, "seconds",
       "Start of the exporter, in seconds since 1970.");

/* A point belongs to no operation. */
static int add_probe(struct extras *x, const struct probe_row *row, const char *symbols,
		     const char *op)
{
	const char *function = row->symbol[0] ? row->symbol : symbols;

	if (!row->wanted)
		return 0;
	return EXTRAS_ADD(x, &probe_info, row->form != FORM_NONE, {"function", function},
			  {"op", op}, {"form", probe_form_name(row->form)},
			  {"reason", row->reason}) |
	       EXTRAS_ADD(x, &probe_missed, row->missed, {"function", function}, {"op", op});
}

static int add_probes(struct extras *x, const struct probe_report *report)
{
	int err = 0;

	for (int fn = 0; fn < FN_MAX; fn++)
		err |= add_probe(x, &report->row[fn], fn_table[fn].symbols,
				 op_table[fn_table[fn].op].name);
	for (int i = 0; i < POINT_MAX; i++)
		err |= add_probe(x, &report->point[i], point_table[i].symbols, "");
	return err;
}

static int add_kernel(struct extras *x, const struct self_state *s)
{
	static const struct {
		enum kernel_counter counter;
		const char *reason;
	} lost[] = {
		{KC_TASK_REFUSED, "no memory for the task"},
		{KC_FRAME_OVERFLOW, "nested too deep"},
		{KC_FRAME_STALE, "return not seen"},
	};
	static const struct {
		enum kernel_counter counter;
		const char *map;
	} refused[] = {
		{KC_CELL_REFUSED, "cells"},
		{KC_MOUNT_REFUSED, "mount_slots"},
		{KC_RPC_REFUSED, "rpc_requests"},
	};
	uint64_t forgotten;
	int err = 0;

	for (size_t i = 0; i < COUNT(lost); i++)
		err |= EXTRAS_ADD(x, &operations_lost, s->kernel_counters[lost[i].counter],
				  {"reason", lost[i].reason});
	for (size_t i = 0; i < COUNT(refused); i++)
		err |= EXTRAS_ADD(x, &map_refused, s->kernel_counters[refused[i].counter],
				  {"map", refused[i].map});
	err |= EXTRAS_ADD(x, &map_entries, s->cells, {"map", "cells"});
	err |= EXTRAS_ADD(x, &map_limit, s->max_cells, {"map", "cells"});
	/* Forgotten first: what is taken in meanwhile must not make it negative. */
	forgotten = s->kernel_counters[KC_RPC_FORGOTTEN];
	err |= EXTRAS_ADD(x, &map_entries, s->kernel_counters[KC_RPC_TRACKED] - forgotten,
			  {"map", "rpc_requests"});
	err |= EXTRAS_ADD(x, &map_limit, RPC_REQUESTS, {"map", "rpc_requests"});
	err |= EXTRAS_ADD(x, &map_entries, s->kernel_counters[KC_TARGETS], {"map", "rpc_targets"});
	err |= EXTRAS_ADD(x, &map_limit, RPC_TARGETS - 1, {"map", "rpc_targets"});
	err |= extras_add(x, &requests_unfinished, s->kernel_counters[KC_RPC_LOST], NULL, 0);
	err |= extras_add(x, &lustre_btf, s->report->lustre_btf, NULL, 0);
	return err;
}

static int add_series(struct extras *x, const struct series_stats *s)
{
	static const char *const labels[FOLD_MAX] = {
		[FOLD_PROCESS] = "process", [FOLD_USER] = "process,uid", [FOLD_ALL] = "all"};
	int err = 0;

	err |= extras_add(x, &series, s->series, NULL, 0);
	err |= extras_add(x, &series_limit, s->max_series, NULL, 0);
	err |= extras_add(x, &series_retired, s->retired, NULL, 0);
	for (int i = 0; i < FOLD_MAX; i++)
		err |= EXTRAS_ADD(x, &folded, s->folded[i], {"labels", labels[i]});
	return err;
}

/* Start of this process, in seconds since 1970; 0: /proc does not tell. */
static double started(void)
{
	struct procstat stat;
	char text[1024];
	double boot = 0;
	size_t n = 0;
	FILE *f;

	f = fopen("/proc/stat", "re");
	while (f && fgets(text, sizeof(text), f))
		if (sscanf(text, "btime %lf", &boot) == 1)
			break;
	if (f)
		fclose(f);
	f = fopen("/proc/self/stat", "re");
	if (f) {
		n = fread(text, 1, sizeof(text), f);
		fclose(f);
	}
	if (!boot || procstat_parse(&stat, text, n))
		return 0;
	return boot + (double)stat.start_ticks / sysconf(_SC_CLK_TCK);
}

static int add_memory(struct extras *x)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned long size, resident_pages;
	FILE *f = fopen("/proc/self/statm", "re");
	int err = 0;

	if (f && fscanf(f, "%lu %lu", &size, &resident_pages) == 2) {
		err |= extras_add(x, &resident, (double)resident_pages * page, NULL, 0);
		err |= extras_add(x, &virtual, (double)size * page, NULL, 0);
	}
	if (f)
		fclose(f);
	return err;
}

static int add_descriptors(struct extras *x)
{
	struct rlimit limit;
	DIR *dir = opendir("/proc/self/fd");
	int err = 0, n = -1; /* without the one that is open to count */

	while (dir) {
		const struct dirent *entry = readdir(dir);

		if (!entry)
			break;
		n += entry->d_name[0] != '.';
	}
	if (dir) {
		err |= extras_add(x, &open_fds, n, NULL, 0);
		closedir(dir);
	}
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		err |= extras_add(x, &max_fds, limit.rlim_cur, NULL, 0);
	return err;
}

static double seconds_of(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

/* Of this process; the values are told only where /proc tells them. */
static int add_process(struct extras *x)
{
	double start = started();
	struct rusage usage;
	int err = 0;

	if (!getrusage(RUSAGE_SELF, &usage))
		err |= extras_add(x, &cpu_seconds,
				  seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), NULL, 0);
	err |= add_memory(x);
	err |= add_descriptors(x);
	if (start)
		err |= extras_add(x, &start_time, start, NULL, 0);
	return err;
}

int selfmetrics_add(struct extras *x, const struct self_state *s)
{
	int err = 0;

	err |= EXTRAS_ADD(x, &build_info, 1, {"version", EXPORTER_VERSION},
			  {"revision", EXPORTER_COMMIT});
	err |= add_probes(x, s->report);
	err |= add_kernel(x, s);
	err |= add_series(x, &s->series);
	err |= extras_add(x, &mounts, s->mounts, NULL, 0);
	err |= extras_add(x, &mounts_missing, s->mounts_missing, NULL, 0);
	err |= extras_add(x, &module_loaded, s->report->module_loaded, NULL, 0);
	err |= extras_add(x, &collect_seconds, s->collect_seconds, NULL, 0);
	err |= add_process(x);
	return err ? -ENOMEM : 0;
}
