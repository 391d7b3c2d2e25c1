/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Enumerators made from the table of operations (ops.def). This header is
 * included by BPF programs, by user space and by the simulated client: it must
 * not include anything.
 */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#define OPF_BYTES 0x1 /* the result is a number of bytes */
#define OPF_HOT	  0x2 /* observed only when asked for */

#define FNF_ATOMIC_OPEN 0x1 /* open, perhaps create, perhaps neither */
#define FNF_IO		0x2 /* kiocb, iov_iter -> bytes, -EIOCBQUEUED, -EAGAIN */
#define FNF_VM_FAULT	0x4 /* vm_fault_t bits instead of an errno */
#define FNF_OPTIONAL	0x8 /* its absence is normal: no metric is lost */

/* What a parameter points to; the way from it to the super block follows. */
#define OBJ_INODE  0x01
#define OBJ_DENTRY 0x02
#define OBJ_PATH   0x04
#define OBJ_FILE   0x08
#define OBJ_KIOCB  0x10
#define OBJ_VMF	   0x20

enum intent {
	INTENT_NAMESPACE_READ,
	INTENT_NAMESPACE_MUTATION,
	INTENT_DATA_READ,
	INTENT_DATA_WRITE,
	INTENT_SYNC,
	INTENT_OTHER,
	INTENT_MAX,
};

enum op_id {
#define OP(id, name, intent, flags) OP_##id,
#include "ops.def"
	OP_MAX,
};

enum fn_id {
#define FN(id, symbols, op, group, table, method, objects, flags) FN_##id,
#include "ops.def"
	FN_MAX,
};

#define POINT_ENTER 0x1
#define POINT_EXIT  0x2

enum point_id {
#define POINT(id, symbols, module, halves) POINT_##id,
#include "points.def"
	POINT_MAX,
};

/* Classes of errno, label "errno_class". */
enum errno_class {
	ERRNO_TIMEOUT,	/* ETIMEDOUT */
	ERRNO_NOTCONN,	/* ENOTCONN */
	ERRNO_PERM,	/* EPERM EACCES */
	ERRNO_NOTFOUND, /* ENOENT ENOTDIR */
	ERRNO_IO,	/* EIO EREMOTEIO */
	ERRNO_AGAIN,	/* EAGAIN */
	ERRNO_OTHER,
	ERRNO_CLASS_MAX,
};

#endif
