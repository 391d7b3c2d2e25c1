// SPDX-License-Identifier: GPL-2.0
/*
 * The way of one request: NEW -> sent or delayed by the import's state ->
 * answered, expired, refused -> perhaps sent again -> over.
 */
#include <linux/jiffies.h>

#include "compat.h"
#include "ptlrpc/lustre_net.h"
#include "ptlrpc/oracle.h"
#include "ptlrpc/reply.h"

#define INPROGRESS_DELAY (HZ / 50)

static void set_phase(struct ptlrpc_request *req, enum rq_phase phase)
{
	spin_lock(&req->rq_lock);
	req->rq_phase = phase;
	spin_unlock(&req->rq_lock);
}

/* True: the request must wait for the import. Else *status is 0, or why it cannot be sent at all.
 */
static SIM_PROBED bool ptlrpc_import_delay_req(struct obd_import *imp, struct ptlrpc_request *req,
					       int *status)
{
	*status = 0;
	if (req->rq_send_state == imp->imp_state && !imp->imp_invalid)
		return false;
	if (imp->imp_invalid || imp->imp_state == LUSTRE_IMP_CLOSED)
		*status = -EIO;
	return !*status;
}

/* Puts the request on the list that its import's state asks for. True: send it now. */
static bool enlist(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	bool send = false;
	int status;

	spin_lock(&imp->imp_lock);
	spin_lock(&req->rq_lock);
	req->rq_waiting = ptlrpc_import_delay_req(imp, req, &status);
	if (status) {
		req->rq_err = 1;
		req->rq_status = status;
	} else if (req->rq_waiting) {
		list_move_tail(&req->rq_list, &imp->imp_delayed_list);
	} else {
		list_move_tail(&req->rq_list, &imp->imp_sending_list);
		send = true;
	}
	spin_unlock(&req->rq_lock);
	spin_unlock(&imp->imp_lock);
	return send;
}

static void transmit(struct ptlrpc_request *req)
{
	if (ptl_send_rpc(req, 0)) {
		spin_lock(&req->rq_lock);
		req->rq_net_err = 1;
		spin_unlock(&req->rq_lock);
	}
}

static void delist(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	spin_lock(&imp->imp_lock);
	list_del_init(&req->rq_list);
	atomic_dec(&imp->imp_inflight);
	spin_unlock(&imp->imp_lock);
	wake_up_all(&imp->imp_recovery_waitq);
}

/* The first time, and again after EINPROGRESS. */
static SIM_PROBED int ptlrpc_send_new_req(struct ptlrpc_request *req)
{
	sim_enter_atomic(SIM_ptlrpc_send_new_req);
	if (req->rq_nr_resend && time_before(jiffies, req->not_before))
		return 0;
	set_phase(req, RQ_PHASE_RPC);
	atomic_inc(&req->rq_import->imp_inflight);
	lustre_msg_body(req->rq_reqmsg)->pb_status = current->pid;
	if (enlist(req))
		transmit(req);
	return 0;
}

SIM_PROBED int ptlrpc_expire_one_request(struct ptlrpc_request *req, int async_unlink)
{
	struct obd_import *imp = req->rq_import;

	sim_enter_atomic(SIM_ptlrpc_expire_one_request);
	ptlrpc_count_event(imp, "expire");
	imp->imp_timeouts++;
	spin_lock(&req->rq_lock);
	req->rq_timedout = 1;
	if (req->rq_no_resend || req->rq_send_state != LUSTRE_IMP_FULL) {
		req->rq_err = 1;
		req->rq_status = -ETIMEDOUT;
	}
	spin_unlock(&req->rq_lock);
	if (req->rq_err)
		return 1;
	ptlrpc_fail_import(imp, lustre_msg_body(req->rq_reqmsg)->pb_conn_cnt);
	return 0;
}

static SIM_PROBED int ptlrpc_check_status(struct ptlrpc_request *req)
{
	return (int)lustre_msg_body(req->rq_repmsg)->pb_status;
}

/*
 * Takes in the answer. False: the request must be sent again. True: it is
 * over, even if a reconnect has just marked it for resending.
 */
static bool after_reply(struct ptlrpc_request *req)
{
	struct ptlrpc_body *body = lustre_msg_body(req->rq_repmsg);
	struct obd_import *imp = req->rq_import;
	int rc = (int)body->pb_status;

	if (rc == -EINPROGRESS) {
		spin_lock(&req->rq_lock);
		req->rq_replied = 0;
		req->rq_resend = 1;
		req->rq_nr_resend++;
		req->rq_phase = RQ_PHASE_NEW;
		spin_unlock(&req->rq_lock);
		req->not_before = jiffies + INPROGRESS_DELAY;
		delist(req);
		return false;
	}
	if (imp->imp_obd->obd_svc_stats)
		ptlrpc_lprocfs_rpc_sent(req, ktime_us_delta(ktime_get_real(), req->rq_sent_ns));
	rc = ptlrpc_check_status(req);
	if (rc == -ENOTCONN && req->rq_send_state == LUSTRE_IMP_FULL && !req->rq_no_resend) {
		ptlrpc_request_handle_notconn(req);
		return false;
	}
	if (body->pb_transno) {
		req->rq_transno = body->pb_transno;
		ptlrpc_retain_replayable_request(req, imp);
		ptlrpc_free_committed(imp, body->pb_last_committed);
	}
	req->rq_status = rc;
	return true;
}

bool ptlrpc_advance(struct ptlrpc_request *req)
{
	if (req->rq_phase == RQ_PHASE_NEW) {
		ptlrpc_send_new_req(req);
		if (req->rq_phase == RQ_PHASE_NEW)
			return false;
	}
again:
	if (req->rq_err)
		return true;
	if (req->rq_replied) {
		if (after_reply(req))
			return true;
		if (req->rq_phase == RQ_PHASE_NEW)
			return false;
	}
	if (req->rq_intr) {
		req->rq_status = -EINTR;
		return true;
	}
	if (req->rq_net_err && !req->rq_timedout && ptlrpc_expire_one_request(req, 0))
		return true;
	if (req->rq_waiting || req->rq_timedout || req->rq_resend) {
		if (enlist(req)) {
			transmit(req);
			goto again;
		}
		return req->rq_err;
	}
	return false;
}

void ptlrpc_finish(const struct lu_env *env, struct ptlrpc_request *req)
{
	set_phase(req, RQ_PHASE_INTERPRET);
	delist(req);
	ptlrpc_count_completed(req);
	if (req->rq_interpret_reply)
		req->rq_status =
			req->rq_interpret_reply(env, req, &req->rq_async_args, req->rq_status);
	set_phase(req, RQ_PHASE_COMPLETE);
}
