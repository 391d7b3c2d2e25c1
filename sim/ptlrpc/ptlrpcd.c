// SPDX-License-Identifier: GPL-2.0
/* The thread that works off asynchronous requests. */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat.h"
#include "ptlrpc/ptlrpc.h"

static LIST_HEAD(queue);
static DEFINE_SPINLOCK(queue_lock);
static DECLARE_WAIT_QUEUE_HEAD(queue_wait);
static struct task_struct *thread;

struct ptlrpc_request *ptlrpc_request_alloc(void)
{
	return kzalloc(sizeof(struct ptlrpc_request), GFP_NOFS);
}
EXPORT_SYMBOL_GPL(ptlrpc_request_alloc);

SIM_PROBED void ptlrpc_request_cache_free(struct ptlrpc_request *req)
{
	kfree(req);
}
EXPORT_SYMBOL_GPL(ptlrpc_request_cache_free);

SIM_PROBED void ptlrpcd_add_req(struct ptlrpc_request *req)
{
	spin_lock(&queue_lock);
	list_add_tail(&req->rq_list, &queue);
	spin_unlock(&queue_lock);
	wake_up(&queue_wait);
}
EXPORT_SYMBOL_GPL(ptlrpcd_add_req);

static struct ptlrpc_request *next_request(void)
{
	struct ptlrpc_request *req;

	spin_lock(&queue_lock);
	req = list_first_entry_or_null(&queue, struct ptlrpc_request, rq_list);
	if (req)
		list_del_init(&req->rq_list);
	spin_unlock(&queue_lock);
	return req;
}

static SIM_PROBED int ptlrpcd(void *unused)
{
	struct ptlrpc_request *req;

	for (;;) {
		wait_event_idle(queue_wait, kthread_should_stop() || !list_empty_careful(&queue));
		while ((req = next_request())) {
			req->rq_interpret_reply(NULL, req, req->rq_async_args, 0);
			ptlrpc_request_cache_free(req);
		}
		if (kthread_should_stop())
			return 0;
	}
}

int ptlrpcd_start(void)
{
	thread = kthread_run(ptlrpcd, NULL, "ptlrpcd_00_00");
	return PTR_ERR_OR_ZERO(thread);
}

void ptlrpcd_stop(void)
{
	kthread_stop(thread);
}
