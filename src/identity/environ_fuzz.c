// SPDX-License-Identifier: Apache-2.0
/* Any environment: job ids of their form, or none. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "environ.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct environ_jobs jobs;

	environ_parse(&jobs, (const char *)data, size);
	assert(!*jobs.slurm || jobid_is_number(jobs.slurm, strlen(jobs.slurm)));
	assert(!*jobs.sluid || jobid_is_sluid(jobs.sluid, strlen(jobs.sluid)));
	assert(!*jobs.pbs || jobid_is_pbs(jobs.pbs, strlen(jobs.pbs)));
	assert(!*jobs.sge || jobid_is_number(jobs.sge, strlen(jobs.sge)));
	assert(!*jobs.lsf || jobid_is_number(jobs.lsf, strlen(jobs.lsf)));
	return 0;
}
