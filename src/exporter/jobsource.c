// SPDX-License-Identifier: Apache-2.0
/* The wiring of jobs; who may call is the exporter's affair. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "exporter/jobsource.h"
#include "helper/ring.h"
#include "identity/reader.h"
#include "util/log.h"

#define NS_PER_SECOND INT64_C(1000000000)

/* Inode number of the initial PID namespace; the kernel has it as a constant. */
#define INITIAL_PID_NS 0xEFFFFFFCU

struct job_source {
	const struct options *options;
	struct reader *reader; /* NULL: it has ended */
	struct ring *news;     /* NULL: this kernel has no ring buffers */
	struct jobs *jobs;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

static int ask(void *ctx, uint64_t question, const struct lasting_id *process)
{
	struct job_source *s = ctx;

	return s->reader ? reader_ask(s->reader, question, process) : -EPIPE;
}

/* The kernel tells pids of the initial namespace: /proc must show those. */
static void check_namespace(const struct options *o)
{
	struct stat st;

	if (!strcmp(o->procfs, "/proc") && !stat("/proc/self/ns/pid", &st) &&
	    st.st_ino != INITIAL_PID_NS)
		log_warn("this process is not in the host's PID namespace: job ids that only the "
			 "environment of a job tells cannot be found; mount the host's /proc and "
			 "name it with --path.procfs");
}

int job_source_start(struct job_source **result, const struct options *options)
{
	struct job_source *s;
	int err;

	*result = NULL;
	if (!options->slurm_jobid)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->options = options;
	check_namespace(options);
	err = reader_start(&s->reader, options->procfs);
	if (err) {
		free(s);
		return err;
	}
	*result = s;
	return 0;
}

int job_source_open(struct job_source *s, struct helper *helper)
{
	struct job_limits limits = job_limits_default;

	if (!s)
		return 0;
	limits.ttl_ns = s->options->slurm_jobid_ttl * NS_PER_SECOND;
	limits.negative_ttl_ns = s->options->slurm_jobid_negative_ttl * NS_PER_SECOND;
	limits.verify_ttl_ns = s->options->slurm_jobid_verify_ttl * NS_PER_SECOND;
	s->news = helper_job_news(helper);
	s->jobs = jobs_new(helper_map(helper, MAP_JOBS), &limits, ask, s);
	return s->jobs ? 0 : -ENOMEM;
}

void job_source_stop(struct job_source *s)
{
	if (!s)
		return;
	jobs_free(s->jobs);
	reader_stop(s->reader);
	free(s);
}

struct jobs *job_source_jobs(struct job_source *s)
{
	return s ? s->jobs : NULL;
}

int job_source_news_fd(const struct job_source *s)
{
	return s && s->news ? ring_fd(s->news) : -1;
}

int job_source_reader_fd(const struct job_source *s)
{
	return s && s->reader ? reader_fd(s->reader) : -1;
}

static void take_news(void *ctx, const void *record, size_t size)
{
	struct job_source *s = ctx;
	const struct job_news *news = record;

	if (size >= sizeof(*news))
		jobs_meet(s->jobs, news->job, now_ns());
}

void job_source_serve(struct job_source *s)
{
	struct reader_answer answer;
	int n = 0;

	if (!s)
		return;
	if (s->news)
		ring_drain(s->news, take_news, s);
	while (s->reader && (n = reader_take(s->reader, &answer)) > 0) {
		if (answer.error == -EACCES || answer.error == -EPERM)
			log_warn("cannot read the environment of other users' processes (%s): job "
				 "ids that only the environment tells stay unknown; "
				 "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH are needed",
				 strerror(-answer.error));
		jobs_answer(s->jobs, answer.question, answer.error, &answer.environ, now_ns());
	}
	if (n < 0) {
		log_error("the process that reads environments has ended: new job ids that only "
			  "they tell stay unknown until the exporter is started again");
		reader_stop(s->reader);
		s->reader = NULL;
	}
}
