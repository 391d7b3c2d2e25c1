// SPDX-License-Identifier: GPL-2.0
/*
 * The threads that own asynchronous requests: one per CPU up to two, and
 * ptlrpcd_rcv for what recovers the connection, which must not wait behind
 * requests that wait for it.
 */
#include <linux/kthread.h>
#include <linux/smp.h>

#include "compat.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"
#include "ptlrpc/reply.h"

#define PTLRPCD_RCV 2

static struct ptlrpcd_ctl threads[] = {
	{.pc_index = 0, .pc_name = "ptlrpcd_00_00"},
	{.pc_index = 1, .pc_name = "ptlrpcd_00_01"},
	[PTLRPCD_RCV] = {.pc_index = -1, .pc_name = "ptlrpcd_rcv"},
};

static struct ptlrpcd_ctl *select_thread(struct ptlrpc_request *req)
{
	if (req->rq_send_state != LUSTRE_IMP_FULL)
		return &threads[PTLRPCD_RCV];
	return &threads[raw_smp_processor_id() % PTLRPCD_RCV];
}

/* Takes over the caller's reference; the request may be gone on return. */
SIM_PROBED void ptlrpcd_add_req(struct ptlrpc_request *req)
{
	sim_enter(SIM_ptlrpcd_add_req);
	lustre_msg_set_jobinfo(req->rq_reqmsg, NULL);
	ptlrpc_count_started(req);
	ptlrpc_set_add_new_req(select_thread(req), req);
}

static void take_new(struct ptlrpc_request_set *set)
{
	spin_lock(&set->set_new_req_lock);
	list_splice_tail_init(&set->set_new_requests, &set->set_requests);
	spin_unlock(&set->set_new_req_lock);
}

static SIM_PROBED int ptlrpcd(void *arg)
{
	struct ptlrpc_request_set *set = ((struct ptlrpcd_ctl *)arg)->pc_set;
	int seen;

	while (!kthread_should_stop()) {
		seen = atomic_read(&set->set_wakeups);
		take_new(set);
		ptlrpc_check_set(NULL, set);
		if (ptlrpc_set_expire(set))
			continue;
		wait_event_idle_timeout(set->set_waitq,
					atomic_read(&set->set_wakeups) != seen ||
						kthread_should_stop(),
					ptlrpc_set_next_timeout(set));
	}
	return 0;
}

static int start_one(struct ptlrpcd_ctl *pc)
{
	struct task_struct *thread;

	pc->pc_set = ptlrpc_prep_set();
	if (!pc->pc_set)
		return -ENOMEM;
	thread = kthread_create(ptlrpcd, pc, "%s", pc->pc_name);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	/* Where it is handed to: no other CPU must be woken up. */
	if (pc->pc_index >= 0 && cpu_online(pc->pc_index))
		kthread_bind(thread, pc->pc_index);
	pc->pc_thread = thread;
	wake_up_process(thread);
	return 0;
}

int ptlrpcd_start(void)
{
	int i, rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(threads); i++)
		rc = start_one(&threads[i]);
	if (rc)
		ptlrpcd_stop();
	return rc;
}

void ptlrpcd_stop(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		struct ptlrpcd_ctl *pc = &threads[i];

		if (pc->pc_thread)
			kthread_stop(pc->pc_thread);
		if (pc->pc_set)
			ptlrpc_set_destroy(pc->pc_set);
		pc->pc_thread = NULL;
		pc->pc_set = NULL;
	}
}
