// SPDX-License-Identifier: Apache-2.0
/*
 * The wiring. Three parties use what is here: the main thread, which waits for
 * signals, the helper and the time, the web server's thread that asks for a
 * snapshot, and nobody else; a mutex keeps them apart, and no client is ever
 * waited for while it is held.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "collect/collect.h"
#include "encode/exposition.h"
#include "exporter/exporter.h"
#include "exporter/jobsource.h"
#include "exporter/outlets.h"
#include "exporter/privileges.h"
#include "exporter/selfmetrics.h"
#include "exporter/start.h"
#include "helper/helper.h"
#include "identity/allowlist.h"
#include "identity/username.h"
#include "mount/mounts.h"
#include "ops/table.h"
#include "util/log.h"

struct exporter {
	const struct options *options;
	uint64_t started_ms;
	struct helper *helper;
	struct job_source *jobs;
	struct allowlist allowlist;
	struct usernames *usernames;
	struct mounts *mounts;
	struct intern *strings;
	struct series_table *series;
	struct collector *collector;
	struct outlets *outlets;
	pthread_mutex_t lock; /* of all above, once threads run */
	double collect_seconds;
	unsigned int mounts_logged, missing_logged;
	char username[USERNAME_MAX]; /* of the last call of username_of() */
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t unix_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The lock is held. */
static void collect_pass(struct exporter *e)
{
	double begin = seconds();

	job_source_serve(e->jobs);
	if (collector_pass(e->collector))
		log_warn("not enough memory to take in all counters; what is missing stays in the "
			 "kernel");
	e->collect_seconds = seconds() - begin;
}

static const char *username_of(void *ctx, uint32_t uid)
{
	struct exporter *e = ctx;

	usernames_get(e->usernames, uid, e->username);
	return e->username;
}

static int add_selfmetrics(struct exporter *e, struct extras *extras)
{
	struct self_state state = {
		.report = helper_report(e->helper),
		.kernel_counters = helper_map(e->helper, MAP_KERNEL_COUNTERS),
		.cells = collector_cells(e->collector),
		.max_cells = helper_cells(e->helper) - FOLDED_CELLS,
		.mounts = mounts_count(e->mounts),
		.mounts_missing = mounts_missing(e->mounts),
		.collect_seconds = e->collect_seconds,
	};

	series_stats(e->series, &state.series);
	return selfmetrics_add(extras, &state);
}

/* A snapshot of now. */
static int snapshot_now(void *ctx, struct snapshot **snapshot)
{
	struct exporter *e = ctx;
	struct extras *extras = extras_new(e->started_ms);
	int err = -ENOMEM;

	pthread_mutex_lock(&e->lock);
	collect_pass(e);
	if (extras && (e->options->web_disable_exporter_metrics || !add_selfmetrics(e, extras))) {
		err = snapshot_take(e->series, extras, username_of, e, unix_ms(), snapshot);
		extras = NULL;
	}
	pthread_mutex_unlock(&e->lock);
	extras_free(extras);
	return err;
}

static bool is_ready(void *ctx, char *why, size_t size)
{
	const struct probe_report *report = helper_report(((struct exporter *)ctx)->helper);

	if (!report->module_loaded) {
		snprintf(why, size, "waiting for the kernel module lustre to be loaded");
		return false;
	}
	for (int fn = 0; fn < FN_MAX; fn++)
		if (report->row[fn].form != FORM_NONE)
			return true;
	snprintf(why, size, "no function of the Lustre client could be probed: see --check");
	return false;
}

static void log_probes(const struct probe_report *report)
{
	unsigned int n[FORM_MAX] = {};

	for (int fn = 0; fn < FN_MAX; fn++) {
		const struct probe_row *row = &report->row[fn];

		if (!row->wanted)
			continue;
		n[row->form]++;
		if (row->form == FORM_NONE && !(fn_table[fn].flags & FNF_OPTIONAL))
			log_kv(LOG_LEVEL_WARN, "function not observed",
			       LOG_S("function", fn_table[fn].symbols),
			       LOG_S("op", op_table[fn_table[fn].op].name),
			       LOG_S("reason", row->reason));
	}
	log_kv(LOG_LEVEL_INFO, "probes", LOG_N("fentry", n[FORM_FENTRY]),
	       LOG_N("kprobe_multi", n[FORM_MULTI]), LOG_N("kprobe", n[FORM_KPROBE]),
	       LOG_N("none", n[FORM_NONE]), LOG_N("module_loaded", report->module_loaded),
	       LOG_N("mounts", report->mounts));
}

static int start_stages(struct exporter *e)
{
	const struct options *o = e->options;
	struct series_options series = {
		.uid_labels = o->uid_labels,
		.process_labels = o->process_labels,
		.histogram_process_labels = o->histogram_process_labels,
		.job_labels = o->slurm_jobid,
		.max_series = o->max_series,
		.ttl_ms = o->series_ttl_ns / 1000000,
	};
	struct collector_options collector = {
		.strip_suffix = o->process_name_strip_suffix,
		.allowlist = &e->allowlist,
	};
	struct collector_maps maps = {
		.cells = helper_map(e->helper, MAP_CELLS),
		.n_cells = helper_cells(e->helper),
		.size_cells = helper_map(e->helper, MAP_SIZE_CELLS),
		.rpc_targets = helper_map(e->helper, MAP_RPC_TARGETS),
		.mount_slots = helper_map(e->helper, MAP_MOUNT_SLOTS),
		.kernel_counters = helper_map(e->helper, MAP_KERNEL_COUNTERS),
	};
	int err;

	err = allowlist_init(&e->allowlist, o->process_allowlist.items, o->process_allowlist.n);
	if (err)
		return err;
	e->mounts = mounts_new(maps.mount_slots, &o->mounts, o->procfs, o->sysfs);
	e->strings = intern_new();
	e->series = e->strings ? series_table_new(&series, e->strings) : NULL;
	if (!e->mounts || !e->series)
		return -ENOMEM;
	err = job_source_open(e->jobs, e->helper);
	if (err)
		return err;
	e->collector = collector_new(&collector, &maps, e->mounts, job_source_jobs(e->jobs),
				     e->series, e->strings);
	if (!e->collector)
		return -ENOMEM;
	return usernames_start(&e->usernames, &username_limits_default, NULL);
}

static void stop(struct exporter *e)
{
	outlets_stop(e->outlets);
	if (e->usernames)
		usernames_stop(e->usernames);
	collector_free(e->collector);
	if (e->series)
		series_table_free(e->series);
	if (e->strings)
		intern_free(e->strings);
	mounts_free(e->mounts);
	allowlist_free(&e->allowlist);
	job_source_stop(e->jobs);
	helper_stop(e->helper);
}

/* Readable after first_s, then every every_s; with first_s 0 never. A descriptor, or -1 with errno.
 */
static int timer(int64_t first_s, int64_t every_s)
{
	struct itimerspec t = {.it_value.tv_sec = first_s, .it_interval.tv_sec = every_s};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), error;

	if (fd >= 0 && timerfd_settime(fd, 0, &t, NULL)) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* What is watched and what is waited for, when that has changed. The lock is held. */
static void log_mounts(struct exporter *e)
{
	unsigned int mounts = mounts_count(e->mounts), missing = mounts_missing(e->mounts);

	if (mounts == e->mounts_logged && missing == e->missing_logged)
		return;
	e->mounts_logged = mounts;
	e->missing_logged = missing;
	if (!mounts)
		log_info("no Lustre client mount: waiting for one");
	else
		log_kv(LOG_LEVEL_INFO, "Lustre client mounts", LOG_N("mounts", mounts));
	for (unsigned int i = 0; i < missing; i++)
		log_kv(LOG_LEVEL_WARN, "not a Lustre client mount: waiting for it",
		       LOG_S("mount", mounts_missing_path(e->mounts, i)));
}

static void drain(struct exporter *e)
{
	pthread_mutex_lock(&e->lock);
	collect_pass(e);
	series_retire(e->series);
	log_mounts(e);
	pthread_mutex_unlock(&e->lock);
}

static void serve_jobs(struct exporter *e)
{
	pthread_mutex_lock(&e->lock);
	job_source_serve(e->jobs);
	pthread_mutex_unlock(&e->lock);
}

/* Everything as it is now to standard output. Returns the exit status. */
static int print(struct exporter *e, const struct encoder *encoder)
{
	struct snapshot *snapshot;
	int err = snapshot_now(e, &snapshot);

	if (!err) {
		err = exposition_write(snapshot, encoder, STDOUT_FILENO);
		snapshot_put(snapshot);
	}
	if (err)
		log_error("cannot write the metrics to standard output: %s", strerror(-err));
	return err ? 1 : 0;
}

/* Waits until it is time to go. Returns the exit status. */
static int run(struct exporter *e, int signals)
{
	const struct options *o = e->options;
	enum { SIGNAL, HELPER, DRAIN, WINDOW, END, JOB_NEWS, JOB_READER, FDS };
	struct pollfd fds[FDS] = {
		[SIGNAL] = {.fd = signals, .events = POLLIN},
		[HELPER] = {.fd = helper_fd(e->helper), .events = POLLIN},
		[DRAIN] = {.fd = timer(o->drain_interval, o->drain_interval), .events = POLLIN},
		[WINDOW] = {.fd = timer(o->dry_run ? o->window_seconds : 0, o->window_seconds),
			    .events = POLLIN},
		[END] = {.fd = timer(o->once ? o->drain_interval : o->duration, 0),
			 .events = POLLIN},
		[JOB_NEWS] = {.fd = job_source_news_fd(e->jobs), .events = POLLIN},
		[JOB_READER] = {.fd = job_source_reader_fd(e->jobs), .events = POLLIN},
	};
	uint32_t settled = helper_report(e->helper)->settled;
	int status = 0;
	uint64_t ticks;

	/* What poll() does not watch would never be done, and nobody would know. */
	if (fds[DRAIN].fd < 0 || fds[WINDOW].fd < 0 || fds[END].fd < 0) {
		log_error("cannot make a timer: %s", strerror(errno));
		status = 1;
		goto out;
	}
	drain(e);
	for (;;) {
		if (poll(fds, FDS, -1) < 0) {
			if (errno == EINTR)
				continue;
			log_error("cannot wait for events: %s", strerror(errno));
			status = 1;
			break;
		}
		if (fds[SIGNAL].revents || fds[END].revents)
			break;
		if (fds[HELPER].revents && helper_process(e->helper)) {
			log_error("the helper process has ended unexpectedly: nothing is observed "
				  "any more");
			status = 1;
			break;
		}
		if (settled != helper_report(e->helper)->settled) {
			settled = helper_report(e->helper)->settled;
			log_probes(helper_report(e->helper));
		}
		if (fds[JOB_NEWS].revents || fds[JOB_READER].revents) {
			serve_jobs(e);
			fds[JOB_READER].fd = job_source_reader_fd(e->jobs);
		}
		if (fds[DRAIN].revents && read(fds[DRAIN].fd, &ticks, sizeof(ticks)) > 0)
			drain(e);
		if (fds[WINDOW].revents && read(fds[WINDOW].fd, &ticks, sizeof(ticks)) > 0 &&
		    print(e, &json_encoder)) {
			status = 1;
			break;
		}
	}
out:
	for (int i = DRAIN; i <= END; i++)
		if (fds[i].fd >= 0)
			close(fds[i].fd);
	return status;
}

int exporter_run(const struct options *options)
{
	struct exporter e = {
		.options = options,
		.started_ms = unix_ms(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.mounts_logged = UINT_MAX,
	};
	struct outlet_source source = {.collect = snapshot_now, .ready = is_ready, .ctx = &e};
	char err[512] = "";
	int status = 1, signals, ret;
	sigset_t set;

	ret = outlets_open(&e.outlets, options, err, sizeof(err));
	if (ret) {
		log_error("%s", err);
		return 1;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0) {
		ret = -errno;
		snprintf(err, sizeof(err), "cannot watch for signals: %s", strerror(-ret));
		goto out;
	}
	ret = job_source_start(&e.jobs, options);
	if (ret)
		snprintf(err, sizeof(err), "cannot start the reader of environments: %s",
			 strerror(-ret));
	else
		ret = start_helper(&e.helper, options, options->legacy_symbol_allow_missing, err,
				   sizeof(err));
	if (ret)
		goto out;
	log_probes(helper_report(e.helper));
	ret = privileges_drop(err, sizeof(err));
	if (!ret)
		ret = start_stages(&e);
	if (!ret)
		ret = outlets_start(e.outlets, &source, err, sizeof(err));
	if (ret)
		goto out;

	status = run(&e, signals);
	if (!status && options->once)
		status = print(&e, &text_encoder);
out:
	if (ret)
		log_error("%s", err[0] ? err : strerror(-ret));
	stop(&e);
	if (signals >= 0)
		close(signals);
	return status;
}
