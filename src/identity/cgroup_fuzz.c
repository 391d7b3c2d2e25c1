// SPDX-License-Identifier: Apache-2.0
/* Any path: a job id only where there is a job, and then one of the known forms. */
#include <assert.h>
#include <string.h>

#include "cgroup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct cgroup_info *info)
{
	size_t len = strlen(info->job_id);

	assert(!len == (info->kind != CGROUP_JOB));
	if (!len)
		return;
	switch (info->manager) {
	case BATCH_PBS:
		assert(jobid_is_pbs(info->job_id, len));
		break;
	case BATCH_SLURM:
		assert(info->is_sluid ? jobid_is_sluid(info->job_id, len)
				      : jobid_is_number(info->job_id, len));
		break;
	default:
		assert(info->manager != BATCH_NONE && jobid_is_number(info->job_id, len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgroup_info info;

	cgroup_parse_path(&info, (const char *)data, size);
	check(&info);
	cgroup_parse_proc(&info, (const char *)data, size);
	check(&info);
	return 0;
}
