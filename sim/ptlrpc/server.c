// SPDX-License-Identifier: GPL-2.0
/*
 * The servers at the other end: answer at once in the sender's context, as a
 * loopback network does, or after a delay from the network's thread.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "compat.h"
#include "ptlrpc/behaviour.h"
#include "ptlrpc/lustre_net.h"

/* An answer on its way. */
struct delivery {
	struct list_head link; /* by due time */
	ktime_t due;
	struct ptlrpc_request *req;
	struct lnet_event ev;
};

static LIST_HEAD(deliveries);
static DEFINE_SPINLOCK(deliveries_lock);
static DECLARE_WAIT_QUEUE_HEAD(deliveries_wait);
static bool deliveries_changed;
static struct task_struct *thread;

static void deliver(struct ptlrpc_request *req, struct lnet_event *ev)
{
	ptlrpc_master_callback(ev);
	ptlrpc_req_put(req);
}

static void deliver_later(struct ptlrpc_request *req, struct lnet_event *ev, u64 delay_us)
{
	struct delivery *new = kmalloc(sizeof(*new), GFP_NOFS), *d;

	if (!new) {
		deliver(req, ev);
		return;
	}
	new->due = ktime_add_us(ktime_get(), delay_us);
	new->req = req;
	new->ev = *ev;
	spin_lock(&deliveries_lock);
	list_for_each_entry_reverse(d, &deliveries, link)
	{
		if (ktime_compare(d->due, new->due) <= 0)
			break;
	}
	list_add(&new->link, &d->link); /* behind d; d may be the head */
	deliveries_changed = true;
	spin_unlock(&deliveries_lock);
	wake_up(&deliveries_wait);
}

static bool is_connect(u32 opcode)
{
	return opcode == MDS_CONNECT || opcode == OST_CONNECT || opcode == MDS_DISCONNECT ||
	       opcode == OST_DISCONNECT;
}

void sim_server_take(struct ptlrpc_request *req, unsigned int attempt)
{
	struct obd_import *imp = req->rq_import;
	struct sim_answer answer = {.fate = FATE_ANSWER};
	struct lnet_event out = {.md_user_ptr = &req->rq_cli.cr_req_cbid};
	struct lnet_event in = {
		.md_user_ptr = &req->rq_cli.cr_reply_cbid,
		.attempt = attempt,
		.mlength = RPC_BUFFER,
	};

	if (is_connect(lustre_msg_get_opc(req->rq_reqmsg))) {
		if (imp->imp_connected && !imp->imp_server_forgot)
			in.reply_op_flags = MSG_CONNECT_RECONNECT;
		imp->imp_server_forgot = false;
	} else {
		answer = sim_behaviour_next(imp->imp_obd->rule);
		if (answer.evict)
			imp->imp_server_forgot = true;
	}
	in.reply_status = answer.status;
	out.status = answer.fate == FATE_NET_ERROR ? -EIO : 0;
	ptlrpc_master_callback(&out);
	if (answer.fate != FATE_ANSWER)
		ptlrpc_req_put(req);
	else if (answer.delay_us)
		deliver_later(req, &in, answer.delay_us);
	else
		deliver(req, &in);
}

/* The first delivery if it is due; else NULL, and how long to wait. */
static struct delivery *next_due(ktime_t *wait)
{
	struct delivery *d;

	spin_lock(&deliveries_lock);
	deliveries_changed = false;
	d = list_first_entry_or_null(&deliveries, struct delivery, link);
	*wait = d ? ktime_sub(d->due, ktime_get()) : KTIME_MAX;
	if (d && *wait <= 0)
		list_del(&d->link);
	else
		d = NULL;
	spin_unlock(&deliveries_lock);
	return d;
}

static int socknal_scheduler(void *unused)
{
	struct delivery *d;
	ktime_t wait;

	while (!kthread_should_stop()) {
		d = next_due(&wait);
		if (d) {
			deliver(d->req, &d->ev);
			kfree(d);
			continue;
		}
		wait_event_interruptible_hrtimeout(
			deliveries_wait, READ_ONCE(deliveries_changed) || kthread_should_stop(),
			wait);
	}
	return 0;
}

int sim_server_start(void)
{
	thread = kthread_run(socknal_scheduler, NULL, "socknal_sd00_00");
	return PTR_ERR_OR_ZERO(thread);
}

void sim_server_stop(void)
{
	struct delivery *d, *next;

	kthread_stop(thread);
	/* Answers to requests that were given up. */
	list_for_each_entry_safe (d, next, &deliveries, link) {
		ptlrpc_req_put(d->req);
		kfree(d);
	}
	INIT_LIST_HEAD(&deliveries);
}
