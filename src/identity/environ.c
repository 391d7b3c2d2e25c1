// SPDX-License-Identifier: Apache-2.0
#include "environ.h"

#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A value that cannot be a job id, and stands for contradiction. */
#define CONTRADICTION "?"

struct variables {
	char slurm_job_id[JOB_NUMBER_MAX], slurm_jobid[JOB_NUMBER_MAX];
	char sluid[SLUID_MAX];
	char pbs[JOB_ID_MAX];
	char job_id[JOB_NUMBER_MAX];
	char lsf[JOB_NUMBER_MAX];
	bool has_sge;
};

static const struct {
	const char *name;
	size_t field;
	bool (*is_valid)(const char *s, size_t len);
} known[] = {
	{"SLURM_JOB_ID", offsetof(struct variables, slurm_job_id), jobid_is_number},
	{"SLURM_JOBID", offsetof(struct variables, slurm_jobid), jobid_is_number},
	{"SLURM_JOB_SLUID", offsetof(struct variables, sluid), jobid_is_sluid},
	{"PBS_JOBID", offsetof(struct variables, pbs), jobid_is_pbs},
	{"JOB_ID", offsetof(struct variables, job_id), jobid_is_number},
	{"LSB_JOBID", offsetof(struct variables, lsf), jobid_is_number},
};

/* The first value stays; another one behind it spoils both. */
static void merge(char *field, const char *value)
{
	if (*field && strcmp(field, value))
		strcpy(field, CONTRADICTION);
	else
		strcpy(field, value);
}

static void take(struct variables *v, const char *entry, size_t len)
{
	const char *equals = memchr(entry, '=', len);
	size_t n = equals ? (size_t)(equals - entry) : 0, i;

	if (!equals)
		return;
	v->has_sge |= n > 4 && !memcmp(entry, "SGE_", 4);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *value = equals + 1;
		bool valid;

		if (n != strlen(known[i].name) || memcmp(entry, known[i].name, n))
			continue;
		valid = known[i].is_valid(value, len - n - 1);
		merge((char *)v + known[i].field, valid ? value : CONTRADICTION);
	}
}

static void copy(char *out, const char *value)
{
	strcpy(out, strcmp(value, CONTRADICTION) ? value : "");
}

void environ_parse(struct environ_jobs *jobs, const char *text, size_t len)
{
	const char *end = text + len, *nul;
	struct variables v = {0};

	for (; text < end && (nul = memchr(text, '\0', end - text)); text = nul + 1)
		take(&v, text, nul - text);
	if (*v.slurm_jobid)
		merge(v.slurm_job_id, v.slurm_jobid);
	copy(jobs->slurm, v.slurm_job_id);
	copy(jobs->sluid, v.sluid);
	copy(jobs->pbs, v.pbs);
	copy(jobs->sge, v.has_sge ? v.job_id : "");
	copy(jobs->lsf, v.lsf);
}

enum batch_manager environ_manager(const struct environ_jobs *jobs)
{
	if (*jobs->slurm || *jobs->sluid)
		return BATCH_SLURM;
	if (*jobs->pbs)
		return BATCH_PBS;
	if (*jobs->sge)
		return BATCH_SGE;
	return *jobs->lsf ? BATCH_LSF : BATCH_NONE;
}

const char *environ_number_of_sluid(const struct environ_jobs *jobs, const char *sluid)
{
	return *jobs->slurm && *sluid && !strcmp(jobs->sluid, sluid) ? jobs->slurm : NULL;
}
