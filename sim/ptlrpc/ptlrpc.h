/* SPDX-License-Identifier: GPL-2.0 */
/* The simulated PtlRPC layer, as lustre.ko uses it. */
#ifndef SIM_PTLRPC_PTLRPC_H
#define SIM_PTLRPC_PTLRPC_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/types.h>

struct ptlrpc_request;

typedef int (*ptlrpc_interpterer_t)(const void *env, struct ptlrpc_request *req, void *args,
				    int rc);

struct ptlrpc_request {
	struct list_head rq_list;
	ptlrpc_interpterer_t rq_interpret_reply; /* called by ptlrpcd when the request is done */
	u64 rq_async_args[8];
};

struct ptlrpc_request *ptlrpc_request_alloc(void);
void ptlrpc_request_cache_free(struct ptlrpc_request *req);

/* Hands the request over to a ptlrpcd thread, which frees it after completion. */
void ptlrpcd_add_req(struct ptlrpc_request *req);

int ptlrpcd_start(void);
void ptlrpcd_stop(void);

/* /sys/fs/lustre */
extern struct kobject *lustre_kobj;

#endif
