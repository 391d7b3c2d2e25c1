/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the labels of jobs come from, put together (--slurm-jobid): the kernel's
 * job slots, its ring of news, the reader of environments, and what is known.
 */
#ifndef EXPORTER_JOBSOURCE_H
#define EXPORTER_JOBSOURCE_H

#include "config/options.h"
#include "helper/helper.h"
#include "identity/jobs.h"

struct job_source;

/*
 * Starts the reader of environments; before the process has threads. *source is
 * NULL without --slurm-jobid, which all functions take. Returns 0 or -errno.
 */
int job_source_start(struct job_source **source, const struct options *options);

/* Takes up the kernel's side. Returns 0 or -errno. */
int job_source_open(struct job_source *source, struct helper *helper);
void job_source_stop(struct job_source *source);

/* NULL without --slurm-jobid. */
struct jobs *job_source_jobs(struct job_source *source);

/* Readable when job_source_serve() has something to do; -1: there is none. */
int job_source_news_fd(const struct job_source *source);
int job_source_reader_fd(const struct job_source *source);
void job_source_serve(struct job_source *source);

#endif
