// SPDX-License-Identifier: GPL-2.0
/*
 * Life of a request: allocation, references, freeing. Requests come from a
 * slab cache, so that addresses are used again at once, or from a pool, whose
 * requests never see ptlrpc_request_cache_free(). An answered request that the
 * server has not committed lives on in the import's replay list.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "ptlrpc/behaviour.h"
#include "ptlrpc/lustre_net.h"

#define POOL_SIZE 16

static struct kmem_cache *request_cache;
static atomic64_t last_xid = ATOMIC64_INIT(0x4000000000);

struct ptlrpc_request_pool osc_rq_pool;

static void request_init(struct ptlrpc_request *req, struct ptlrpc_request_pool *pool)
{
	memset(req, 0, sizeof(*req));
	spin_lock_init(&req->rq_lock);
	INIT_LIST_HEAD(&req->rq_list);
	INIT_LIST_HEAD(&req->rq_replay_list);
	INIT_LIST_HEAD(&req->rq_set_chain);
	atomic_set(&req->rq_refcount, 1);
	req->rq_pool = pool;
	req->rq_type = PTL_RPC_MSG_REQUEST;
	req->rq_phase = RQ_PHASE_NEW;
	req->rq_next_phase = RQ_PHASE_NEW;
	req->rq_send_state = LUSTRE_IMP_FULL;
}

static SIM_PROBED struct ptlrpc_request *ptlrpc_prep_req_from_pool(struct ptlrpc_request_pool *pool)
{
	struct ptlrpc_request *req;

	spin_lock(&pool->prp_lock);
	req = list_first_entry_or_null(&pool->prp_req_list, struct ptlrpc_request, rq_list);
	if (req)
		list_del_init(&req->rq_list);
	spin_unlock(&pool->prp_lock);
	return req;
}

static SIM_PROBED struct ptlrpc_request *
ptlrpc_request_alloc_internal(struct obd_import *imp, struct ptlrpc_request_pool *pool,
			      const struct req_format *fmt)
{
	struct ptlrpc_request *req = pool ? ptlrpc_prep_req_from_pool(pool) : NULL;

	if (req) {
		request_init(req, pool);
	} else {
		req = kmem_cache_alloc(request_cache, GFP_NOFS);
		if (!req)
			return NULL;
		request_init(req, NULL);
	}
	req->rq_import = imp;
	req->rq_pill.rc_req = req;
	req->rq_pill.rc_fmt = fmt;
	req->rq_cli.cr_req_cbid = (struct ptlrpc_cb_id){request_out_callback, req};
	req->rq_cli.cr_reply_cbid = (struct ptlrpc_cb_id){reply_in_callback, req};
	return req;
}

SIM_PROBED struct ptlrpc_request *ptlrpc_request_alloc(struct obd_import *imp,
						       const struct req_format *fmt)
{
	sim_enter_atomic(SIM_ptlrpc_request_alloc);
	return ptlrpc_request_alloc_internal(imp, NULL, fmt);
}

SIM_PROBED struct ptlrpc_request *ptlrpc_request_alloc_pool(struct obd_import *imp,
							    struct ptlrpc_request_pool *pool,
							    const struct req_format *fmt)
{
	sim_enter_atomic(SIM_ptlrpc_request_alloc_pool);
	return ptlrpc_request_alloc_internal(imp, sim_from_pool() ? pool : NULL, fmt);
}

static u16 portal_of(const struct obd_import *imp, u32 opcode)
{
	switch (opcode) {
	case OST_READ:
	case OST_WRITE:
		return OST_IO_PORTAL;
	case MDS_READPAGE:
		return MDS_READPAGE_PORTAL;
	}
	return imp->imp_replayable ? MDS_REQUEST_PORTAL : OST_REQUEST_PORTAL;
}

/* Three buffers: the body, a record, an intent. */
SIM_PROBED int ptlrpc_request_bufs_pack(struct ptlrpc_request *req, __u32 version, int opcode,
					char **bufs, struct ptlrpc_cli_ctx *ctx)
{
	static const u32 lengths[] = {sizeof(struct ptlrpc_body), 200, sizeof(u64)};
	struct ptlrpc_body *body;

	sim_enter_atomic(SIM_ptlrpc_request_bufs_pack);
	req->rq_reqmsg = (struct lustre_msg *)req->reqbuf;
	lustre_msg_init(req->rq_reqmsg, ARRAY_SIZE(lengths), lengths);
	body = lustre_msg_body(req->rq_reqmsg);
	body->pb_type = PTL_RPC_MSG_REQUEST;
	body->pb_version = version;
	body->pb_opc = opcode;
	req->rq_xid = atomic64_inc_return(&last_xid);
	req->rq_mbits = req->rq_xid;
	body->pb_mbits = req->rq_mbits;
	req->rq_request_portal = portal_of(req->rq_import, opcode);
	req->rq_reqlen = RPC_BUFFER;
	return 0;
}

SIM_PROBED int ptlrpc_request_pack(struct ptlrpc_request *req, __u32 version, int opcode)
{
	return ptlrpc_request_bufs_pack(req, version, opcode, NULL, NULL);
}

SIM_PROBED struct ptlrpc_request *ptlrpc_request_alloc_pack(struct obd_import *imp,
							    const struct req_format *fmt,
							    __u32 version, int opcode)
{
	struct ptlrpc_request *req = ptlrpc_request_alloc(imp, fmt);

	if (req)
		ptlrpc_request_pack(req, version, opcode);
	return req;
}

SIM_PROBED void ptlrpc_request_cache_free(struct ptlrpc_request *req)
{
	sim_enter_atomic(SIM_ptlrpc_request_cache_free);
	kmem_cache_free(request_cache, req);
}

static SIM_PROBED void __ptlrpc_free_req_to_pool(struct ptlrpc_request *req)
{
	struct ptlrpc_request_pool *pool = req->rq_pool;

	sim_enter_atomic(SIM___ptlrpc_free_req_to_pool);
	spin_lock(&pool->prp_lock);
	list_add(&req->rq_list, &pool->prp_req_list);
	spin_unlock(&pool->prp_lock);
}

/* Inlined in real builds: nothing can be attached here. */
static __always_inline void free_req(struct ptlrpc_request *req)
{
	kfree(req->rq_bulk);
	if (req->rq_pool)
		__ptlrpc_free_req_to_pool(req);
	else if (sim_lose_free())
		kmem_cache_free(request_cache, req);
	else
		ptlrpc_request_cache_free(req);
}

SIM_PROBED void ptlrpc_req_put(struct ptlrpc_request *req)
{
	if (atomic_dec_and_test(&req->rq_refcount))
		free_req(req);
}

/* A request that was never handed over. */
SIM_PROBED void ptlrpc_request_free(struct ptlrpc_request *req)
{
	free_req(req);
}

void ptlrpc_retain_replayable_request(struct ptlrpc_request *req, struct obd_import *imp)
{
	ptlrpc_request_addref(req);
	spin_lock(&imp->imp_lock);
	list_add_tail(&req->rq_replay_list, &imp->imp_replay_list);
	spin_unlock(&imp->imp_lock);
}

static SIM_PROBED void ptlrpc_free_request(struct ptlrpc_request *req)
{
	sim_enter_atomic(SIM_ptlrpc_free_request);
	req->rq_committed = 1;
	ptlrpc_req_put(req);
}

/* Lets go of what the server has committed. */
void ptlrpc_free_committed(struct obd_import *imp, u64 committed)
{
	struct ptlrpc_request *req, *next;
	LIST_HEAD(done);

	spin_lock(&imp->imp_lock);
	imp->imp_peer_committed_transno = committed;
	list_for_each_entry_safe (req, next, &imp->imp_replay_list, rq_replay_list) {
		if (req->rq_transno <= committed)
			list_move_tail(&req->rq_replay_list, &done);
	}
	spin_unlock(&imp->imp_lock);
	list_for_each_entry_safe (req, next, &done, rq_replay_list) {
		list_del_init(&req->rq_replay_list);
		ptlrpc_free_request(req);
	}
}

int ptlrpc_requests_init(void)
{
	int i;

	spin_lock_init(&osc_rq_pool.prp_lock);
	INIT_LIST_HEAD(&osc_rq_pool.prp_req_list);
	request_cache =
		kmem_cache_create("ptlrpc_cache", sizeof(struct ptlrpc_request), 0, 0, NULL);
	if (!request_cache)
		return -ENOMEM;
	for (i = 0; i < POOL_SIZE; i++) {
		struct ptlrpc_request *req = kmem_cache_alloc(request_cache, GFP_KERNEL);

		if (!req)
			break; /* a smaller pool does as well */
		list_add(&req->rq_list, &osc_rq_pool.prp_req_list);
	}
	return 0;
}

void ptlrpc_requests_exit(void)
{
	struct ptlrpc_request *req;

	while ((req = ptlrpc_prep_req_from_pool(&osc_rq_pool)))
		kmem_cache_free(request_cache, req);
	kmem_cache_destroy(request_cache);
}
