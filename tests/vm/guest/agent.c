// SPDX-License-Identifier: Apache-2.0
/*
 * Process 1 of the test guest: runs the setup script and then the command,
 * hands their output and the kernel's log to the host, each through a
 * virtio-serial port of its own, reports how it ended and stops the machine.
 *
 * Relies on guest/init, and on tests/vm/run having put into /run/vm:
 *   setup, argv, env   strings, each ended by a NUL; setup may be empty
 *   cwd                the directory to run in
 * Output passes through pipes, not straight to the port: a port opens only
 * once, and commands do open /dev/stderr. What daemons that outlive the command
 * still hold is not waited for.
 *
 * The status port carries lines: "up", "start" when the command starts, then
 * "exit N", or "harness TEXT" if it never got that far.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOB_DIR	   "/run/vm/"
#define PORT	   "/dev/vport0p"
#define KMSG_BATCH 1000 /* records in one go, so that a flood does not hold up the rest */

enum { SOURCE_OUT, SOURCE_ERR, SOURCE_KMSG, SOURCE_SIGNAL, SOURCE_COUNT };

struct agent {
	struct pollfd source[SOURCE_COUNT];
	int port[SOURCE_SIGNAL]; /* where each source but the signals goes */
	int status;		 /* the status port */
	int pipe_out, pipe_err;	 /* the ends that children write to */
};

static void report(struct agent *agent, const char *what, const char *detail)
{
	dprintf(agent->status, "%s%s\n", what, detail);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= n;
	}
	return 0;
}

/* A record of /dev/kmsg, "priority,sequence,microseconds,flags;text\n", the way dmesg shows it. */
static void relay_kmsg(struct agent *agent)
{
	char record[8192], line[9000];
	int i;

	for (i = 0; i < KMSG_BATCH; i++) {
		ssize_t n = read(agent->source[SOURCE_KMSG].fd, record, sizeof(record) - 1);
		unsigned long long usec;
		char *text;
		int len;

		if (n < 0 && errno == EPIPE) /* records were overwritten: go on behind them */
			continue;
		if (n <= 0)
			return;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%*u,%*u,%llu", &usec) != 1)
			continue;
		text[1 + strcspn(text + 1, "\n")] = '\0'; /* the dictionary that may follow */
		len = snprintf(line, sizeof(line), "[%5llu.%06llu] %s\n", usec / 1000000,
			       usec % 1000000, text + 1);
		write_all(agent->port[SOURCE_KMSG], line, len);
	}
}

/* What is there now, and no more: somebody may write for ever. */
static void relay_pipe(struct agent *agent, int source)
{
	int fd = agent->source[source].fd;
	char data[65536];
	int left = 0;

	ioctl(fd, FIONREAD, &left);
	while (left > 0) {
		ssize_t n = read(fd, data, left < (int)sizeof(data) ? (size_t)left : sizeof(data));

		if (n <= 0)
			break;
		write_all(agent->port[source], data, n);
		left -= n;
	}
}

static void relay(struct agent *agent)
{
	relay_pipe(agent, SOURCE_OUT);
	relay_pipe(agent, SOURCE_ERR);
	relay_kmsg(agent);
}

/* The strings of a job file as an array for exec, or NULL; lives until the end. */
static char **load_strings(const char *path)
{
	char *data = NULL, **strings = NULL;
	size_t size = 0, count = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return NULL;
	for (;;) {
		char *string = NULL;

		if (getdelim(&data, &size, '\0', file) <= 0)
			break;
		string = strdup(data);
		strings = reallocarray(strings, count + 2, sizeof(*strings));
		if (!string || !strings)
			return NULL;
		strings[count++] = string;
		strings[count] = NULL;
	}
	free(data);
	fclose(file);
	return strings;
}

/* In the child: never returns. */
static void run_child(struct agent *agent, char **argv, char **env, int out)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(agent->pipe_err, STDERR_FILENO);
	execvpe(argv[0], argv, env);
	fprintf(stderr, "vm: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Run to its end, with out as its standard output, passing output on. Returns the exit status as a
 * shell would, or -errno. */
static int run(struct agent *agent, char **argv, char **env, int out)
{
	struct signalfd_siginfo info;
	int status, result = -ECHILD;
	pid_t pid, child = fork();

	if (child < 0)
		return -errno;
	if (child == 0)
		run_child(agent, argv, env, out);

	while (result < 0) {
		if (poll(agent->source, SOURCE_COUNT, -1) < 0 && errno != EINTR)
			return -errno;
		/* Reap first: what a child wrote before it ended is then in the pipe. */
		while (read(agent->source[SOURCE_SIGNAL].fd, &info, sizeof(info)) > 0)
			;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (pid != child)
				continue;
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
		relay(agent);
	}
	return result;
}

static int open_pipe(struct agent *agent, int source, int *write_end)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) || fcntl(fds[0], F_SETFL, O_NONBLOCK))
		return -errno;
	agent->source[source].fd = fds[0];
	*write_end = fds[1];
	return 0;
}

static int prepare(struct agent *agent)
{
	sigset_t child_ended;
	int i;

	agent->status = open(PORT "3", O_WRONLY | O_CLOEXEC);
	agent->port[SOURCE_OUT] = open(PORT "1", O_WRONLY | O_CLOEXEC);
	agent->port[SOURCE_ERR] = open(PORT "2", O_WRONLY | O_CLOEXEC);
	agent->port[SOURCE_KMSG] = open(PORT "4", O_WRONLY | O_CLOEXEC);
	if (agent->status < 0 || agent->port[SOURCE_OUT] < 0 || agent->port[SOURCE_ERR] < 0 ||
	    agent->port[SOURCE_KMSG] < 0)
		return -ENODEV;

	sigemptyset(&child_ended);
	sigaddset(&child_ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ended, NULL);
	agent->source[SOURCE_SIGNAL].fd = signalfd(-1, &child_ended, SFD_NONBLOCK | SFD_CLOEXEC);
	agent->source[SOURCE_KMSG].fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (agent->source[SOURCE_SIGNAL].fd < 0 || agent->source[SOURCE_KMSG].fd < 0 ||
	    open_pipe(agent, SOURCE_OUT, &agent->pipe_out) ||
	    open_pipe(agent, SOURCE_ERR, &agent->pipe_err))
		return -ENODEV;

	for (i = 0; i < SOURCE_COUNT; i++)
		agent->source[i].events = POLLIN;
	return 0;
}

static void run_job(struct agent *agent)
{
	char **setup = load_strings(JOB_DIR "setup");
	char **argv = load_strings(JOB_DIR "argv");
	char **env = load_strings(JOB_DIR "env");
	char **cwd = load_strings(JOB_DIR "cwd");
	char number[16];
	int result;

	if (!argv || !env || !cwd) {
		report(agent, "harness ", "the job cannot be read");
		return;
	}
	if (chdir(cwd[0])) {
		report(agent, "harness there is no such directory in the guest: ", cwd[0]);
		return;
	}
	report(agent, "up", "");
	result = setup ? run(agent, setup, env, agent->pipe_err) : 0;
	if (result) {
		report(agent, "harness the setup failed: ", setup[0]);
		return;
	}
	report(agent, "start", "");
	result = run(agent, argv, env, agent->pipe_out);
	snprintf(number, sizeof(number), "%d", result);
	report(agent, result < 0 ? "harness cannot run the command: errno " : "exit ", number);
}

int main(void)
{
	struct agent agent = {0};

	if (prepare(&agent) == 0) {
		run_job(&agent);
		relay(&agent);
	} else if (agent.status >= 0) {
		report(&agent, "harness ", "the agent cannot open its ports");
	}
	/* No sync(): it would wait for a file system that hangs. */
	reboot(RB_AUTOBOOT);
	return 1;
}
