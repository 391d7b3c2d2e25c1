/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire format of Lustre messages, the same in every release: probes read
 * requests through these constant layouts.
 */
#ifndef SIM_PTLRPC_WIRE_H
#define SIM_PTLRPC_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define LUSTRE_MSG_MAGIC_V2 0x0BD00BD3
#define LUSTRE_JOBID_SIZE   32

#define PTL_RPC_MSG_REQUEST 4711
#define PTL_RPC_MSG_ERR	    4712
#define PTL_RPC_MSG_REPLY   4713

/* pb_flags */
#define MSG_RESENT	 0x0002
#define MSG_PACK_UID_GID 0x0200
/* pb_op_flags of a connect reply: the server still knows the client */
#define MSG_CONNECT_RECONNECT 0x0002

struct lustre_msg_v2 {
	__u32 lm_bufcount;
	__u32 lm_secflvr;
	__u32 lm_magic;
	__u32 lm_repsize;
	__u32 lm_cksum;
	__u32 lm_flags;
	__u32 lm_opc;
	__u32 lm_padding_3;
	__u32 lm_buflens[];
};
#define lustre_msg lustre_msg_v2

struct lustre_handle {
	__u64 cookie;
};

struct ptlrpc_body_v3 {
	struct lustre_handle pb_handle;
	__u32 pb_type;
	__u32 pb_version;
	__u32 pb_opc;
	__u32 pb_status;
	__u64 pb_last_xid;
	__u16 pb_tag;
	__u16 pb_padding0;
	__u32 pb_projid;
	__u64 pb_last_committed;
	__u64 pb_transno;
	__u32 pb_flags;
	__u32 pb_op_flags;
	__u32 pb_conn_cnt;
	__u32 pb_timeout;
	__u32 pb_service_time;
	__u32 pb_limit;
	__u64 pb_slv;
	__u64 pb_pre_versions[4];
	__u64 pb_mbits;
	__u64 pb_padding64_0;
	__u64 pb_padding64_1;
	__u32 pb_uid;
	__u32 pb_gid;
	char pb_jobid[LUSTRE_JOBID_SIZE];
};
#define ptlrpc_body ptlrpc_body_v3

static_assert(sizeof(struct lustre_msg_v2) == 32);
static_assert(sizeof(struct ptlrpc_body_v3) == 184);
static_assert(offsetof(struct ptlrpc_body_v3, pb_opc) == 16);
static_assert(offsetof(struct ptlrpc_body_v3, pb_flags) == 56);
static_assert(offsetof(struct ptlrpc_body_v3, pb_conn_cnt) == 64);
static_assert(offsetof(struct ptlrpc_body_v3, pb_mbits) == 120);
static_assert(offsetof(struct ptlrpc_body_v3, pb_uid) == 144);
static_assert(offsetof(struct ptlrpc_body_v3, pb_jobid) == 152);

struct job_info {
	char ji_jobid[LUSTRE_JOBID_SIZE];
	__u32 ji_uid;
	__u32 ji_gid;
};

enum rpc_opcode {
	OST_READ = 3,
	OST_WRITE = 4,
	OST_CONNECT = 8,
	OST_DISCONNECT = 9,
	OST_PUNCH = 10,
	OST_FALLOCATE = 22,
	MDS_CLOSE = 35,
	MDS_REINT = 36,
	MDS_READPAGE = 37,
	MDS_CONNECT = 38,
	MDS_DISCONNECT = 39,
	MDS_STATFS = 41,
	MDS_SYNC = 44,
	LDLM_ENQUEUE = 101,
};

/* First word of an MDS_REINT record. */
enum mds_reint_op {
	REINT_SETATTR = 1,
	REINT_CREATE = 2,
	REINT_LINK = 3,
	REINT_UNLINK = 4,
	REINT_RENAME = 5,
	REINT_OPEN = 6,
	REINT_SETXATTR = 7,
};

/* Intent of an LDLM_ENQUEUE to the MDT. */
#define IT_OPEN	   0x0001
#define IT_CREAT   0x0002
#define IT_GETATTR 0x0008
#define IT_LOOKUP  0x0010

/* Portals: which service a request goes to. */
#define OST_IO_PORTAL	    6
#define MDS_REQUEST_PORTAL  12
#define MDS_READPAGE_PORTAL 23
#define OST_REQUEST_PORTAL  28

#endif
