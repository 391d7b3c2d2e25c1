// SPDX-License-Identifier: GPL-2.0
/* Imports: the client's end of a connection, and the states it goes through. */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "compat.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"

#define RECONNECT_DELAY (HZ / 5)
#define DRAIN_TIMEOUT	(10 * HZ)

static const struct req_format RQF_CONNECT = {"CONNECT"};
static const struct req_format RQF_DISCONNECT = {"DISCONNECT"};

static const char *const state_names[] = {
	[LUSTRE_IMP_CLOSED] = "CLOSED",
	[LUSTRE_IMP_NEW] = "NEW",
	[LUSTRE_IMP_DISCON] = "DISCONN",
	[LUSTRE_IMP_CONNECTING] = "CONNECTING",
	[LUSTRE_IMP_REPLAY] = "REPLAY",
	[LUSTRE_IMP_REPLAY_LOCKS] = "REPLAY_LOCKS",
	[LUSTRE_IMP_REPLAY_WAIT] = "REPLAY_WAIT",
	[LUSTRE_IMP_RECOVER] = "RECOVER",
	[LUSTRE_IMP_FULL] = "FULL",
	[LUSTRE_IMP_EVICTED] = "EVICTED",
	[LUSTRE_IMP_IDLE] = "IDLE",
};

/* Every change of state, under imp_lock. */
static SIM_PROBED void import_set_state_nolock(struct obd_import *imp, enum lustre_imp_state state)
{
	sim_enter_atomic(SIM_import_set_state_nolock);
	imp->imp_state = state;
	ptlrpc_count_event(imp, state_names[state]);
}

static inline void import_set_state(struct obd_import *imp, enum lustre_imp_state state)
{
	spin_lock(&imp->imp_lock);
	import_set_state_nolock(imp, state);
	spin_unlock(&imp->imp_lock);
	wake_up_all(&imp->imp_recovery_waitq);
}

static bool is_ost(const struct obd_import *imp)
{
	return imp->imp_obd->target[0] == 'O';
}

static void reconnect_work(struct work_struct *work)
{
	ptlrpc_connect_import(
		container_of(to_delayed_work(work), struct obd_import, imp_reconnect));
}

struct obd_import *sim_import_new(struct obd_device *obd)
{
	struct obd_import *imp = kzalloc(sizeof(*imp), GFP_KERNEL);

	if (!imp)
		return NULL;
	imp->imp_obd = obd;
	atomic_set(&imp->imp_inflight, 0);
	spin_lock_init(&imp->imp_lock);
	INIT_LIST_HEAD(&imp->imp_sending_list);
	INIT_LIST_HEAD(&imp->imp_delayed_list);
	INIT_LIST_HEAD(&imp->imp_replay_list);
	init_waitqueue_head(&imp->imp_recovery_waitq);
	INIT_DELAYED_WORK(&imp->imp_reconnect, reconnect_work);
	atomic64_set(&imp->imp_server_transno, 0);
	imp->imp_replayable = !is_ost(imp);
	imp->imp_state = LUSTRE_IMP_NEW;
	return imp;
}

static void stop_invalidation(struct obd_import *imp)
{
	if (imp->imp_inval_thread)
		kthread_stop(imp->imp_inval_thread);
	imp->imp_inval_thread = NULL;
}

void sim_import_free(struct obd_import *imp)
{
	cancel_delayed_work_sync(&imp->imp_reconnect);
	stop_invalidation(imp);
	ptlrpc_free_committed(imp, U64_MAX);
	kfree(imp);
}

SIM_PROBED void ptlrpc_activate_import(struct obd_import *imp, bool set_state_full)
{
	spin_lock(&imp->imp_lock);
	imp->imp_invalid = 0;
	if (set_state_full)
		import_set_state_nolock(imp, LUSTRE_IMP_FULL);
	spin_unlock(&imp->imp_lock);
	ptlrpc_wake_delayed(imp);
	wake_up_all(&imp->imp_recovery_waitq);
}

static SIM_PROBED void ptlrpc_deactivate_import_nolock(struct obd_import *imp)
{
	imp->imp_invalid = 1;
	imp->imp_generation++;
}

/* Everything under way fails with EIO. */
SIM_PROBED void ptlrpc_invalidate_import(struct obd_import *imp)
{
	sim_enter_atomic(SIM_ptlrpc_invalidate_import);
	spin_lock(&imp->imp_lock);
	ptlrpc_deactivate_import_nolock(imp);
	spin_unlock(&imp->imp_lock);
	ptlrpc_abort_inflight(imp);
	wait_event_timeout(imp->imp_recovery_waitq, !atomic_read(&imp->imp_inflight),
			   DRAIN_TIMEOUT);
	ptlrpc_free_committed(imp, U64_MAX);
}

static SIM_PROBED int ptlrpc_invalidate_import_thread(void *data)
{
	struct obd_import *imp = data;

	ptlrpc_invalidate_import(imp);
	import_set_state(imp, LUSTRE_IMP_RECOVER);
	ptlrpc_import_recovery_state_machine(imp);
	/* Stays until it is reaped: its code must not be unloaded under it. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

SIM_PROBED int ptlrpc_import_recovery_state_machine(struct obd_import *imp)
{
	struct task_struct *thread;

	if (imp->imp_state == LUSTRE_IMP_EVICTED) {
		stop_invalidation(imp); /* that of an earlier eviction, long done */
		thread = kthread_run(ptlrpc_invalidate_import_thread, imp, "ll_imp_inval");
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		imp->imp_inval_thread = thread;
	} else if (imp->imp_state == LUSTRE_IMP_RECOVER) {
		ptlrpc_resend(imp);
		ptlrpc_activate_import(imp, true);
	}
	return 0;
}

/* In ptlrpcd_rcv: the server answered the connect request. */
static SIM_PROBED int ptlrpc_connect_interpret(const struct lu_env *env, struct ptlrpc_request *req,
					       void *data, int rc)
{
	struct obd_import *imp = req->rq_import;
	bool known;

	sim_enter_atomic(SIM_ptlrpc_connect_interpret);
	if (rc) {
		import_set_state(imp, LUSTRE_IMP_DISCON);
		schedule_delayed_work(&imp->imp_reconnect, RECONNECT_DELAY);
		return rc;
	}
	known = lustre_msg_body(req->rq_repmsg)->pb_op_flags & MSG_CONNECT_RECONNECT;
	if (!imp->imp_connected) {
		imp->imp_connected = 1;
		ptlrpc_activate_import(imp, true);
		return 0;
	}
	import_set_state(imp, known ? LUSTRE_IMP_RECOVER : LUSTRE_IMP_EVICTED);
	return ptlrpc_import_recovery_state_machine(imp);
}

SIM_PROBED int ptlrpc_connect_import(struct obd_import *imp)
{
	struct ptlrpc_request *req;

	spin_lock(&imp->imp_lock);
	if (imp->imp_state != LUSTRE_IMP_NEW && imp->imp_state != LUSTRE_IMP_DISCON) {
		spin_unlock(&imp->imp_lock);
		return -EALREADY;
	}
	import_set_state_nolock(imp, LUSTRE_IMP_CONNECTING);
	imp->imp_conn_cnt++;
	spin_unlock(&imp->imp_lock);

	req = ptlrpc_request_alloc_pack(imp, &RQF_CONNECT, 0,
					is_ost(imp) ? OST_CONNECT : MDS_CONNECT);
	if (!req) {
		import_set_state(imp, LUSTRE_IMP_DISCON);
		schedule_delayed_work(&imp->imp_reconnect, RECONNECT_DELAY);
		return -ENOMEM;
	}
	req->rq_send_state = LUSTRE_IMP_CONNECTING;
	req->rq_no_resend = 1;
	req->rq_interpret_reply = ptlrpc_connect_interpret;
	ptlrpcd_add_req(req);
	return 0;
}

/* 1 if the state changed; only for the connection that the failed request used. */
SIM_PROBED int ptlrpc_set_import_discon(struct obd_import *imp, __u32 conn_cnt, bool invalid)
{
	int changed = 0;

	spin_lock(&imp->imp_lock);
	if (imp->imp_state == LUSTRE_IMP_FULL && (!conn_cnt || conn_cnt == imp->imp_conn_cnt)) {
		import_set_state_nolock(imp, LUSTRE_IMP_DISCON);
		changed = 1;
	}
	spin_unlock(&imp->imp_lock);
	return changed;
}

SIM_PROBED void ptlrpc_fail_import(struct obd_import *imp, __u32 conn_cnt)
{
	if (ptlrpc_set_import_discon(imp, conn_cnt, true))
		ptlrpc_connect_import(imp);
}

SIM_PROBED int ptlrpc_disconnect_import(struct obd_import *imp)
{
	struct ptlrpc_request *req;
	int rc = 0;

	/* Recovery that is under way ends first. */
	wait_event_timeout(imp->imp_recovery_waitq,
			   imp->imp_state == LUSTRE_IMP_FULL && !atomic_read(&imp->imp_inflight),
			   DRAIN_TIMEOUT);
	if (imp->imp_state == LUSTRE_IMP_FULL) {
		req = ptlrpc_request_alloc_pack(imp, &RQF_DISCONNECT, 0,
						is_ost(imp) ? OST_DISCONNECT : MDS_DISCONNECT);
		rc = -ENOMEM;
		if (req) {
			req->rq_no_resend = 1;
			rc = ptlrpc_queue_wait(req);
			ptlrpc_req_put(req);
		}
	}
	import_set_state(imp, LUSTRE_IMP_CLOSED);
	return rc;
}
