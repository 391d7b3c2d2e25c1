// SPDX-License-Identifier: GPL-2.0
/* Requests: who made them, how many, and what the servers do to them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "selftest/check.h"
#include "selftest/suites.h"

#define MIB (1 << 20)

/* Columns behind the instance. */
enum { RPC_COMPLETED = 2, RPC_BYTES = 3, RPC_TIMEOUT = 4, RPC_IO = 8, RPC_SENT = 11 };
enum { OWNER_STARTED = 3, OWNER_COMPLETED, OWNER_BYTES, OWNER_WAITS, OWNER_WAIT_ERRORS };
enum { EVENT_COUNT = 2 };

static uint64_t events(const char *target, const char *event)
{
	char words[64];

	snprintf(words, sizeof(words), "%s %s", target, event);
	return sim_sum("rpc_events", words, EVENT_COUNT);
}

/* The checks here compare requests; the operations are others' business. */
static void end(const char *name)
{
	check_end_requests(name);
}

static void begin(void)
{
	sim_write("reset", "1");
	check_begin();
}

/* Answered requests leave the threads a moment later. */
static bool all_completed(void)
{
	for (int i = 0; i < 500; i++) {
		if (sim_sum("rpc_owners", "", OWNER_STARTED) ==
		    sim_sum("rpc_owners", "", OWNER_COMPLETED))
			return true;
		usleep(20000);
	}
	return false;
}

static char *name(int i)
{
	static char text[32];

	snprintf(text, sizeof(text), "rpc%d", i);
	return text;
}

static void metadata(void)
{
	must(mkdir("open", 0777) == 0 && chmod("open", 0777) == 0 && chdir("open") == 0);
	begin();
	setfsuid(1000);
	for (int i = 0; i < N; i++)
		must(mkdir(name(i), 0755) == 0);
	setfsuid(0);
	must(sim_sum("rpcs", "MDT0000 36", RPC_COMPLETED) == N);
	must(sim_sum("rpcs", "MDT0000 36", RPC_SENT) == N);
	must(sim_sum("rpc_owners", "36 1000 selftest", OWNER_STARTED) == N);
	must(sim_sum("rpc_owners", "36 1000 selftest", OWNER_COMPLETED) == N);
	must(sim_sum("rpc_owners", "36 1000 selftest", OWNER_WAITS) == N);
	must(sim_sum("rpc_owners", "101 1000 selftest", OWNER_WAITS) == N); /* the lookups */
	end("synchronous requests");
	for (int i = 0; i < N; i++)
		must(rmdir(name(i)) == 0);
	must(chdir("..") == 0);
}

static void *buffer;

static void bulk(void)
{
	int fd = open("bulk", O_CREAT | O_RDWR | O_DIRECT, 0666), cached;

	begin();
	setfsuid(1000);
	for (int i = 0; i < 50; i++)
		must(pwrite(fd, buffer, MIB, 0) == MIB);
	for (int i = 0; i < 50; i++)
		must(pread(fd, buffer, MIB, 0) == MIB);
	setfsuid(0);
	must(sim_sum("rpcs", "* 4", RPC_COMPLETED) == 50);
	must(sim_sum("rpcs", "* 3", RPC_COMPLETED) == 50);
	must(sim_sum("rpc_owners", "4 1000 selftest", OWNER_BYTES) == 50 * MIB);
	must(sim_sum("rpc_owners", "3 1000 selftest", OWNER_BYTES) == 50 * MIB);
	must(sim_sum("rpc_owners", "4 1000 selftest", OWNER_WAITS) == 0);
	end("50 direct writes and reads of 1 MiB");

	begin();
	must(pwrite(fd, buffer, MIB, 0) == MIB && pwrite(fd, buffer, MIB, MIB) == MIB);
	must(pread(fd, buffer, 2 * MIB, 0) == 2 * MIB);
	must(sim_sum("rpcs", "* 3", RPC_COMPLETED) == 2);
	end("a bulk request moves 1 MiB at most");

	cached = open("bulk", O_RDWR);
	fsync(cached);
	begin();
	must(pwrite(cached, buffer, 3 * 4096, 0) == 3 * 4096);
	must(sim_sum("rpcs", "* 4", RPC_COMPLETED) == 0);
	fsync(cached);
	must(sim_sum("rpcs", "* 4", RPC_COMPLETED) == 1);
	must(sim_sum("rpc_owners", "4 0 selftest", OWNER_BYTES) == 3 * 4096);
	end("buffered writes go when they are flushed");

	begin();
	sim_write("servers", "all pool=1");
	for (int i = 0; i < N; i++)
		must(pwrite(fd, buffer, 4096, 0) == 4096);
	sim_write("servers", "clear");
	must(sim_calls_of("__ptlrpc_free_req_to_pool") == N);
	must(sim_sum("rpcs", "* 4", RPC_COMPLETED) == N);
	end("requests from the pool");
	close(fd);
	close(cached);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void troubles(void)
{
	double start;
	int status;
	pid_t pid;

	begin();
	sim_write("servers", "MDT0000 delay_us=20000");
	start = now();
	must(mkdir("slow", 0755) == 0);
	must(now() - start >= 0.04); /* lookup and creation */
	sim_write("servers", "clear");
	end("a slow target");

	begin();
	sim_write("servers", "MDT0000 errno=5 count=1");
	must(rmdir("slow") == -1 && errno == EIO);
	must(sim_sum("rpcs", "MDT0000 36", RPC_IO) == 1);
	must(sim_sum("rpc_owners", "36 0 selftest", OWNER_WAIT_ERRORS) == 1);
	end("an answer with an error");

	begin();
	sim_write("servers", "MDT0000 notconn=1");
	must(rmdir("slow") == 0);
	must(events("MDT0000", "notconn") == 1 && events("MDT0000", "resend") == 1);
	must(events("MDT0000", "DISCONN") == 1 && events("MDT0000", "FULL") == 1);
	must(events("MDT0000", "expire") == 0 && events("MDT0000", "EVICTED") == 0);
	must(sim_sum("rpcs", "MDT0000 36", RPC_COMPLETED) == 1);
	must(sim_sum("rpcs", "MDT0000 36", RPC_SENT) == 2);
	must(sim_calls_of("ptlrpc_lprocfs_rpc_sent") == 3); /* both answers, and the connect's */
	end("not connected");

	begin();
	sim_write("servers", "MDT0000 evict=1");
	must(mkdir("evicted", 0755) == -1 && errno == EIO);
	must(events("MDT0000", "EVICTED") == 1 && events("MDT0000", "notconn") == 1);
	/* Until the import is valid again requests fail at once. */
	for (int i = 0; i < 500 && !events("MDT0000", "FULL"); i++)
		usleep(10000);
	must(mkdir("evicted", 0755) == 0);
	must(access("bulk", F_OK) == 0 && access("bulk", F_OK) == 0);
	must(sim_calls_of("ll_lookup_nd") ==
	     2 + 1); /* "evicted" twice, "bulk" once: it was stale */
	end("evicted");

	begin();
	sim_write("servers", "all timeout_ms=200");
	sim_write("servers", "MDT0000 drop=1");
	must(rmdir("evicted") == 0);
	sim_write("servers", "clear");
	must(events("MDT0000", "expire") == 1 && events("MDT0000", "resend") == 1);
	end("expired");

	begin();
	sim_write("servers", "MDT0000 inprogress=3");
	must(mkdir("later", 0755) == 0 && rmdir("later") == 0);
	must(events("MDT0000", "expire") == 0 && events("MDT0000", "resend") == 3);
	must(events("MDT0000", "DISCONN") == 0);
	end("in progress");

	begin();
	sim_write("servers", "MDT0000 delay_us=1000000");
	pid = fork();
	if (!pid)
		_exit(mkdir("killed", 0755));
	usleep(200000);
	kill(pid, SIGKILL);
	must(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	sim_write("servers", "clear");
	must(all_completed());
	usleep(1000000); /* the answer that nobody waits for */
	end("killed while waiting");
}

static void *hammer(void *number)
{
	char dir[32];
	int fd;

	snprintf(dir, sizeof(dir), "hammer%d", (int)(intptr_t)number);
	for (int i = 0; i < 300; i++) {
		if (mkdir(dir, 0755) == 0)
			rmdir(dir);
		fd = open("hammered", O_CREAT | O_RDWR | (i % 2 ? O_DIRECT : 0), 0644);
		if (fd < 0)
			continue;
		if (pwrite(fd, buffer, 4096 * (1 + i % 8), 0) > 0)
			fsync(fd);
		close(fd);
	}
	return NULL;
}

static void load(void)
{
	static const char *const troubles[] = {
		"MDT0000 notconn=3", "OST0000 notconn=3",    "OST0001 evict=1",
		"MDT0000 drop=2",    "OST0001 drop=2",	     "OST0000 neterr=3",
		"MDT0000 evict=1",   "OST0001 inprogress=5", "MDT0000 delay_us=300",
		"all lost_free=100", "all pool=1",
	};
	pthread_t threads[8];

	begin();
	sim_write("servers", "all timeout_ms=100");
	for (int i = 0; i < 8; i++)
		must(pthread_create(&threads[i], NULL, hammer, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < 110; i++) {
		sim_write("servers", "%s", troubles[i % 11]);
		usleep(10000);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	sim_write("servers", "clear");
	must(all_completed());
	must(sim_sum("rpc_owners", "", OWNER_STARTED) == sim_sum("rpcs", "", RPC_COMPLETED));
	must(sim_sum("rpcs", "", RPC_SENT) >= sim_sum("rpcs", "", RPC_COMPLETED) / 2);
	must(mkdir("after", 0755) == 0 && rmdir("after") == 0);
	end("all troubles at once");
}

void suite_rpcs(void)
{
	must(posix_memalign(&buffer, 4096, 2 * MIB) == 0);
	metadata();
	bulk();
	troubles();
	load();
	free(buffer);
}
