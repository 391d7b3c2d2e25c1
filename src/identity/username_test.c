// SPDX-License-Identifier: Apache-2.0
#include "username.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define SEC 1000000000LL

static const struct username_limits limits = {
	.entries = 3,
	.queue = 2,
	.found_ttl_ns = 100 * SEC,
	.not_found_ttl_ns = 50 * SEC,
	.retry_min_ns = 1 * SEC,
	.retry_max_ns = 4 * SEC,
};

static void expect(struct username_cache *cache, uint32_t uid, int64_t now, const char *name)
{
	assert_string_equal(username_cache_get(cache, uid, now), name);
}

static void expect_next(struct username_cache *cache, uint32_t uid)
{
	uint32_t next = 0;

	assert_true(username_cache_next(cache, &next));
	assert_int_equal(next, uid);
}

static void expect_idle(struct username_cache *cache)
{
	uint32_t next;

	assert_false(username_cache_next(cache, &next));
}

static void test_B15_stale_while_refresh(void **state)
{
	struct username_cache *cache = username_cache_new(&limits);

	expect(cache, 7, 0, "unknown");
	expect(cache, 7, 0, "unknown");
	expect_next(cache, 7);
	expect_idle(cache);
	/* Not asked again while the question is open. */
	expect(cache, 7, 1000 * SEC, "unknown");
	expect_idle(cache);
	username_cache_answer(cache, 7, NSS_FOUND, "alice", 0);
	expect(cache, 7, 100 * SEC - 1, "alice");
	expect_idle(cache);
	expect(cache, 7, 100 * SEC, "alice");
	expect_next(cache, 7);
	expect(cache, 7, 101 * SEC, "alice");
	username_cache_answer(cache, 7, NSS_FOUND, "alice2", 102 * SEC);
	expect(cache, 7, 103 * SEC, "alice2");
	/* The user is deleted. */
	expect(cache, 7, 202 * SEC, "alice2");
	expect_next(cache, 7);
	username_cache_answer(cache, 7, NSS_NOT_FOUND, NULL, 202 * SEC);
	expect(cache, 7, 252 * SEC - 1, "unknown");
	expect_idle(cache);
	expect(cache, 7, 252 * SEC, "unknown");
	expect_next(cache, 7);
	username_cache_free(cache);
}

static void test_B16_back_off(void **state)
{
	/* Failures, each with the second of its answer and that of the next attempt. */
	static const int64_t at[][2] = {{0, 1}, {1, 3}, {3, 7}, {7, 11}, {11, 15}};
	struct username_cache *cache = username_cache_new(&limits);
	size_t i;

	for (i = 0; i < 5; i++) {
		expect(cache, 7, at[i][0] * SEC, "unknown");
		expect_next(cache, 7);
		username_cache_answer(cache, 7, NSS_RETRY, NULL, at[i][0] * SEC);
		expect(cache, 7, at[i][1] * SEC - 1, "unknown");
		expect_idle(cache);
	}
	expect(cache, 7, 15 * SEC, "unknown");
	expect_next(cache, 7);
	username_cache_answer(cache, 7, NSS_FOUND, "bob", 15 * SEC);
	/* A failure keeps the name, and the time between attempts begins anew. */
	expect(cache, 7, 115 * SEC, "bob");
	expect_next(cache, 7);
	username_cache_answer(cache, 7, NSS_RETRY, NULL, 115 * SEC);
	expect(cache, 7, 116 * SEC - 1, "bob");
	expect_idle(cache);
	expect(cache, 7, 116 * SEC, "bob");
	expect_next(cache, 7);
	username_cache_free(cache);
}

static void test_limits(void **state)
{
	struct username_cache *cache = username_cache_new(&limits);
	struct username_stats stats;
	uint32_t uid;

	expect(cache, 1, 0, "unknown");
	expect(cache, 2, 0, "unknown");
	expect(cache, 3, 0, "unknown");
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.entries, 3);
	assert_int_equal(stats.queued, 2);
	assert_int_equal(stats.queue_full, 1);
	expect_next(cache, 1);
	username_cache_answer(cache, 1, NSS_FOUND, "one", 0);
	/* There is room now for what was put off. */
	expect(cache, 3, 0, "unknown");
	expect_next(cache, 2);
	expect_next(cache, 3);
	expect_idle(cache);
	/* 2 is the one not asked for longest. */
	expect(cache, 1, 0, "one");
	expect(cache, 4, 0, "unknown");
	expect(cache, 1, 0, "one");
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.entries, 3);
	assert_int_equal(stats.evicted, 1);
	/* The answer for an evicted user is dropped. */
	username_cache_answer(cache, 2, NSS_FOUND, "two", 0);
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.entries, 3);
	for (uid = 10; uid < 1000; uid++)
		expect(cache, uid, 0, "unknown");
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.entries, 3);
	assert_int_equal(stats.queued, 2);
	username_cache_free(cache);
}

static void test_changes(void **state)
{
	struct username_cache *cache = username_cache_new(&limits);
	struct username_stats stats;

	expect(cache, 7, 0, "unknown");
	username_cache_answer(cache, 7, NSS_NOT_FOUND, NULL, 0);
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.changes, 0);
	username_cache_answer(cache, 7, NSS_FOUND, "a", 0);
	username_cache_answer(cache, 7, NSS_FOUND, "a", 0);
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.changes, 1);
	username_cache_answer(cache, 7, NSS_FOUND, "b", 0);
	username_cache_answer(cache, 7, NSS_NOT_FOUND, NULL, 0);
	username_cache_stats(cache, &stats);
	assert_int_equal(stats.changes, 3);
	username_cache_free(cache);
}

/* The name service of the tests below. */
static struct {
	int errors[4]; /* of the calls in turn; then 0 */
	unsigned int calls;
	size_t need;	  /* bytes of a record */
	size_t largest;	  /* buffer offered */
	const char *name; /* NULL: no such user */
	sem_t *gate, *in; /* NULL: does not block */
} nss;

static int fake_getpwuid(uid_t uid, struct passwd *pwd, char *buf, size_t len,
			 struct passwd **result)
{
	unsigned int call = nss.calls++;

	*result = NULL;
	if (nss.gate) {
		sem_post(nss.in);
		sem_wait(nss.gate);
	}
	nss.largest = len;
	if (call < 4 && nss.errors[call])
		return nss.errors[call];
	if (len < nss.need)
		return ERANGE;
	if (!nss.name)
		return 0;
	strcpy(buf, nss.name);
	pwd->pw_name = buf;
	*result = pwd;
	return 0;
}

static enum nss_answer ask(const char *name, size_t need, int error, char out[USERNAME_MAX])
{
	memset(&nss, 0, sizeof(nss));
	nss.name = name;
	nss.need = need;
	nss.errors[0] = error;
	return nss_user_name(fake_getpwuid, 7, out);
}

static void test_B15_nss_answers(void **state)
{
	char name[USERNAME_MAX], huge[1000];

	assert_int_equal(ask("alice", 0, 0, name), NSS_FOUND);
	assert_string_equal(name, "alice");
	assert_int_equal(ask(NULL, 0, 0, name), NSS_NOT_FOUND);
	assert_int_equal(ask(NULL, 0, ENOENT, name), NSS_NOT_FOUND);
	assert_int_equal(ask(NULL, 0, ESRCH, name), NSS_NOT_FOUND);
	assert_int_equal(ask("alice", 0, EIO, name), NSS_RETRY);
	assert_int_equal(ask("alice", 0, EMFILE, name), NSS_RETRY);
	assert_int_equal(ask("alice", 0, EINTR, name), NSS_RETRY);
	/* A record of 1 MB. */
	assert_int_equal(ask("alice", (1 << 20) + 1, 0, name), NSS_FOUND);
	assert_string_equal(name, "alice");
	assert_int_equal(nss.largest, 2 << 20);
	/* One that never fits. */
	assert_int_equal(ask("alice", SIZE_MAX, 0, name), NSS_RETRY);
	assert_int_equal(nss.largest, 4 << 20);
	/* Names of any bytes. */
	assert_int_equal(ask("DOM\\user name", 0, 0, name), NSS_FOUND);
	assert_string_equal(name, "DOM\\user name");
	assert_int_equal(ask("ren\xe9.", 0, 0, name), NSS_FOUND);
	assert_string_equal(name, "ren\xef\xbf\xbd.");
	assert_int_equal(ask("ren\xe9", 0, 0, name), NSS_FOUND);
	assert_string_equal(name, "ren");
	assert_int_equal(ask("", 0, 0, name), NSS_NOT_FOUND);
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(ask(huge, 0, 0, name), NSS_FOUND);
	assert_int_equal(strlen(name), USERNAME_MAX - 1);
}

static int64_t fake_now;

static int64_t fake_now_ns(void)
{
	return __atomic_load_n(&fake_now, __ATOMIC_SEQ_CST);
}

static const struct username_hooks hooks = {.getpwuid = fake_getpwuid, .now_ns = fake_now_ns};

/* Waits until so many answers have come; a minute means that they never will. */
static void wait_answers(struct usernames *u, uint64_t n)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct username_stats stats;
	int i;

	for (i = 0; i < 60000; i++) {
		usernames_stats(u, &stats);
		if (stats.answers[NSS_FOUND] + stats.answers[NSS_NOT_FOUND] +
			    stats.answers[NSS_RETRY] >=
		    n)
			return;
		nanosleep(&pause, NULL);
	}
	fail();
}

static void test_B15_sleeping_service(void **state)
{
	char name[USERNAME_MAX];
	struct usernames *u;
	sem_t gate, in;
	int i;

	sem_init(&gate, 0, 0);
	sem_init(&in, 0, 0);
	memset(&nss, 0, sizeof(nss));
	nss.name = "alice";
	nss.gate = &gate;
	nss.in = &in;
	assert_int_equal(usernames_start(&u, &limits, &hooks), 0);
	usernames_get(u, 7, name);
	assert_string_equal(name, "unknown");
	sem_wait(&in);
	/* The thread hangs in the name service; nobody else does. */
	for (i = 8; i <= 9; i++) {
		usernames_get(u, i, name);
		assert_string_equal(name, "unknown");
	}
	usernames_get(u, 7, name);
	assert_string_equal(name, "unknown");
	for (i = 0; i < 3; i++)
		sem_post(&gate);
	wait_answers(u, 3);
	for (i = 7; i <= 9; i++) {
		usernames_get(u, i, name);
		assert_string_equal(name, "alice");
	}
	assert_int_equal(nss.calls, 3);
	usernames_stop(u);
	sem_destroy(&gate);
	sem_destroy(&in);
}

static void test_B16_fails_three_times(void **state)
{
	char name[USERNAME_MAX];
	struct usernames *u;
	int i;

	memset(&nss, 0, sizeof(nss));
	nss.name = "alice";
	for (i = 0; i < 3; i++)
		nss.errors[i] = EIO;
	fake_now = 0;
	assert_int_equal(usernames_start(&u, &limits, &hooks), 0);
	for (i = 0; i < 4; i++) {
		usernames_get(u, 7, name);
		assert_string_equal(name, "unknown");
		wait_answers(u, i + 1);
		/* Too early for another attempt. */
		usernames_get(u, 7, name);
		assert_string_equal(name, i < 3 ? "unknown" : "alice");
		__atomic_add_fetch(&fake_now, 4 * SEC, __ATOMIC_SEQ_CST);
	}
	assert_int_equal(nss.calls, 4);
	usernames_stop(u);
}

/* The process can end although the name service does not answer. */
static void test_B15_stop_while_stuck(void **state)
{
	char name[USERNAME_MAX];
	/* The thread may be in sem_wait() longer than this function lasts. */
	static sem_t gate, in;
	struct usernames *u;

	sem_init(&gate, 0, 0);
	sem_init(&in, 0, 0);
	memset(&nss, 0, sizeof(nss));
	nss.gate = &gate;
	nss.in = &in;
	assert_int_equal(usernames_start(&u, &limits, &hooks), 0);
	usernames_get(u, 7, name);
	sem_wait(&in);
	usernames_stop(u);
	sem_post(&gate);
}

static void test_system(void **state)
{
	char name[USERNAME_MAX];
	struct usernames *u;

	assert_int_equal(usernames_start(&u, &username_limits_default, NULL), 0);
	usernames_get(u, 0, name);
	wait_answers(u, 1);
	usernames_get(u, 0, name);
	assert_string_equal(name, "root");
	usernames_stop(u);
	usernames_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_B15_stale_while_refresh),
		cmocka_unit_test(test_B16_back_off),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_B15_nss_answers),
		cmocka_unit_test(test_B15_sleeping_service),
		cmocka_unit_test(test_B16_fails_three_times),
		cmocka_unit_test(test_system),
		cmocka_unit_test(test_B15_stop_while_stuck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
