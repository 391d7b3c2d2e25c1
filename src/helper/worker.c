// SPDX-License-Identifier: Apache-2.0
/*
 * The helper process. It keeps no descriptor of an attached probe: the serving
 * process holds them. When the channel ends, for whatever reason, it removes
 * the definitions in tracefs, which would outlive both, and ends.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "helper/channel.h"
#include "helper/worker.h"
#include "util/log.h"

struct worker {
	int channel;
	bool ended; /* the serving process is gone */
	struct object *object;
	struct probes *probes;
};

/* Everything but the standard descriptors and the channel belongs to the serving process. */
static void close_inherited(int channel)
{
	if (channel > 3)
		syscall(SYS_close_range, 3, channel - 1, 0);
	syscall(SYS_close_range, channel + 1, ~0U, 0);
}

static int send_hold(void *ctx, unsigned int slot, int fd)
{
	struct worker *w = ctx;
	struct message msg = {.type = MSG_HOLD, .index = slot};
	int err = w->ended ? -EPIPE : channel_send(w->channel, &msg, fd);

	close(fd);
	return err;
}

static int send_drop(void *ctx, unsigned int slot)
{
	struct worker *w = ctx;
	struct message msg = {.type = MSG_DROP, .index = slot}, reply;
	int fd, n;

	/* With the serving process its descriptors are gone too. */
	if (w->ended)
		return 0;
	if (channel_send(w->channel, &msg, -1)) {
		w->ended = true;
		return 0;
	}
	do {
		n = channel_receive(w->channel, &reply, &fd);
	} while (n > 0 && (reply.type != MSG_DROPPED || reply.index != slot));
	if (n <= 0)
		w->ended = true;
	return 0;
}

/* The kernel announces modules on this socket; -1 if it cannot be had: then time does it. */
static int open_uevents(void)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void drain_uevents(int fd)
{
	char buf[4096];

	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
}

/* What libbpf has to say is for whoever looks for a fault; the outcome is in our own words. */
static int log_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[1024];

	if (level == LIBBPF_DEBUG || !log_enabled(LOG_LEVEL_DEBUG))
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	log_kv(LOG_LEVEL_DEBUG, "libbpf", LOG_S("text", line));
	return 0;
}

static int send_maps(struct worker *w)
{
	for (int map = 0; map < OBJECT_MAPS; map++) {
		struct message msg = {.type = MSG_MAP, .index = map};
		int fd = object_map_fd(w->object, map), err;

		/* The helper's own business, or not there. */
		if (map == MAP_ACTIVE_FORM || map == MAP_RPC_LAYOUT || fd < 0)
			continue;
		snprintf(msg.text, sizeof(msg.text), "%u", object_cells(w->object));
		err = channel_send(w->channel, &msg, fd);
		if (err)
			return err;
	}
	return 0;
}

static int start(struct worker *w, const struct helper_options *options,
		 struct probe_report *report, char *err, size_t errlen)
{
	struct probe_holder holder = {.hold = send_hold, .drop = send_drop, .ctx = w};
	int e;

	e = object_open(&w->object, &options->object, err, errlen);
	if (!e)
		e = send_maps(w);
	if (!e)
		e = probes_open(&w->probes, w->object, &options->attach, &holder, report, err,
				errlen);
	if (!e)
		e = probes_update(w->probes, err, errlen);
	return e;
}

static void watch(struct worker *w, const struct helper_options *options)
{
	struct pollfd fds[] = {
		{.fd = w->channel, .events = POLLIN},
		{.fd = open_uevents(), .events = POLLIN},
	};
	unsigned int seconds = 0;
	char err[256];

	while (!w->ended) {
		int n = poll(fds, 2, 1000);

		if (n < 0 && errno != EINTR)
			break;
		/* The serving process says nothing unasked but good-bye. */
		if (fds[0].revents)
			break;
		if (fds[1].revents)
			drain_uevents(fds[1].fd);
		probes_update(w->probes, err, sizeof(err));
		if (!n && ++seconds >= options->interval) {
			probes_read_missed(w->probes);
			seconds = 0;
		}
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
}

/* The serving process lets go of the probes before it lets go of the channel. */
static void await_end(struct worker *w)
{
	struct message msg;
	int fd;

	while (!w->ended && channel_receive(w->channel, &msg, &fd) > 0)
		if (fd >= 0)
			close(fd);
	w->ended = true;
}

int worker_run(int channel, const struct helper_options *options, struct probe_report *report)
{
	struct worker w = {.channel = channel};
	struct message msg = {.type = MSG_READY};
	sigset_t none;
	int err;

	/* A signal to the group is the serving process' affair: its end is ours. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "lustre-ebpf-hlp");
	close_inherited(channel);
	libbpf_set_print(log_libbpf);

	for (int fn = 0; fn < FN_MAX; fn++)
		report->row[fn].wanted = options->object.wanted[fn];
	err = start(&w, options, report, msg.text, sizeof(msg.text));
	if (err) {
		msg.type = MSG_FAILED;
		if (!msg.text[0])
			snprintf(msg.text, sizeof(msg.text), "cannot start: %s", strerror(-err));
	}
	if (channel_send(channel, &msg, -1))
		w.ended = true;
	if (!err)
		watch(&w, options);
	await_end(&w);
	probes_close(w.probes);
	object_close(w.object);
	close(channel);
	return err ? 1 : 0;
}
