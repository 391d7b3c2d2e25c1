// SPDX-License-Identifier: Apache-2.0
/* The helper with the options of the command line. */
#include "exporter/start.h"
#include "ops/table.h"

/* Calls of one function that may sleep at once; the kernel's own limit. */
#define SLEEPERS 4096
/* A cell is at least two series: its counter and its share of a histogram. */
#define CELLS_PER_SERIES(max) ((max)*4 / 5)
#define TASKS_INSIDE	      8192
#define CGROUPS		      8192

int start_helper(struct helper **helper, const struct options *o, bool allow_missing, char *err,
		 size_t errlen)
{
	struct helper_options options = {
		.object =
			{
				.btf_path = o->btf,
				.lustre_btf_path = o->lustre_btf,
				.procfs = o->procfs,
				.thread_name = o->process_name_source == PROCESS_NAME_THREAD,
				.collect_uid = o->uid_labels,
				.collect_jobs = o->slurm_jobid,
				.limits = {.cells = CELLS_PER_SERIES(o->max_series),
					   .tasks = TASKS_INSIDE,
					   .processes = o->slurm_jobid_cache_size,
					   .cgroups = CGROUPS},
			},
		.attach =
			{
				.procfs = o->procfs,
				.sysfs = o->sysfs,
				.allow_missing = allow_missing,
				.sleepers = SLEEPERS,
			},
		.interval = o->drain_interval,
	};

	for (int fn = 0; fn < FN_MAX; fn++)
		options.object.wanted[fn] = o->ops[fn_table[fn].op];
	return helper_start(helper, &options, err, errlen);
}
