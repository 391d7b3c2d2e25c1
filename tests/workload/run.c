// SPDX-License-Identifier: Apache-2.0
/*
 * Runs one case: every thread prepares, then the counts are read, then all make
 * their calls, then the counts are read again and compared with the record.
 */
#include "opgen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops/table.h"
#include "source.h"
#include "uring.h"

#define OTHER_UID   4242
#define MAX_WATCH   4
#define MAX_THREADS 256

struct job {
	struct worker worker;
	pthread_t thread;
	pthread_barrier_t *barrier; /* ready, go, done */
	int setup_error;
	int failed_at; /* call that did not give what is wanted, -1: none */
	long failed_rc;
};

long result(long rc)
{
	return rc < 0 ? -errno : rc;
}

void also_did(struct worker *w, enum op_id op, long rc)
{
	tally_record(&w->did, op, rc);
}

const char *numbered(const char *prefix, int i)
{
	static __thread char name[64];

	snprintf(name, sizeof(name), "%s%d", prefix, i);
	return name;
}

const char *numbered2(const char *prefix, int i)
{
	static __thread char name[64];

	snprintf(name, sizeof(name), "%s%d", prefix, i);
	return name;
}

void remove_tree(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int sub;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!unlinkat(dir, e->d_name, 0))
			continue;
		sub = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		remove_tree(sub);
		close(sub);
		unlinkat(dir, e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "2", 1) != 1)
		perror("drop_caches");
	close(fd);
}

static int enter_directory(struct worker *w)
{
	const char *name = numbered("opgen.", w->index);

	/* a current directory of the thread's own, so that names stay short in all calls */
	if (unshare(CLONE_FS) < 0)
		return -errno;
	if (mkdirat(w->home, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	w->dir = openat(w->home, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0 || fchdir(w->dir) < 0)
		return -errno;
	remove_tree(w->dir);
	return 0;
}

static int prepare(struct worker *w)
{
	size_t room = w->size > PAGE ? (w->size + PAGE - 1) / PAGE * PAGE : PAGE;
	int err;

	w->fd = w->fd2 = w->dir = -1;
	w->fds = malloc((size_t)w->count * sizeof(w->fds[0]));
	w->buf = aligned_alloc(PAGE, room);
	if (!w->fds || !w->buf)
		return -ENOMEM;
	memset(w->buf, 'x', room);
	for (int i = 0; i < w->count; i++)
		w->fds[i] = -1;
	err = enter_directory(w);
	if (!err && w->c->setup)
		err = w->c->setup(w);
	return err;
}

static void clean(struct worker *w)
{
	for (int i = 0; w->fds && i < w->count; i++) {
		if (w->fds[i] >= 0)
			close(w->fds[i]);
	}
	if (w->map)
		munmap(w->map, (size_t)w->count * PAGE);
	uring_close(w->ring);
	if (w->aio)
		syscall(SYS_io_destroy, w->aio);
	if (w->fd >= 0)
		close(w->fd);
	if (w->fd2 >= 0)
		close(w->fd2);
	if (w->dir >= 0) {
		remove_tree(w->dir);
		close(w->dir);
		unlinkat(w->home, numbered("opgen.", w->index), AT_REMOVEDIR);
	}
	free(w->fds);
	free(w->buf);
}

static bool as_wanted(const struct worker *w, long rc)
{
	int want = w->hidden_errno ? w->hidden_errno : w->c->want;

	if (want == ANY_RESULT)
		return true;
	return want ? rc == -want : rc >= 0;
}

static void make_calls(struct job *job)
{
	struct worker *w = &job->worker;
	const struct opcase *c = w->c;

	for (int i = 0; i < w->count; i++) {
		long rc = c->call(w, i);

		if (w->hidden_errno && (c->flags & CASE_HIDES_RC))
			rc = -w->hidden_errno;
		if (c->op != NO_MAIN_OP)
			tally_record(&w->did, c->op, rc);
		if (!as_wanted(w, rc) && job->failed_at < 0) {
			job->failed_at = i;
			job->failed_rc = rc;
		}
	}
}

static void *work(void *arg)
{
	struct job *job = arg;
	struct worker *w = &job->worker;
	uid_t actor = w->c->flags & CASE_OTHER_UID ? OTHER_UID : w->uid;

	if (w->uid)
		setfsuid(w->uid);
	job->setup_error = prepare(w);
	pthread_barrier_wait(job->barrier); /* ready: counts are read */
	pthread_barrier_wait(job->barrier); /* go */
	if (actor)
		setfsuid(actor);
	if (!job->setup_error)
		make_calls(job);
	setfsuid(w->uid);
	pthread_barrier_wait(job->barrier); /* done: counts are read */
	pthread_barrier_wait(job->barrier);
	clean(w);
	return NULL;
}

static int read_all(const struct run *run, struct tally *tallies)
{
	for (int i = 0; i < run->n_watch; i++) {
		int err = tally_read(&tallies[i], run->watch[i]);

		if (err)
			return err;
	}
	return 0;
}

static int inject(const struct run *run, const char *symbol, int error)
{
	char text[128];
	int fd = open(run->inject, O_WRONLY | O_CLOEXEC), n, err = 0;

	if (fd < 0)
		return -errno;
	n = symbol ? snprintf(text, sizeof(text), "%s errno=%d\n", symbol, error)
		   : snprintf(text, sizeof(text), "clear\n");
	if (write(fd, text, (size_t)n) != n)
		err = -errno;
	close(fd);
	return err;
}

/* Which operations must equal the record: the case's own, and what it never causes. */
static op_mask compared(const struct run *run, const struct opcase *c)
{
	op_mask mask = ~(c->also | SIDE_OPS) | c->exact;

	if (c->op != NO_MAIN_OP)
		mask |= UINT64_C(1) << c->op;
	return mask & run->ops;
}

static int judge(const struct run *run, const struct opcase *c, const struct tally *did,
		 const struct tally *before, const struct tally *after)
{
	struct tally delta[MAX_WATCH];
	int bad = 0;

	for (int i = 0; i < run->n_watch; i++) {
		bad += tally_delta(&delta[i], &after[i], &before[i]);
		bad += tally_compare(run->watch[i], &delta[i], did, compared(run, c));
	}
	/* the sources agree on everything, also on what the case cannot foresee */
	for (int i = 1; i < run->n_watch; i++)
		bad += tally_compare(run->watch[i], &delta[i], &delta[0], run->ops);
	if (run->verbose)
		tally_print(did);
	return bad;
}

static const char *reason_of(struct job *jobs, int n, char *text, size_t room)
{
	for (int i = 0; i < n; i++) {
		struct job *job = &jobs[i];

		if (job->setup_error) {
			snprintf(text, room, "preparation: %s", strerror(-job->setup_error));
			return text;
		}
		if (job->failed_at < 0)
			continue;
		snprintf(text, room, "call %d gave %ld (%s)", job->failed_at, job->failed_rc,
			 job->failed_rc < 0 ? strerrorname_np((int)-job->failed_rc) : "success");
		return text;
	}
	return NULL;
}

static void show(const char *name, int error, const char *reason)
{
	printf("%sok %s%s%s%s%s\n", reason ? "not " : "", name, error ? "!" : "",
	       error ? strerrorname_np(error) : "", reason ? ": " : "", reason ? reason : "");
}

int run_case(const struct run *run, const struct opcase *c, int error)
{
	static struct tally before[MAX_WATCH], after[MAX_WATCH];
	struct job *jobs = calloc((size_t)run->threads, sizeof(*jobs));
	int home = open(run->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pthread_barrier_t barrier;
	struct tally did = {0};
	char text[128];
	const char *reason;
	int err = 0, bad = 0;

	if (!jobs || home < 0 || run->n_watch > MAX_WATCH || run->threads > MAX_THREADS) {
		fprintf(stderr, "%s: %s\n", run->dir, strerror(errno));
		free(jobs);
		return -EINVAL;
	}
	pthread_barrier_init(&barrier, NULL, (unsigned int)run->threads + 1);
	for (int i = 0; i < run->threads; i++) {
		jobs[i].barrier = &barrier;
		jobs[i].failed_at = -1;
		jobs[i].worker = (struct worker){.c = c,
						 .index = i,
						 .count = run->count,
						 .size = run->size,
						 .uid = run->uid,
						 .home = home,
						 .hidden_errno = error};
		/* nothing works without the thread: the barrier counts on it */
		if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]))
			abort();
	}
	pthread_barrier_wait(&barrier);
	if (c->flags & CASE_DROP_CACHES)
		drop_caches();
	err = read_all(run, before);
	if (!err && error)
		err = inject(run, c->symbol, error);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	if (error)
		inject(run, NULL, 0);
	if (!err)
		err = read_all(run, after);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < run->threads; i++) {
		pthread_join(jobs[i].thread, NULL);
		tally_add(&did, &jobs[i].worker.did);
	}
	pthread_barrier_destroy(&barrier);
	close(home);
	reason = reason_of(jobs, run->threads, text, sizeof(text));
	if (!err && !reason)
		bad = judge(run, c, &did, before, after);
	if (bad)
		reason = "counts differ";
	if (err)
		reason = "counts could not be read or error not injected";
	show(c->name, error, reason);
	free(jobs);
	return reason != NULL;
}
