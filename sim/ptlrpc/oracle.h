/* SPDX-License-Identifier: GPL-2.0 */
/* The oracle, told in terms of requests. */
#ifndef SIM_PTLRPC_ORACLE_H
#define SIM_PTLRPC_ORACLE_H

#include "ptlrpc/lustre_net.h"

static inline struct sim_rpc ptlrpc_describe(struct ptlrpc_request *req)
{
	const struct obd_device *obd = req->rq_import->imp_obd;

	return (struct sim_rpc){
		.instance = obd->instance,
		.target = obd->target,
		.opcode = lustre_msg_body(req->rq_reqmsg)->pb_opc,
		.owner = &req->owner,
	};
}

/* The calling task hands the request over. */
static inline void ptlrpc_count_started(struct ptlrpc_request *req)
{
	struct sim_rpc rpc = ptlrpc_describe(req);

	sim_owner_current(&req->owner);
	sim_rpc_started(&rpc);
}

static inline void ptlrpc_count_sent(struct ptlrpc_request *req)
{
	struct sim_rpc rpc = ptlrpc_describe(req);

	sim_rpc_sent(&rpc);
}

static inline void ptlrpc_count_completed(struct ptlrpc_request *req)
{
	struct sim_rpc rpc = ptlrpc_describe(req);
	bool moved = req->rq_bulk && !req->rq_status;

	sim_rpc_completed(&rpc, req->rq_status, moved ? req->rq_bulk->bd_nob : 0);
}

static inline void ptlrpc_count_waited(struct ptlrpc_request *req, int rc)
{
	struct sim_rpc rpc = ptlrpc_describe(req);

	sim_rpc_waited(&rpc, rc);
}

static inline void ptlrpc_count_event(struct obd_import *imp, const char *event)
{
	sim_rpc_event(imp->imp_obd->instance, imp->imp_obd->target, event);
}

#endif
