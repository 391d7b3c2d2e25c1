// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of requests. The thread that owns a set drives its requests: it sends,
 * takes in answers, resends, lets expire. Others only wake it.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"
#include "ptlrpc/reply.h"

struct ptlrpc_request_set *ptlrpc_prep_set(void)
{
	struct ptlrpc_request_set *set = kzalloc(sizeof(*set), GFP_NOFS);

	if (!set)
		return NULL;
	atomic_set(&set->set_remaining, 0);
	atomic_set(&set->set_wakeups, 0);
	init_waitqueue_head(&set->set_waitq);
	INIT_LIST_HEAD(&set->set_requests);
	INIT_LIST_HEAD(&set->set_new_requests);
	spin_lock_init(&set->set_new_req_lock);
	return set;
}

void ptlrpc_set_destroy(struct ptlrpc_request_set *set)
{
	kfree(set);
}

static void wake_set(struct ptlrpc_request_set *set)
{
	atomic_inc(&set->set_wakeups);
	wake_up(&set->set_waitq);
}

/* Under rq_lock, which keeps the request in its set. */
void ptlrpc_client_wake_req(struct ptlrpc_request *req)
{
	if (req->rq_set)
		wake_set(req->rq_set);
}

/* For the set's owner; the set takes over the caller's reference. */
SIM_PROBED void ptlrpc_set_add_req(struct ptlrpc_request_set *set, struct ptlrpc_request *req)
{
	sim_enter(SIM_ptlrpc_set_add_req);
	if (set == PTLRPCD_SET) {
		ptlrpcd_add_req(req);
		return;
	}
	req->rq_cli.cr_queued_time_ns = ktime_get_ns();
	lustre_msg_set_jobinfo(req->rq_reqmsg, NULL);
	ptlrpc_count_started(req);
	req->rq_set = set;
	atomic_inc(&set->set_remaining);
	list_add_tail(&req->rq_set_chain, &set->set_requests);
}

/* For others: the owner takes it from the list of new ones. */
SIM_PROBED void ptlrpc_set_add_new_req(struct ptlrpcd_ctl *pc, struct ptlrpc_request *req)
{
	struct ptlrpc_request_set *set = pc->pc_set;

	sim_enter_atomic(SIM_ptlrpc_set_add_new_req);
	spin_lock(&set->set_new_req_lock);
	req->rq_set = set;
	req->rq_cli.cr_queued_time_ns = ktime_get_ns();
	atomic_inc(&set->set_remaining);
	list_add_tail(&req->rq_set_chain, &set->set_new_requests);
	spin_unlock(&set->set_new_req_lock);
	wake_set(set);
}

SIM_PROBED int ptlrpc_check_set(const struct lu_env *env, struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req, *next;

	sim_enter_atomic(SIM_ptlrpc_check_set);
	list_for_each_entry_safe (req, next, &set->set_requests, rq_set_chain) {
		if (!ptlrpc_advance(req))
			continue;
		ptlrpc_finish(env, req);
		list_del_init(&req->rq_set_chain);
		spin_lock(&req->rq_lock);
		req->rq_set = NULL;
		spin_unlock(&req->rq_lock);
		ptlrpc_req_put(req);
		atomic_dec(&set->set_remaining);
	}
	return atomic_read(&set->set_remaining) == 0;
}

static bool is_expired(const struct ptlrpc_request *req)
{
	return req->rq_phase == RQ_PHASE_RPC && !req->rq_waiting && !req->rq_replied &&
	       !req->rq_timedout && !req->rq_resend && !req->rq_err &&
	       time_after_eq(jiffies, req->expires);
}

SIM_PROBED void ptlrpc_expired_set(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req;

	sim_enter_atomic(SIM_ptlrpc_expired_set);
	list_for_each_entry (req, &set->set_requests, rq_set_chain) {
		if (is_expired(req))
			ptlrpc_expire_one_request(req, 1);
	}
}

long ptlrpc_set_next_timeout(struct ptlrpc_request_set *set)
{
	long timeout = MAX_SCHEDULE_TIMEOUT, left;
	struct ptlrpc_request *req;

	list_for_each_entry (req, &set->set_requests, rq_set_chain) {
		if (req->rq_phase == RQ_PHASE_NEW)
			left = req->not_before - jiffies;
		else if (req->rq_phase == RQ_PHASE_RPC && !req->rq_waiting && !req->rq_timedout)
			left = req->expires - jiffies;
		else
			continue;
		timeout = min(timeout, max(left, 1L));
	}
	return timeout;
}

/* True if something in the set has just expired. */
bool ptlrpc_set_expire(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req;

	list_for_each_entry (req, &set->set_requests, rq_set_chain) {
		if (is_expired(req)) {
			ptlrpc_expired_set(set);
			return true;
		}
	}
	return false;
}

/* The caller was killed: nobody waits for the answers any more. */
static void interrupt_set(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req;

	list_for_each_entry (req, &set->set_requests, rq_set_chain) {
		spin_lock(&req->rq_lock);
		req->rq_intr = 1;
		spin_unlock(&req->rq_lock);
	}
}

SIM_PROBED int ptlrpc_set_wait(const struct lu_env *env, struct ptlrpc_request_set *set)
{
	int seen;

	sim_enter_atomic(SIM_ptlrpc_set_wait);
	for (;;) {
		seen = atomic_read(&set->set_wakeups);
		if (ptlrpc_check_set(env, set))
			return 0;
		if (ptlrpc_set_expire(set))
			continue;
		if (wait_event_killable_timeout(set->set_waitq,
						atomic_read(&set->set_wakeups) != seen,
						ptlrpc_set_next_timeout(set)) < 0)
			interrupt_set(set);
	}
}

/* Sends the request and waits. The caller keeps its reference. */
SIM_PROBED int ptlrpc_queue_wait(struct ptlrpc_request *req)
{
	int rc = sim_enter(SIM_ptlrpc_queue_wait);
	struct ptlrpc_request_set *set;

	sim_owner_current(&req->owner);
	if (rc)
		goto out;
	set = ptlrpc_prep_set();
	if (!set) {
		rc = -ENOMEM;
		goto out;
	}
	ptlrpc_set_add_req(set, ptlrpc_request_addref(req));
	ptlrpc_set_wait(NULL, set);
	ptlrpc_set_destroy(set);
	rc = req->rq_status;
out:
	ptlrpc_count_waited(req, rc);
	return rc;
}
