/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests, sets of requests, imports and devices, named as in Lustre 2.17:
 * probes with BTF find their fields by these names. The sizes are our own.
 */
#ifndef SIM_PTLRPC_LUSTRE_NET_H
#define SIM_PTLRPC_LUSTRE_NET_H

#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "base/base.h"
#include "ptlrpc/wire.h"

struct lu_env; /* always NULL here */
struct ptlrpc_request;
struct ptlrpc_cli_ctx;

enum lustre_imp_state {
	LUSTRE_IMP_CLOSED = 1,
	LUSTRE_IMP_NEW = 2,
	LUSTRE_IMP_DISCON = 3,
	LUSTRE_IMP_CONNECTING = 4,
	LUSTRE_IMP_REPLAY = 5,
	LUSTRE_IMP_REPLAY_LOCKS = 6,
	LUSTRE_IMP_REPLAY_WAIT = 7,
	LUSTRE_IMP_RECOVER = 8,
	LUSTRE_IMP_FULL = 9,
	LUSTRE_IMP_EVICTED = 10,
	LUSTRE_IMP_IDLE = 11,
};

struct obd_uuid {
	char uuid[40];
};

struct obd_type {
	struct kobject typ_kobj; /* only its name is used */
};

struct client_obd {
	struct obd_import *cl_import;
};

struct obd_device {
	struct obd_type *obd_type;
	int obd_minor;
	struct obd_uuid obd_uuid;
	char obd_name[128]; /* <fsname>-OST0000-osc-<super block> */
	void *obd_svc_stats;
	struct client_obd cli;
	/* the simulation's own */
	struct sim_instance *instance;
	char target[8];	   /* OST0000 */
	unsigned int rule; /* of the server's behaviour */
};

struct obd_import {
	struct obd_device *imp_obd;
	enum lustre_imp_state imp_state;
	int imp_generation; /* raised by every eviction */
	u32 imp_conn_cnt;
	int imp_timeouts;
	atomic_t imp_inflight; /* requests on either of the two lists below */
	spinlock_t imp_lock;   /* state, counts and lists; taken before rq_lock */
	unsigned int imp_invalid : 1, imp_replayable : 1, imp_connected : 1;
	struct list_head imp_sending_list;
	struct list_head imp_delayed_list; /* wait for the state FULL */
	struct list_head imp_replay_list;  /* answered, not yet committed by the server */
	u64 imp_peer_committed_transno;
	wait_queue_head_t imp_recovery_waitq; /* state or imp_inflight changed */
	struct delayed_work imp_reconnect;
	struct task_struct *imp_inval_thread;
	/* the simulated server's */
	atomic64_t imp_server_transno;
	bool imp_server_forgot; /* it evicted the client */
};

enum rq_phase {
	RQ_PHASE_NEW = 0xebc0de00,
	RQ_PHASE_RPC = 0xebc0de01,
	RQ_PHASE_BULK = 0xebc0de02,
	RQ_PHASE_INTERPRET = 0xebc0de03,
	RQ_PHASE_COMPLETE = 0xebc0de04,
};

struct ptlrpc_bulk_desc {
	int bd_iov_count;
	int bd_nob; /* planned */
	int bd_nob_transferred;
};

struct lnet_event {
	void *md_user_ptr; /* struct ptlrpc_cb_id */
	int status;
	unsigned int mlength;
	/* the simulation's own: which transmission is answered, and how */
	unsigned int attempt;
	int reply_status;
	u32 reply_op_flags;
};

struct ptlrpc_cb_id {
	void (*cbid_fn)(struct lnet_event *ev);
	void *cbid_arg;
};

typedef int (*ptlrpc_interpterer_t)(const struct lu_env *env, struct ptlrpc_request *req, void *arg,
				    int rc);

union ptlrpc_async_args {
	void *pointer_arg[11];
	u64 space[7];
};

struct ptlrpc_request_set {
	atomic_t set_remaining;
	wait_queue_head_t set_waitq;
	atomic_t set_wakeups;
	struct list_head set_requests; /* only the thread that works on the set */
	spinlock_t set_new_req_lock;
	struct list_head set_new_requests; /* handed over, not yet taken */
};

struct ptlrpcd_ctl {
	struct ptlrpc_request_set *pc_set;
	struct task_struct *pc_thread;
	int pc_index;
	char pc_name[16];
};

struct req_format {
	const char *rf_name;
};

struct req_capsule {
	struct ptlrpc_request *rc_req;
	struct lustre_msg *rc_reqmsg;
	struct lustre_msg *rc_repmsg;
	const struct req_format *rc_fmt;
};

struct ptlrpc_request_pool {
	spinlock_t prp_lock;
	struct list_head prp_req_list;
};

struct ptlrpc_cli_req {
	struct ptlrpc_bulk_desc *cr_bulk;
	u64 cr_queued_time_ns;
	ktime_t cr_sent_ns; /* real time, at each transmission */
	u16 cr_req_ptl;
	u16 cr_resend_nr; /* after EINPROGRESS */
	struct ptlrpc_request_set *cr_set;
	struct list_head cr_set_chain;
	struct ptlrpc_cb_id cr_req_cbid;
	struct ptlrpc_cb_id cr_reply_cbid;
	ptlrpc_interpterer_t cr_reply_interp;
	union ptlrpc_async_args cr_async_args;
};

#define RPC_BUFFER 512

struct ptlrpc_request {
	int rq_type;
	int rq_status;
	struct list_head rq_list; /* imp_sending_list, imp_delayed_list, the pool */
	spinlock_t rq_lock;	  /* flags */
	unsigned int rq_intr : 1, rq_replied : 1, rq_err : 1, rq_timedout : 1, rq_resend : 1,
		rq_no_resend : 1, rq_waiting : 1, rq_net_err : 1, rq_committed : 1;
	enum rq_phase rq_phase;
	enum rq_phase rq_next_phase;
	atomic_t rq_refcount;
	int rq_nob_received;
	int rq_reqlen;
	int rq_replen;
	struct ptlrpc_request_pool *rq_pool;
	u64 rq_transno;
	u64 rq_xid;
	u64 rq_mbits;
	struct list_head rq_replay_list;
	union {
		struct ptlrpc_cli_req rq_cli;
	};
	struct obd_import *rq_import;
	enum lustre_imp_state rq_send_state; /* the import must be in to send */
	int rq_timeout;
	time64_t rq_sent;
	time64_t rq_deadline;
	struct req_capsule rq_pill;
	/* the simulation's own */
	unsigned long expires;	  /* jiffies */
	unsigned long not_before; /* jiffies: when it may be sent again */
	unsigned int attempt;	  /* transmissions */
	struct sim_owner owner;	  /* who handed it over */
	char reqbuf[RPC_BUFFER] __aligned(8);
	char repbuf[RPC_BUFFER] __aligned(8);
};

#define rq_bulk		   rq_cli.cr_bulk
#define rq_set		   rq_cli.cr_set
#define rq_set_chain	   rq_cli.cr_set_chain
#define rq_sent_ns	   rq_cli.cr_sent_ns
#define rq_nr_resend	   rq_cli.cr_resend_nr
#define rq_request_portal  rq_cli.cr_req_ptl
#define rq_interpret_reply rq_cli.cr_reply_interp
#define rq_async_args	   rq_cli.cr_async_args
#define rq_reqmsg	   rq_pill.rc_reqmsg
#define rq_repmsg	   rq_pill.rc_repmsg

/* In place of a set: hand over to ptlrpcd. */
#define PTLRPCD_SET ((struct ptlrpc_request_set *)1)

/* client.c: requests */
int ptlrpc_requests_init(void);
void ptlrpc_requests_exit(void);
struct ptlrpc_request *ptlrpc_request_alloc(struct obd_import *imp, const struct req_format *fmt);
struct ptlrpc_request *ptlrpc_request_alloc_pool(struct obd_import *imp,
						 struct ptlrpc_request_pool *pool,
						 const struct req_format *fmt);
int ptlrpc_request_pack(struct ptlrpc_request *req, __u32 version, int opcode);
int ptlrpc_request_bufs_pack(struct ptlrpc_request *req, __u32 version, int opcode, char **bufs,
			     struct ptlrpc_cli_ctx *ctx);
struct ptlrpc_request *ptlrpc_request_alloc_pack(struct obd_import *imp,
						 const struct req_format *fmt, __u32 version,
						 int opcode);
void ptlrpc_request_free(struct ptlrpc_request *req);
void ptlrpc_request_cache_free(struct ptlrpc_request *req);
void ptlrpc_req_put(struct ptlrpc_request *req);
void ptlrpc_free_committed(struct obd_import *imp, u64 committed);
void ptlrpc_retain_replayable_request(struct ptlrpc_request *req, struct obd_import *imp);
extern struct ptlrpc_request_pool osc_rq_pool;

static inline struct ptlrpc_request *ptlrpc_request_addref(struct ptlrpc_request *req)
{
	atomic_inc(&req->rq_refcount);
	return req;
}

/* set.c: sets, and what happens to a request in one */
struct ptlrpc_request_set *ptlrpc_prep_set(void);
void ptlrpc_set_destroy(struct ptlrpc_request_set *set);
void ptlrpc_set_add_req(struct ptlrpc_request_set *set, struct ptlrpc_request *req);
void ptlrpc_set_add_new_req(struct ptlrpcd_ctl *pc, struct ptlrpc_request *req);
int ptlrpc_set_wait(const struct lu_env *env, struct ptlrpc_request_set *set);
int ptlrpc_check_set(const struct lu_env *env, struct ptlrpc_request_set *set);
void ptlrpc_expired_set(struct ptlrpc_request_set *set);
/* Jiffies until something in the set is due. */
long ptlrpc_set_next_timeout(struct ptlrpc_request_set *set);
int ptlrpc_queue_wait(struct ptlrpc_request *req);
int ptlrpc_expire_one_request(struct ptlrpc_request *req, int async_unlink);
void ptlrpc_resend_req(struct ptlrpc_request *req);
void ptlrpc_client_wake_req(struct ptlrpc_request *req);

/* ptlrpcd.c */
int ptlrpcd_start(void);
void ptlrpcd_stop(void);
void ptlrpcd_add_req(struct ptlrpc_request *req);

/* niobuf.c, events.c, server.c */
int ptl_send_rpc(struct ptlrpc_request *req, int noreply);
void ptlrpc_master_callback(struct lnet_event *ev);
void request_out_callback(struct lnet_event *ev);
void reply_in_callback(struct lnet_event *ev);
int sim_server_start(void);
void sim_server_stop(void);
/* The network takes over the caller's reference of req. */
void sim_server_take(struct ptlrpc_request *req, unsigned int attempt);

/* import.c, recover.c */
struct obd_import *sim_import_new(struct obd_device *obd);
void sim_import_free(struct obd_import *imp);
int ptlrpc_connect_import(struct obd_import *imp);
int ptlrpc_disconnect_import(struct obd_import *imp);
int ptlrpc_set_import_discon(struct obd_import *imp, __u32 conn_cnt, bool invalid);
void ptlrpc_fail_import(struct obd_import *imp, __u32 conn_cnt);
void ptlrpc_activate_import(struct obd_import *imp, bool set_state_full);
void ptlrpc_invalidate_import(struct obd_import *imp);
int ptlrpc_import_recovery_state_machine(struct obd_import *imp);
void ptlrpc_request_handle_notconn(struct ptlrpc_request *req);
int ptlrpc_resend(struct obd_import *imp);
void ptlrpc_abort_inflight(struct obd_import *imp);
void ptlrpc_wake_delayed(struct obd_import *imp);

/* lproc.c, pack.c */
void ptlrpc_lprocfs_rpc_sent(struct ptlrpc_request *req, long amount);
void ptlrpc_lprocfs_brw(struct ptlrpc_request *req, int bytes);
struct ptlrpc_body *lustre_msg_body(struct lustre_msg *msg);
void *lustre_msg_buf(struct lustre_msg *msg, unsigned int n);
void lustre_msg_init(struct lustre_msg *msg, unsigned int count, const u32 *lengths);
void lustre_msg_set_jobinfo(struct lustre_msg *msg, const struct job_info *ji);
__u32 lustre_msg_get_opc(struct lustre_msg *msg);

#endif
