/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job ids as batch systems write them. They come from directory names and
 * environments, so everything that is not exactly of the form is no job id.
 */
#ifndef IDENTITY_JOBID_H
#define IDENTITY_JOBID_H

#include <stdbool.h>
#include <stddef.h>

#define JOB_ID_MAX     64 /* longest job id with its NUL */
#define JOB_NUMBER_MAX 11 /* 32 bits in decimal, and a NUL */
#define SLUID_MAX      15

enum batch_manager {
	BATCH_NONE,
	BATCH_SLURM,
	BATCH_PBS,
	BATCH_SGE,
	BATCH_LSF,
};

/* Slurm, SGE, LSF: a number of at most 32 bits that does not begin with 0. */
bool jobid_is_number(const char *s, size_t len);

/* Slurm from 26.05 on: `s` and 13 digits of Crockford's base 32. */
bool jobid_is_sluid(const char *s, size_t len);

/* PBS: a number, and what may follow of an array index and a server's name. */
bool jobid_is_pbs(const char *s, size_t len);

#endif
