// SPDX-License-Identifier: Apache-2.0
/*
 * hammer: many processes and threads at work at once, for some time or for a
 * number of rounds, and an exact account of what they did.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "source.h"
#include "tally.h"

#define MAX_UIDS    64
#define MAX_WATCH   4
#define SMALL_STACK (64 * 1024)
#define BLOCK	    4096

struct worker;

struct kind {
	const char *name;
	int (*round)(struct worker *w, unsigned long i); /* 0 or -errno */
	op_mask exact;
};

struct settings {
	const char *dir;
	const char *name; /* prefix of the processes' names, NULL: as it is */
	const struct kind *kind;
	int processes, threads;
	unsigned long rounds; /* 0: until the time is over */
	unsigned int seconds;
	uid_t uids[MAX_UIDS];
	int n_uids;
	bool rename;
	const char *watch[MAX_WATCH];
	int n_watch;
};

struct worker {
	const struct settings *s;
	int process, thread;
	int home; /* directory of all */
	int dir;  /* of this thread */
	int fd;	  /* "f" in it, of one block */
	char *buf;
	struct tally did;
};

/* What parent and children share. */
struct shared {
	int go[2]; /* pipes: closed by the parent, and only by it, when it is time */
	int end[2];
	atomic_int ready; /* threads that are prepared, and not done */
	atomic_int stop;
	atomic_int failed;
	pthread_mutex_t lock; /* for did */
	struct tally did;
};

static struct shared *shared; /* mapped before the first fork */

static int did(struct worker *w, enum op_id op, long rc)
{
	long result = rc < 0 ? -errno : rc;

	tally_record(&w->did, op, result);
	return rc < 0 ? (int)result : 0;
}

/* A file's life: every step is an operation of its own, some fail on purpose. */
static int round_mixed(struct worker *w, unsigned long i)
{
	char name[32], other[32];
	size_t size = 1 + i * 97 % BLOCK;
	struct stat st;
	int fd, err;

	snprintf(name, sizeof(name), "n%lu", i);
	snprintf(other, sizeof(other), "m%lu", i);
	fd = openat(w->dir, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
	err = did(w, OP_OPEN, fd);
	if (err)
		return err;
	did(w, OP_CREATE, 0);
	err = did(w, OP_WRITE, pwrite(fd, w->buf, size, 0));
	if (!err)
		err = did(w, OP_READ, pread(fd, w->buf, BLOCK, 0));
	if (!err)
		err = did(w, OP_READ, pread(fd, w->buf, BLOCK, BLOCK)); /* behind the end */
	if (!err)
		err = did(w, OP_GETATTR, fstat(fd, &st));
	if (!err && i % 16 == 0)
		err = did(w, OP_FSYNC, fsync(fd));
	did(w, OP_CLOSE, close(fd));
	if (!err)
		err = did(w, OP_RENAME, renameat(w->dir, name, w->dir, other));
	if (!err)
		err = did(w, OP_SETATTR, fchmodat(w->dir, other, 0600, 0));
	if (!err)
		err = did(w, OP_UNLINK, unlinkat(w->dir, other, 0));
	if (!err)
		err = did(w, OP_MKDIR, mkdirat(w->dir, name, 0755));
	if (!err)
		err = did(w, OP_RMDIR, unlinkat(w->dir, name, AT_REMOVEDIR));
	if (err)
		return err;
	if (did(w, OP_OPEN, openat(w->dir, other + 1, O_RDONLY | O_CLOEXEC)) != -ENOENT)
		return -EBADE;
	return 0;
}

static int round_read(struct worker *w, unsigned long i)
{
	return did(w, OP_READ, pread(w->fd, w->buf, BLOCK, 0));
}

static int round_fsync(struct worker *w, unsigned long i)
{
	return did(w, OP_FSYNC, fsync(w->fd));
}

static int round_stat(struct worker *w, unsigned long i)
{
	struct stat st;

	return did(w, OP_GETATTR, fstatat(w->dir, "f", &st, 0));
}

/* As many names as rounds; the name of the process is that of its first thread. */
static int round_names(struct worker *w, unsigned long i)
{
	char name[16];

	snprintf(name, sizeof(name), "n%d.%lu", w->process, i % 1000000000);
	prctl(PR_SET_NAME, name);
	return round_read(w, i);
}

/* A process that does one stat and is gone. */
static int round_short(struct worker *w, unsigned long i)
{
	struct stat st;
	int status;
	pid_t pid = _Fork();

	if (!pid)
		_exit(fstatat(w->dir, "f", &st, 0) ? 1 : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	if (status)
		return -ECHILD;
	tally_record(&w->did, OP_GETATTR, 0);
	return 0;
}

#define MIXED_OPS                                                                            \
	(OP_BIT(OPEN) | OP_BIT(CREATE) | OP_BIT(WRITE) | OP_BIT(READ) | OP_BIT(GETATTR) |    \
	 OP_BIT(FSYNC) | OP_BIT(CLOSE) | OP_BIT(RENAME) | OP_BIT(SETATTR) | OP_BIT(UNLINK) | \
	 OP_BIT(MKDIR) | OP_BIT(RMDIR))

static const struct kind kinds[] = {
	{"mixed", round_mixed, MIXED_OPS},     {"read", round_read, OP_BIT(READ)},
	{"names", round_names, OP_BIT(READ)},  {"fsync", round_fsync, OP_BIT(FSYNC)},
	{"stat", round_stat, OP_BIT(GETATTR)}, {"short", round_short, OP_BIT(GETATTR)},
};

static int prepare(struct worker *w)
{
	char name[32];

	w->buf = malloc(BLOCK);
	snprintf(name, sizeof(name), "hammer.%d.%d", w->process, w->thread);
	if (!w->buf || (mkdirat(w->home, name, 0755) < 0 && errno != EEXIST))
		return -errno;
	memset(w->buf, 'h', BLOCK);
	w->dir = openat(w->home, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0)
		return -errno;
	w->fd = openat(w->dir, "f", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	if (w->fd < 0 || pwrite(w->fd, w->buf, BLOCK, 0) != BLOCK)
		return -errno;
	return 0;
}

static void clean(struct worker *w)
{
	char name[32];

	snprintf(name, sizeof(name), "hammer.%d.%d", w->process, w->thread);
	close(w->fd);
	unlinkat(w->dir, "f", 0);
	close(w->dir);
	unlinkat(w->home, name, AT_REMOVEDIR);
	free(w->buf);
}

/* Thousands may wait: they must not poll. */
static void wait_for(const int *gate)
{
	char none;

	while (read(gate[0], &none, 1) < 0 && errno == EINTR)
		;
}

static void rename_self(const struct worker *w, unsigned long i)
{
	char name[16];

	snprintf(name, sizeof(name), "hammer-%d.%lu", w->process, i / 64 % 8);
	prctl(PR_SET_NAME, name);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct settings *s = w->s;
	int err;

	if (s->n_uids)
		setfsuid(s->uids[w->process % s->n_uids]);
	err = prepare(w);
	atomic_fetch_add(&shared->ready, 1);
	wait_for(shared->go);
	for (unsigned long i = 0; !err; i++) {
		if (s->rounds ? i == s->rounds : atomic_load(&shared->stop))
			break;
		if (s->rename && i % 64 == 0)
			rename_self(w, i);
		err = s->kind->round(w, i);
	}
	if (err) {
		fprintf(stderr, "hammer: process %d thread %d: %s\n", w->process, w->thread,
			strerror(-err));
		atomic_fetch_add(&shared->failed, 1);
	}
	pthread_mutex_lock(&shared->lock);
	tally_add(&shared->did, &w->did);
	pthread_mutex_unlock(&shared->lock);
	return NULL;
}

/* The process's first thread works, too: it is the one that gives the process its name. */
static int child(const struct settings *s, int process, int home)
{
	struct worker *workers = calloc((size_t)s->threads, sizeof(*workers));
	pthread_t *ids = calloc((size_t)s->threads, sizeof(*ids));
	pthread_attr_t attr;
	char name[24];

	if (!workers || !ids)
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(shared->go[1]);
	close(shared->end[1]);
	if (s->name) {
		snprintf(name, sizeof(name), "%.10s-%d", s->name, process);
		prctl(PR_SET_NAME, name);
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	for (int t = 0; t < s->threads; t++) {
		workers[t] = (struct worker){.s = s, .process = process, .thread = t, .home = home};
		if (t && pthread_create(&ids[t], &attr, work, &workers[t])) {
			fprintf(stderr, "hammer: thread %d: %s\n", t, strerror(errno));
			abort();
		}
	}
	work(&workers[0]);
	for (int t = 1; t < s->threads; t++)
		pthread_join(ids[t], NULL);
	/* the account is complete; the parent reads the counts before the directories go */
	atomic_fetch_sub(&shared->ready, s->threads);
	wait_for(shared->end);
	for (int t = 0; t < s->threads; t++)
		clean(&workers[t]);
	return 0;
}

static int read_counts(const struct settings *s, struct tally *tallies)
{
	for (int i = 0; i < s->n_watch; i++) {
		int err = tally_read(&tallies[i], s->watch[i]);

		if (err)
			return err;
	}
	return 0;
}

static int judge(const struct settings *s, const struct tally *before, const struct tally *after)
{
	static struct tally delta[MAX_WATCH];
	int bad = 0;

	for (int i = 0; i < s->n_watch; i++) {
		bad += tally_delta(&delta[i], &after[i], &before[i]);
		bad += tally_compare(s->watch[i], &delta[i], &shared->did, s->kind->exact);
		if (i)
			bad += tally_compare(s->watch[i], &delta[i], &delta[0], op_mask_default());
	}
	return bad;
}

/* Waits until that many threads are ready. False: a process died meanwhile. */
static bool all_ready(int threads)
{
	int status;

	while (atomic_load(&shared->ready) != threads) {
		if (waitpid(-1, &status, WNOHANG) != 0)
			return false;
		usleep(1000);
	}
	return true;
}

/* NULL, or why it cannot be called a success. */
static const char *hammer(const struct settings *s, int home)
{
	static struct tally before[MAX_WATCH], after[MAX_WATCH];
	int threads = s->processes * s->threads, err, status;
	bool died = false;

	for (int p = 0; p < s->processes; p++) {
		pid_t pid = fork();

		if (!pid)
			_exit(child(s, p, home));
		if (pid < 0)
			return "fork failed";
	}
	if (!all_ready(threads))
		return "a process died";
	err = read_counts(s, before);
	close(shared->go[1]);
	if (!s->rounds) {
		sleep(s->seconds);
		atomic_store(&shared->stop, 1);
	}
	if (!all_ready(0))
		return "a process died";
	if (!err)
		err = read_counts(s, after);
	close(shared->end[1]);
	while (wait(&status) > 0)
		died |= status != 0;
	if (err)
		return "counts could not be read";
	if (died || atomic_load(&shared->failed))
		return "a worker failed";
	return judge(s, before, after) ? "counts differ" : NULL;
}

static const char usage_text[] =
	"usage: hammer --dir DIR [OPTION]...\n"
	"  --processes P, --threads T    (4, 8)\n"
	"  --seconds S | --rounds N      how long, or how often each thread (--seconds 5)\n"
	"  --work KIND                   mixed, read, names, fsync, stat, short (mixed)\n"
	"  --uids UID,...                the processes' users, in turn\n"
	"  --name NAME                   the processes are called NAME-0, NAME-1, ...\n"
	"  --rename                      threads change their name all the time\n"
	"  --watch SOURCE                compares with a scrape's URL or the simulated client's "
	"counts\n"
	"Prints what was done and 'ok hammer' or 'not ok hammer: reason'.\n";

static int parse_uids(struct settings *s, char *list)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		if (s->n_uids == MAX_UIDS)
			return -EINVAL;
		s->uids[s->n_uids++] = (uid_t)strtoul(word, NULL, 10);
	}
	return 0;
}

static int parse_kind(struct settings *s, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		s->kind = &kinds[i];
		return 0;
	}
	return -EINVAL;
}

static int parse(struct settings *s, int argc, char **argv)
{
	static const struct option longs[] = {
		{"dir", required_argument, NULL, 'd'},
		{"processes", required_argument, NULL, 'p'},
		{"threads", required_argument, NULL, 't'},
		{"seconds", required_argument, NULL, 's'},
		{"rounds", required_argument, NULL, 'r'},
		{"work", required_argument, NULL, 'k'},
		{"uids", required_argument, NULL, 'u'},
		{"name", required_argument, NULL, 'n'},
		{"rename", no_argument, NULL, 'R'},
		{"watch", required_argument, NULL, 'w'},
		{0},
	};
	int option, err = 0;

	while (!err && (option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (option) {
		case 'd':
			s->dir = optarg;
			break;
		case 'p':
			s->processes = atoi(optarg);
			break;
		case 't':
			s->threads = atoi(optarg);
			break;
		case 's':
			s->seconds = (unsigned int)atoi(optarg);
			break;
		case 'r':
			s->rounds = strtoul(optarg, NULL, 10);
			break;
		case 'k':
			err = parse_kind(s, optarg);
			break;
		case 'u':
			err = parse_uids(s, optarg);
			break;
		case 'n':
			s->name = optarg;
			break;
		case 'R':
			s->rename = true;
			break;
		case 'w':
			if (s->n_watch == MAX_WATCH)
				return -EINVAL;
			s->watch[s->n_watch++] = optarg;
			break;
		default:
			err = -EINVAL;
		}
	}
	if (!s->dir || s->processes < 1 || s->threads < 1 || optind < argc)
		return -EINVAL;
	return err;
}

static int map_shared(void)
{
	pthread_mutexattr_t attr;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return -errno;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
	return pipe2(shared->go, O_CLOEXEC) < 0 || pipe2(shared->end, O_CLOEXEC) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	struct settings s = {.processes = 4, .threads = 8, .seconds = 5, .kind = &kinds[0]};
	struct rlimit files = {65536, 65536}; /* two for each thread */
	const char *reason;
	int home;

	if (parse(&s, argc, argv)) {
		fputs(usage_text, stderr);
		return 2;
	}
	umask(022);
	if (setrlimit(RLIMIT_NOFILE, &files) < 0 && s.threads > 400)
		perror("RLIMIT_NOFILE");
	setvbuf(stdout, NULL, _IOLBF, 0);
	home = open(s.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (home < 0 || map_shared()) {
		fprintf(stderr, "%s: %s\n", s.dir, strerror(errno));
		return 2;
	}
	reason = hammer(&s, home);
	tally_print(&shared->did);
	printf("%sok hammer%s%s\n", reason ? "not " : "", reason ? ": " : "", reason ? reason : "");
	close(home);
	return reason ? 1 : 0;
}
