/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PtlRPC plane: requests, from their packing to their end.
 *
 *	pack -> hand-over -> transmission(s) -> reply, or none -> end -> free
 *
 * A request is known by its address while it lives. It is taken in when it is packed,
 * which every request is after it was allocated, so that an address that is used again
 * begins anew even if the end of its former request was never seen. It is let go at its
 * end, not when it is freed: what the server has not committed stays allocated for long.
 *
 * On whom it is booked: on the task that hands it over, by ptlrpc_set_add_req() or
 * ptlrpcd_add_req(). So reading, direct I/O, locks and all metadata are booked on the
 * user's process. Writing back is booked on the thread that does it: the process in
 * fsync() or in a write() that must make room, else the kernel's flusher thread. What lock
 * callbacks (ldlm_bl_*), read-ahead (kworker), statahead (ll_sa_*) and recovery ask for
 * is booked on those threads. All of these are "client_worker"; nothing is guessed from
 * the user that Lustre 2.16 and later writes into a request.
 *
 * Its mount: where BTF of Lustre is there, that of its import, whose device name ends in
 * the address of the super block; else the mount that the task is inside an operation
 * on; else none. With BTF a request of a device without such a name, on a node that is
 * a server as well, is not a client's and not counted.
 *
 * The end is
 *	- the result of ptlrpc_check_status(), which looks at the final reply, unless the
 *	  request will be sent again;
 *	- for bulk requests the interpreter, because the transfer may fail yet;
 *	- without a reply the interpreter or the return of ptlrpc_queue_wait();
 *	- else the freeing, with a result that is not known.
 *
 * A "work" request of Lustre up to 2.16 is never packed, hence not taken in.
 */
#ifndef BPF_PTLRPC_H
#define BPF_PTLRPC_H

#include "account.h"
#include "mount.h"
#include "task.h"

/* The wire format, the same in every Lustre. */
#define MSG_BUFCOUNT	 0
#define MSG_MAGIC	 8
#define MSG_MAGIC_V2	 0x0BD00BD3
#define MSG_HEADER	 32 /* then a length for each buffer, all rounded up to 8 */
#define MSG_BUFCOUNT_MAX 64
#define BODY_OPCODE	 16

#define OST_READ  3
#define OST_WRITE 4

/* In place of a set: the request goes to ptlrpcd_add_req(). */
#define PTLRPCD_SET 1

#define SB_DIGITS 16 /* at the end of a device's name, behind a "-" */

static __always_inline const struct rpc_layout *layout_get(void)
{
	__u32 zero = 0;
	struct rpc_layout *layout = bpf_map_lookup_elem(&rpc_layout, &zero);

	return layout && layout->known ? layout : NULL;
}

static __always_inline __u64 read_pointer(__u64 at)
{
	__u64 p = 0;

	bpf_probe_read_kernel(&p, sizeof(p), (void *)at);
	return p;
}

static __always_inline __u32 read_u32(__u64 at)
{
	__u32 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (void *)at);
	return v;
}

/* From the message; OPCODE_UNKNOWN if there is none, or it cannot be found. */
static __always_inline __u32 opcode_read(__u64 req)
{
	const struct rpc_layout *layout = layout_get();
	__u32 n, opcode;
	__u64 msg;

	if (!layout)
		return OPCODE_UNKNOWN;
	msg = read_pointer(req + layout->reqmsg);
	if (!msg || read_u32(msg + MSG_MAGIC) != MSG_MAGIC_V2)
		return OPCODE_UNKNOWN;
	n = read_u32(msg + MSG_BUFCOUNT);
	if (n > MSG_BUFCOUNT_MAX)
		return OPCODE_UNKNOWN;
	opcode = read_u32(msg + ((MSG_HEADER + 4 * n + 7) & ~7ULL) + BODY_OPCODE);
	return opcode < OPCODE_UNKNOWN ? opcode : OPCODE_UNKNOWN;
}

/* What a device is, in one number: TARGET_NOT_OURS, or both. */
#define TARGET(slot, mount)  ((int)((slot) << 8 | (mount)))
#define TARGET_SLOT(target)  ((__u32)(target) >> 8)
#define TARGET_MOUNT(target) ((__u32)(target)&0xff)
#define TARGET_NOT_OURS	     (-1)

static __always_inline __u32 target_slot(const struct target_key *key)
{
	__u32 *found = bpf_map_lookup_elem(&target_index, key), fresh;
	struct rpc_target *target;

	if (found)
		return *found;
	if (bpf_map_pop_elem(&target_free, &fresh))
		return 0;
	target = bpf_map_lookup_elem(&rpc_targets, &fresh);
	if (!target)
		return 0;
	target->key = *key;
	if (!bpf_map_update_elem(&target_index, key, &fresh, BPF_NOEXIST)) {
		kernel_counter_inc(KC_TARGETS);
		return fresh;
	}
	/* Another CPU was faster. */
	bpf_map_push_elem(&target_free, &fresh, 0);
	found = bpf_map_lookup_elem(&target_index, key);
	return found ? *found : 0;
}

/* The super block that a device's name of that length ends in; 0: it does not. */
static __always_inline __u64 super_block_in_name(const struct target_scratch *s, __u32 len)
{
	__u32 begin = len - SB_DIGITS, i;
	__u64 sb = 0;

	if (len < SB_DIGITS + 1 || s->name[(begin - 1) & 127] != '-')
		return 0;
	for (i = 0; i < SB_DIGITS; i++) {
		char c = s->name[(begin + i) & 127];

		if (c >= '0' && c <= '9')
			sb = sb << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			sb = sb << 4 | (c - 'a' + 10);
		else
			return 0;
	}
	return sb;
}

/* The device's slot and mount; other_mount stands in for one that has not been seen yet. */
__noinline int target_find(__u64 obd_name, __u32 other_mount)
{
	__u32 zero = 0, *mount, i, len;
	struct target_scratch *s = bpf_map_lookup_elem(&target_scratch, &zero);
	__u64 sb;
	long n;

	if (!s)
		return TARGET_NOT_OURS;
	n = bpf_probe_read_kernel_str(s->name, sizeof(s->name), (void *)obd_name);
	if (n < 2 || n > (long)sizeof(s->name))
		return TARGET_NOT_OURS;
	len = n - 1;
	s->key.mount = MOUNT_NONE;
	if (s->name[0] == 'M' && s->name[1] == 'G' && s->name[2] == 'C') {
		/* One for all mounts from a server. */
	} else {
		sb = super_block_in_name(s, len);
		if (!sb)
			return TARGET_NOT_OURS;
		len -= SB_DIGITS + 1;
		mount = bpf_map_lookup_elem(&mount_index, &sb);
		s->key.mount = mount ? *mount : other_mount;
	}
	for (i = 0; i < TARGET_NAME_LEN; i++)
		s->key.name[i] = i < len && i < TARGET_NAME_LEN - 1 ? s->name[i] : 0;
	return TARGET(target_slot(&s->key), s->key.mount & 0xff);
}

/* Without BTF all are the target of slot 0. */
static __always_inline int target_of_import(const struct rpc_layout *layout, __u64 import,
					    __u32 mount)
{
	__u64 obd = read_pointer(import + layout->obd);

	return obd ? target_find(obd + layout->obd_name, mount) : TARGET_NOT_OURS;
}

static __always_inline int target_of_request(__u64 req, __u32 mount)
{
	const struct rpc_layout *layout = layout_get();
	__u64 import;

	if (!layout)
		return TARGET(0, mount);
	import = read_pointer(req + layout->import);
	return import ? target_of_import(layout, import, mount) : TARGET_NOT_OURS;
}

static __always_inline void target_cell_key(struct cell_key *key, int target, __u32 op)
{
	__builtin_memset(key, 0, sizeof(*key));
	*(__u64 *)key->comm = TARGET_SLOT(target);
	key->mount = TARGET_MOUNT(target);
	key->op = op;
}

/* The mount that the task is inside an operation on. */
static __always_inline __u32 mount_inside(const struct task_state *task)
{
	__u32 top = task->depth - 1;

	return top < FRAMES ? task->frame[top].mount : MOUNT_NONE;
}

static __always_inline bool mount_ignored(__u32 mount)
{
	struct mount_slot *slot = bpf_map_lookup_elem(&mount_slots, &mount);

	return slot && slot->state == MOUNT_IGNORED;
}

static __always_inline void cell_event(__u32 index, __u32 event)
{
	struct cell *cell = bpf_map_lookup_elem(&cells, &index);

	if (cell && event < RPC_EVENT_MAX)
		__sync_fetch_and_add(&cell->errors[event], 1);
}

static __always_inline void request_forget(__u64 req)
{
	if (!bpf_map_delete_elem(&rpc_requests, &req))
		kernel_counter_inc(KC_RPC_FORGOTTEN);
}

static __always_inline bool request_is_ours(const struct rpc_request *r)
{
	return r && r->cell && r->cell != RPC_FOREIGN;
}

/* Takes in a request that is not known yet; NULL: there is no room. */
static __always_inline struct rpc_request *request_new(__u64 req, __u32 opcode)
{
	struct rpc_request fresh = {.opcode = opcode};

	if (bpf_map_update_elem(&rpc_requests, &req, &fresh, BPF_NOEXIST)) {
		kernel_counter_inc(KC_RPC_REFUSED);
		return NULL;
	}
	kernel_counter_inc(KC_RPC_TRACKED);
	return bpf_map_lookup_elem(&rpc_requests, &req);
}

/*
 * The running task becomes the request's owner. Returns the CELL_RPC, 0 if the
 * request is not ours.
 */
static __always_inline __u32 request_own(struct task_state *task, struct rpc_request *r, __u64 req)
{
	int target = target_of_request(req, mount_inside(task));
	struct cell_key who;
	__u32 mount = TARGET_MOUNT(target);

	if (target == TARGET_NOT_OURS || mount_ignored(mount)) {
		if (r)
			r->cell = RPC_FOREIGN;
		return 0;
	}
	if (r) {
		target_cell_key(&who, target, CELL_RPC_TARGET(r->opcode));
		r->target_cell = cell_find(&who);
	}
	who_of_task(task, &who, mount);
	if (r) {
		who.op = CELL_RPC_USER(r->opcode);
		r->user_cell = cell_find(&who);
	}
	who.op = CELL_RPC;
	return cell_find(&who);
}

static __always_inline void request_start(struct rpc_request *r, __u64 req)
{
	struct task_state *task;
	__u32 cell;

	if (r->opcode == OPCODE_UNKNOWN)
		r->opcode = opcode_read(req);
	task = task_state_get(true);
	if (!task) {
		kernel_counter_inc(KC_TASK_REFUSED);
		return;
	}
	cell = request_own(task, r, req);
	if (cell) {
		r->cell = cell;
		r->sent_ns = bpf_ktime_get_ns();
		cell_event(cell, RPC_STARTED);
	}
	task_state_put(task);
}

/* Bytes of a bulk request are told after its reply, and its result may still change. */
static __always_inline bool is_bulk(const struct rpc_request *r)
{
	return r->opcode == OST_READ || r->opcode == OST_WRITE;
}

/* Without a final reply, nor anybody who told the result: class "other". */
static __always_inline __s32 status_known(const struct rpc_request *r)
{
	return r->replied_ns ? r->status : -MAX_ERRNO;
}

static __always_inline void request_complete(struct rpc_request *r, __s32 status)
{
	__u32 user_cell = r->user_cell, target_cell = r->target_cell;
	__u64 end_ns = r->replied_ns ? r->replied_ns : bpf_ktime_get_ns();
	__u64 latency_ns = end_ns - r->sent_ns;
	struct cell *cell;

	r->done = 1;
	cell = bpf_map_lookup_elem(&cells, &user_cell);
	if (cell)
		__sync_fetch_and_add(&cell->latency[0], 1);
	cell = bpf_map_lookup_elem(&cells, &target_cell);
	if (cell) {
		__sync_fetch_and_add(&cell->latency_sum_ns, latency_ns);
		if (status < 0)
			__sync_fetch_and_add(&cell->errors[errno_class_of(status)], 1);
		__sync_fetch_and_add(&cell->latency[latency_bucket(latency_ns)], 1);
	}
	cell_event(r->cell, RPC_COMPLETED);
}

/* The end of a request; keep: more is to come of it. */
static __always_inline void request_end(__u64 req, __s32 status, bool keep)
{
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (!r)
		return;
	if (request_is_ours(r) && !r->done)
		request_complete(r, status);
	if (!keep)
		request_forget(req);
}

static __always_inline void request_handed_over(__u64 req)
{
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (!r) {
		/* A replay, or packed before we were there. Work requests have no message. */
		if (opcode_read(req) == OPCODE_UNKNOWN)
			return;
		r = request_new(req, OPCODE_UNKNOWN);
	}
	if (r && !r->cell)
		request_start(r, req);
}

/* P1 request, P3 opcode */
SEC("llite.kprobe/RPC_PACK")
int kprobe_RPC_PACK(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	__u32 opcode = PT_REGS_PARM3(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (r) {
		if (request_is_ours(r) && !r->done) {
			kernel_counter_inc(KC_RPC_LOST);
			request_complete(r, r->status);
		}
		request_forget(req);
	}
	request_new(req, opcode < OPCODE_UNKNOWN ? opcode : OPCODE_UNKNOWN);
	return 0;
}

SEC("llite.kprobe/RPC_SET_ADD")
int kprobe_RPC_SET_ADD(struct pt_regs *ctx)
{
	if (PT_REGS_PARM1(ctx) != PTLRPCD_SET)
		request_handed_over(PT_REGS_PARM2(ctx));
	return 0;
}

SEC("llite.kprobe/RPC_PTLRPCD_ADD")
int kprobe_RPC_PTLRPCD_ADD(struct pt_regs *ctx)
{
	request_handed_over(PT_REGS_PARM1(ctx));
	return 0;
}

SEC("llite.kprobe/RPC_SEND")
int kprobe_RPC_SEND(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (!r)
		r = request_new(req, opcode_read(req));
	if (!r)
		return 0;
	/* Its hand-over was not seen. */
	if (!r->cell)
		request_start(r, req);
	if (!request_is_ours(r))
		return 0;
	if (r->sent)
		cell_event(r->cell, RPC_RESEND);
	r->sent = 1;
	r->replied_ns = 0;
	r->sent_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("llite.kprobe/RPC_EXPIRE")
int kprobe_RPC_EXPIRE(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (request_is_ours(r))
		cell_event(r->cell, RPC_EXPIRE);
	return 0;
}

/* The reply was not the final one. */
SEC("llite.kprobe/RPC_NOTCONN")
int kprobe_RPC_NOTCONN(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (!request_is_ours(r))
		return 0;
	cell_event(r->cell, RPC_NOTCONN);
	r->replied_ns = 0;
	return 0;
}

SEC("llite.kprobe/RPC_REPLIED")
int kprobe_RPC_REPLIED(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (r)
		r->replied_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("llite.kprobe/RPC_STATUS")
int kprobe_RPC_STATUS(struct pt_regs *ctx)
{
	struct task_state *task = task_state_get(true);

	if (task)
		task->checked = PT_REGS_PARM1(ctx);
	return 0;
}

SEC("llite.kprobe/RPC_STATUS/exit")
int kretprobe_RPC_STATUS(struct pt_regs *ctx)
{
	struct task_state *task = task_state_get(false);
	__s32 status = PT_REGS_RC(ctx);
	struct rpc_request *r;
	__u64 req;

	if (!task)
		return 0;
	req = task->checked;
	task->checked = 0;
	task_state_put(task);
	r = bpf_map_lookup_elem(&rpc_requests, &req);
	if (!r)
		return 0;
	r->status = status;
	/* Those two are sent again, after the connection has been restored. */
	if (!is_bulk(r) && status != -ENOTCONN && status != -ENODEV)
		request_end(req, status, false);
	return 0;
}

/* An interpreter: P2 request, P4 result. */
#define RPC_INTERPRETER(id)                                                     \
	SEC("llite.kprobe/" #id)                                                \
	int kprobe_##id(struct pt_regs *ctx)                                    \
	{                                                                       \
		request_end(PT_REGS_PARM2(ctx), PT_REGS_PARM4_INT(ctx), false); \
		return 0;                                                       \
	}
#define PT_REGS_PARM4_INT(ctx) ((__s32)PT_REGS_PARM4(ctx))

RPC_INTERPRETER(RPC_CONNECTED)
RPC_INTERPRETER(RPC_ENQUEUE_END)
RPC_INTERPRETER(RPC_SETATTR_END)
RPC_INTERPRETER(RPC_SYNC_END)
RPC_INTERPRETER(RPC_GETATTR_END)

/* Before ptlrpc_lprocfs_brw(), which it calls. */
SEC("llite.kprobe/RPC_BRW_END")
int kprobe_RPC_BRW_END(struct pt_regs *ctx)
{
	request_end(PT_REGS_PARM2(ctx), PT_REGS_PARM4_INT(ctx), true);
	return 0;
}

/* P2 bytes that were moved */
SEC("llite.kprobe/RPC_BYTES")
int kprobe_RPC_BYTES(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx);
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);
	__s32 bytes = PT_REGS_PARM2(ctx);
	__u32 user_cell, target_cell;
	struct cell *cell;

	if (!request_is_ours(r))
		return 0;
	user_cell = r->user_cell;
	target_cell = r->target_cell;
	if (bytes > 0) {
		cell = bpf_map_lookup_elem(&cells, &user_cell);
		if (cell)
			__sync_fetch_and_add(&cell->bytes, bytes);
		cell = bpf_map_lookup_elem(&cells, &target_cell);
		if (cell)
			__sync_fetch_and_add(&cell->bytes, bytes);
	}
	request_end(req, status_known(r), false);
	return 0;
}

static __always_inline void request_freed(__u64 req)
{
	struct rpc_request *r = bpf_map_lookup_elem(&rpc_requests, &req);

	if (r)
		request_end(req, status_known(r), false);
}

SEC("llite.kprobe/RPC_FREE")
int kprobe_RPC_FREE(struct pt_regs *ctx)
{
	request_freed(PT_REGS_PARM1(ctx));
	return 0;
}

SEC("llite.kprobe/RPC_FREE_TO_POOL")
int kprobe_RPC_FREE_TO_POOL(struct pt_regs *ctx)
{
	request_freed(PT_REGS_PARM1(ctx));
	return 0;
}

SEC("llite.kprobe/RPC_QUEUE_WAIT")
int kprobe_RPC_QUEUE_WAIT(struct pt_regs *ctx)
{
	__u64 req = PT_REGS_PARM1(ctx), sp = PT_REGS_SP(ctx);
	struct task_state *task = task_state_get(true);
	struct rpc_wait *w;
	__u32 cell, at;

	if (!task) {
		kernel_counter_inc(KC_TASK_REFUSED);
		return 0;
	}
	cell = request_own(task, bpf_map_lookup_elem(&rpc_requests, &req), req);
	/* Calls that stand lower cannot be running any more. */
	if (task->waits > 1 && task->wait[1].sp <= sp)
		task->waits = 1;
	if (task->waits && task->wait[0].sp <= sp)
		task->waits = 0;
	at = task->waits;
	if (at < RPC_WAITS) {
		w = &task->wait[at];
		w->sp = sp;
		w->req = req;
		w->cell = cell;
		w->start_ns = bpf_ktime_get_ns();
		task->waits = at + 1;
	} else {
		kernel_counter_inc(KC_FRAME_OVERFLOW);
	}
	return 0;
}

SEC("llite.kprobe/RPC_QUEUE_WAIT/exit")
int kretprobe_RPC_QUEUE_WAIT(struct pt_regs *ctx)
{
	struct task_state *task = task_state_get(false);
	__s32 status = PT_REGS_RC(ctx);
	struct cell *cell;
	struct rpc_wait *w;
	__u64 latency_ns;
	__u32 at, index;

	if (!task)
		return 0;
	at = task->waits - 1;
	if (at >= RPC_WAITS)
		return 0;
	w = &task->wait[at];
	task->waits = at;
	latency_ns = bpf_ktime_get_ns() - w->start_ns;
	index = w->cell;
	cell = index ? bpf_map_lookup_elem(&cells, &index) : NULL;
	if (cell) {
		__sync_fetch_and_add(&cell->latency_sum_ns, latency_ns);
		__sync_fetch_and_add(&cell->latency[latency_bucket(latency_ns)], 1);
	}
	/* Bulk requests are not waited for in this way. */
	request_end(w->req, status, false);
	task_state_put(task);
	return 0;
}

/* P1 import, P2 state. Under spin locks. */
SEC("llite.kprobe/IMPORT_STATE")
int kprobe_IMPORT_STATE(struct pt_regs *ctx)
{
	const struct rpc_layout *layout = layout_get();
	__u32 state = PT_REGS_PARM2(ctx) & (IMPORT_STATES - 1), index;
	int target = TARGET(0, MOUNT_NONE);
	struct cell_key key;
	struct cell *cell;

	if (layout)
		target = target_of_import(layout, PT_REGS_PARM1(ctx), MOUNT_NONE);
	if (target == TARGET_NOT_OURS || mount_ignored(TARGET_MOUNT(target)))
		return 0;
	target_cell_key(&key, target, CELL_IMPORT);
	index = cell_find(&key);
	cell = bpf_map_lookup_elem(&cells, &index);
	if (cell)
		__sync_fetch_and_add(&cell->latency[state], 1);
	return 0;
}

#endif
