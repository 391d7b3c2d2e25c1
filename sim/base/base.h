/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the simulated client's parts share: the oracle (exact counts of what
 * was done, kept by the code that does it) and the injection of delays, errors
 * and hangs. Lives in ptlrpc.ko; lustre.ko uses it.
 */
#ifndef SIM_BASE_BASE_H
#define SIM_BASE_BASE_H

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "ops/ops.h"

/* The functions of the table of operations, then our own: one numbering. */
enum sim_fn {
	SIM_FN_TABLE_LAST = FN_MAX - 1,
#define SIM_FN(symbol) SIM_##symbol,
#include "base/functions.def"
	SIM_FN_MAX,
};

/* Name of a function: the first symbol in the table. No end: see length. */
const char *sim_fn_name(unsigned int fn, int *length);

/* --- the oracle ------------------------------------------------------- */

/* One super block, or one that was; named <fsname>-<address>. */
struct sim_instance;

/* The instance of that name, made if it is new. NULL: no memory. Never freed before unload. */
struct sim_instance *sim_instance_get(const char *fsname, const void *sb);

/*
 * One operation was done by the calling task, with this result: negative is
 * -errno, else success. The caller decides whether it was one (see the
 * exclusions at the call sites); sim_count() leaves out only -ECHILD, which is
 * never an operation.
 */
void sim_count(struct sim_instance *instance, enum op_id op, long rc);

/* The same for an operation that moves bytes; requested is the size asked for. */
void sim_count_io(struct sim_instance *instance, enum op_id op, long rc, u64 bytes, u64 requested);

/* On whose account: fsuid and name of the process. */
struct sim_owner {
	u32 uid;
	char comm[TASK_COMM_LEN];
};

void sim_owner_current(struct sim_owner *owner);

/* A request, as the oracle knows it. */
struct sim_rpc {
	struct sim_instance *instance;
	const char *target; /* 8 bytes, NUL padded: OST0000 */
	u32 opcode;
	const struct sim_owner *owner;
};

/* Handed over; each transmission; answered or given up, status 0 or -errno. */
void sim_rpc_started(const struct sim_rpc *rpc);
void sim_rpc_sent(const struct sim_rpc *rpc);
void sim_rpc_completed(const struct sim_rpc *rpc, int status, u64 bytes);
/* ptlrpc_queue_wait() ended. */
void sim_rpc_waited(const struct sim_rpc *rpc, int rc);
/* expire, notconn, resend, or the name of an import state that was entered. */
void sim_rpc_event(struct sim_instance *instance, const char *target, const char *event);

/* --- injection -------------------------------------------------------- */

DECLARE_STATIC_KEY_FALSE(sim_inject_key);

extern atomic64_t sim_calls[SIM_FN_MAX];

/* Result of sim_enter(): the function returns VM_FAULT_RETRY. */
#define SIM_RETRY 1

/* Applies what is injected into fn: sleeps; returns 0, -errno or SIM_RETRY. */
int sim_inject_apply(unsigned int fn);

/* True when something may be injected: then RCU walks must be left first. */
static inline bool sim_injecting(void)
{
	return static_branch_unlikely(&sim_inject_key);
}

/* First statement of every probed function that must not sleep. */
static inline void sim_enter_atomic(unsigned int fn)
{
	atomic64_inc(&sim_calls[fn]);
}

/* First statement of every other probed function; not 0: do not do the work. */
static inline int sim_enter(unsigned int fn)
{
	sim_enter_atomic(fn);
	return sim_injecting() ? sim_inject_apply(fn) : 0;
}

/* --- set-up, for ptlrpc/module.c and base/debugfs.c -------------------- */

struct seq_file;

int sim_debugfs_init(void);
void sim_debugfs_exit(void);
void sim_counts_exit(void);
void sim_counts_reset(void);
int sim_counts_show(struct seq_file *m, void *unused);
int sim_functions_show(struct seq_file *m, void *unused);

void sim_uids_count(struct sim_instance *instance, enum op_id op, u64 bytes);
void sim_sizes_count(struct sim_instance *instance, enum op_id op, u64 size);
void sim_uids_reset(void);
int sim_uids_show(struct seq_file *m, void *unused);
int sim_sizes_show(struct seq_file *m, void *unused);
int sim_rpcs_show(struct seq_file *m, void *unused);
int sim_rpc_owners_show(struct seq_file *m, void *unused);
int sim_rpc_events_show(struct seq_file *m, void *unused);
void sim_rpcs_reset(void);
enum errno_class sim_errno_class(long rc);
const char *sim_instance_name(const struct sim_instance *instance);
const char *sim_op_name(enum op_id op);

int sim_inject_show(struct seq_file *m, void *unused);
/* Takes lines as described in README.md. 0 or -errno; nothing after a bad line is done. */
int sim_inject_write(char *text);
void sim_inject_clear(void);

/* What the simulated servers do, ptlrpc/behaviour.c; texts as in README.md. */
int sim_behaviour_show(struct seq_file *m, void *unused);
int sim_behaviour_write(char *text);

#endif
