// SPDX-License-Identifier: Apache-2.0
/* The two orders in which a worker takes what is queued. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <semaphore.h>
#include <cmocka.h>

#include "web/worker.h"

#define ITEMS 8

struct record {
	sem_t begun, go;
	struct work work[ITEMS];
	int order[ITEMS];
	int batches[ITEMS];
	int n, n_batches;
};

static void process(void *ctx, struct work *batch)
{
	struct record *r = ctx;
	int n = 0;

	sem_post(&r->begun);
	sem_wait(&r->go);
	for (struct work *w = batch; w; w = w->next, n++)
		r->order[r->n++] = w - r->work;
	r->batches[r->n_batches++] = n;
}

/* The first one is being processed while the others are queued. */
static void run(struct record *r, enum worker_order order, const uint64_t groups[ITEMS])
{
	struct worker w;

	sem_init(&r->begun, 0, 0);
	sem_init(&r->go, 0, 0);
	assert_int_equal(worker_start(&w, order, process, r), 0);
	for (int i = 0; i < ITEMS; i++) {
		r->work[i].group = groups[i];
		assert_true(worker_queue(&w, &r->work[i]));
		if (i == 0)
			sem_wait(&r->begun);
	}
	for (int i = 0; i < ITEMS; i++)
		sem_post(&r->go);
	worker_stop(&w);
	assert_int_equal(r->n, ITEMS);
}

static void test_batch(void **state)
{
	static const uint64_t groups[ITEMS];
	struct record r = {.n = 0};

	run(&r, WORKER_BATCH, groups);
	assert_int_equal(r.n_batches, 2);
	assert_int_equal(r.batches[0], 1);
	assert_int_equal(r.batches[1], ITEMS - 1);
	for (int i = 0; i < ITEMS; i++)
		assert_int_equal(r.order[i], i);
}

/* Six wrong passwords from one address, and one from another: the latest, then in turns. */
static void test_fair(void **state)
{
	static const uint64_t groups[ITEMS] = {1, 1, 2, 1, 1, 1, 1, 1};
	static const int order[ITEMS] = {0, 2, 7, 6, 5, 4, 3, 1};
	struct record r = {.n = 0};

	run(&r, WORKER_FAIR, groups);
	for (int i = 0; i < ITEMS; i++)
		assert_int_equal(r.order[i], order[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
