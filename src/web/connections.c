// SPDX-License-Identifier: Apache-2.0
/* Deadlines and the limit of connections, see connections.h. */
#include "web/connections.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

const struct web_limits web_default_limits = {
	.connections = 256,
	.request_ms = 10000,
	.idle_ms = 150000, /* longer than scrape intervals are */
	.response_ms = 60000,
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static void enter(struct connections *cs, struct connection *c, enum phase phase,
		  unsigned int within_ms)
{
	const unsigned int limit[] = {
		[PHASE_REQUEST] = cs->limits.request_ms,
		[PHASE_IDLE] = cs->limits.idle_ms,
		[PHASE_RESPONSE] = cs->limits.response_ms,
	};
	unsigned int ms = limit[phase];

	if (within_ms && within_ms < ms)
		ms = within_ms;
	c->phase = phase;
	c->pass = 0;
	c->since_ms = now_ms();
	if (c->deadline_ms != UINT64_MAX)
		c->deadline_ms = c->since_ms + ms;
}

/* The library sees the end of the connection and closes it in its own time. */
static void end(struct connection *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->deadline_ms = UINT64_MAX;
}

/* With the lock held. */
static void unlink_connection(struct connections *cs, struct connection *c)
{
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	close(c->fd);
	free(c);
}

/* With the lock held. */
static struct connection *find_unclaimed(struct connections *cs, int fd)
{
	for (struct connection *c = cs->list; c; c = c->next)
		if (c->library_fd == fd)
			return c;
	return NULL;
}

void connections_init(struct connections *cs, const struct web_limits *limits)
{
	*cs = (struct connections){.limits = *limits};
	pthread_mutex_init(&cs->lock, NULL);
}

void connections_destroy(struct connections *cs)
{
	while (cs->list)
		unlink_connection(cs, cs->list);
	pthread_mutex_destroy(&cs->lock);
}

bool connection_open(struct connections *cs, int fd)
{
	struct connection *c = calloc(1, sizeof(*c)), *stale;

	if (!c)
		return false;
	c->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (c->fd < 0) {
		free(c);
		return false;
	}
	c->library_fd = fd;
	pthread_mutex_lock(&cs->lock);
	/* The library closed that descriptor without a word: it could not begin. */
	stale = find_unclaimed(cs, fd);
	if (stale)
		unlink_connection(cs, stale);
	enter(cs, c, PHASE_REQUEST, 0);
	c->next = cs->list;
	c->prev = &cs->list;
	if (c->next)
		c->next->prev = &c->next;
	cs->list = c;
	pthread_mutex_unlock(&cs->lock);
	return true;
}

struct connection *connection_claim(struct connections *cs, int fd)
{
	struct connection *c;

	pthread_mutex_lock(&cs->lock);
	c = find_unclaimed(cs, fd);
	if (c)
		c->library_fd = -1;
	pthread_mutex_unlock(&cs->lock);
	return c;
}

void connection_close(struct connections *cs, struct connection *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&cs->lock);
	unlink_connection(cs, c);
	pthread_mutex_unlock(&cs->lock);
}

void connection_enter(struct connections *cs, struct connection *c, enum phase phase,
		      unsigned int within_ms)
{
	if (!c)
		return;
	pthread_mutex_lock(&cs->lock);
	enter(cs, c, phase, within_ms);
	pthread_mutex_unlock(&cs->lock);
}

void connection_hold(struct connections *cs, struct connection *c, uint64_t pass)
{
	if (!c)
		return;
	pthread_mutex_lock(&cs->lock);
	c->pass = pass;
	pthread_mutex_unlock(&cs->lock);
}

/* The newest pass older than below that is held by who was not sent away; 0: none. */
static uint64_t pass_below(const struct connections *cs, uint64_t below)
{
	uint64_t pass = 0;

	for (const struct connection *c = cs->list; c; c = c->next)
		if (c->deadline_ms != UINT64_MAX && c->pass < below && c->pass > pass)
			pass = c->pass;
	return pass;
}

void connections_shed(struct connections *cs)
{
	uint64_t oldest = UINT64_MAX;

	pthread_mutex_lock(&cs->lock);
	for (int i = 0; i < SNAPSHOTS_MAX && oldest; i++)
		oldest = pass_below(cs, oldest);
	for (struct connection *c = cs->list; c && oldest; c = c->next)
		if (c->deadline_ms != UINT64_MAX && c->pass && c->pass < oldest)
			end(c);
	pthread_mutex_unlock(&cs->lock);
}

void connections_tick(struct connections *cs)
{
	uint64_t now = now_ms();

	pthread_mutex_lock(&cs->lock);
	for (struct connection *c = cs->list; c; c = c->next)
		if (c->deadline_ms <= now)
			end(c);
	pthread_mutex_unlock(&cs->lock);
}

void connections_make_room(struct connections *cs)
{
	struct connection *victim = NULL;
	unsigned int open = 0;

	pthread_mutex_lock(&cs->lock);
	for (struct connection *c = cs->list; c; c = c->next) {
		if (c->deadline_ms == UINT64_MAX)
			continue;
		open++;
		if (!victim || c->phase < victim->phase ||
		    (c->phase == victim->phase && c->since_ms <= victim->since_ms))
			victim = c;
	}
	if (victim && open >= cs->limits.connections)
		end(victim);
	pthread_mutex_unlock(&cs->lock);
}
