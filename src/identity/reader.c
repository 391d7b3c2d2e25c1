// SPDX-License-Identifier: Apache-2.0
/*
 * The threads of the reading process share one socket of messages: each takes
 * a question, reads, and answers. It ends with the socket's other side, and with
 * it the threads that are stuck.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "identity/reader.h"

struct reader {
	pid_t pid;
	int socket;
};

struct question {
	uint64_t question;
	struct lasting_id process;
};

struct serving {
	int socket;
	const char *procfs;
};

/* Until the other side is gone. */
static void *serve(void *arg)
{
	const struct serving *s = arg;
	struct question q;
	ssize_t n;

	for (;;) {
		struct reader_answer a = {};

		n = recv(s->socket, &q, sizeof(q), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(q))
			return NULL;
		a.question = q.question;
		a.error = read_environ(s->procfs, &q.process, &a.environ);
		if (send(s->socket, &a, sizeof(a), MSG_NOSIGNAL) < 0)
			return NULL;
	}
}

static void run(int socket, const char *procfs)
{
	struct serving serving = {.socket = socket, .procfs = procfs};
	pthread_t thread;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_NAME, "lustre-ebpf-rd");
	/* Everything else but the standard descriptors is the serving process's. */
	if (socket > 3)
		syscall(SYS_close_range, 3, socket - 1, 0);
	syscall(SYS_close_range, socket + 1, ~0U, 0);
	for (int i = 1; i < READER_THREADS; i++)
		if (!pthread_create(&thread, NULL, serve, &serving))
			pthread_detach(thread);
	serve(&serving);
}

int reader_start(struct reader **result, const char *procfs)
{
	struct reader *r = calloc(1, sizeof(*r));
	int pair[2], err;

	if (!r)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		free(r);
		return err;
	}
	r->pid = fork();
	if (r->pid == 0) {
		close(pair[0]);
		run(pair[1], procfs);
		_exit(0);
	}
	err = r->pid < 0 ? -errno : 0;
	close(pair[1]);
	r->socket = pair[0];
	if (err) {
		close(pair[0]);
		free(r);
		return err;
	}
	*result = r;
	return 0;
}

int reader_fd(const struct reader *r)
{
	return r->socket;
}

int reader_ask(struct reader *r, uint64_t question, const struct lasting_id *process)
{
	struct question q = {.question = question, .process = *process};

	return send(r->socket, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int reader_take(struct reader *r, struct reader_answer *answer)
{
	ssize_t n = recv(r->socket, answer, sizeof(*answer), MSG_DONTWAIT);

	if (n == sizeof(*answer))
		return 1;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n < 0 ? -errno : -EPIPE;
}

void reader_stop(struct reader *r)
{
	if (!r)
		return;
	close(r->socket);
	/* Not waited for: a thread that is stuck in the kernel holds its process. */
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, WNOHANG);
	free(r);
}
