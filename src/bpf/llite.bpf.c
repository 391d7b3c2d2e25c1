// SPDX-License-Identifier: GPL-2.0
/*
 * The llite plane: one entry and one exit program per function of the table of
 * operations and per form of probe, all made from the two bodies below.
 *
 * A program knows its function and its form at compile time, and the position
 * of the arguments from the read-only configuration, so the verifier reduces
 * each instance to what that function needs.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "maps.h"
#include "mount.h"
#include "task.h"
#include "account.h"
#include "inside.h"
#include "ptlrpc.h"

char LICENSE[] SEC("license") = "GPL";

#define __op_inline static __always_inline

/*
 * Loads from the context at a constant offset. Written in assembler so that the
 * compiler cannot merge several of them into one with a computed address, which
 * the verifier refuses.
 */
#define CTX_LOAD(ctx, offset)                                                               \
	({                                                                                  \
		__u64 __v;                                                                  \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(__v) : "r"(ctx), "i"(offset)); \
		__v;                                                                        \
	})

#if defined(__TARGET_ARCH_x86)
#define REG_OFFSET(arg)                                        \
	((arg) == 0   ? __builtin_offsetof(struct pt_regs, di) \
	 : (arg) == 1 ? __builtin_offsetof(struct pt_regs, si) \
	 : (arg) == 2 ? __builtin_offsetof(struct pt_regs, dx) \
	 : (arg) == 3 ? __builtin_offsetof(struct pt_regs, cx) \
	 : (arg) == 4 ? __builtin_offsetof(struct pt_regs, r8) \
		      : __builtin_offsetof(struct pt_regs, r9))
#elif defined(__TARGET_ARCH_arm64)
#define REG_OFFSET(arg) ((arg)*8)
#endif

/* fentry and fexit are given an array of arguments, every form of kprobe the registers. */
#define ARG_OFFSET(form, arg) ((form) == FORM_FENTRY ? (arg)*8 : REG_OFFSET(arg))

#define ARG_CASE(form, ctx, n)                              \
	case n:                                             \
		__arg = CTX_LOAD(ctx, ARG_OFFSET(form, n)); \
		break;

/* Argument n, from 0; n is known to the verifier but not to the compiler. */
#define ARG(form, ctx, n)                      \
	({                                     \
		__u64 __arg = 0;               \
		switch (n) {                   \
			ARG_CASE(form, ctx, 0) \
			ARG_CASE(form, ctx, 1) \
			ARG_CASE(form, ctx, 2) \
			ARG_CASE(form, ctx, 3) \
			ARG_CASE(form, ctx, 4) \
			ARG_CASE(form, ctx, 5) \
			ARG_CASE(form, ctx, 6) \
			ARG_CASE(form, ctx, 7) \
			ARG_CASE(form, ctx, 8) \
		}                              \
		__arg;                         \
	})

/* fentry: the verifier knows the type, a load is one instruction. kprobe: a checked copy. */
#define GET(form, ptr, ...) \
	((form) == FORM_FENTRY ? GET_DIRECT(ptr, __VA_ARGS__) : BPF_CORE_READ(ptr, __VA_ARGS__))
#define GET_DIRECT(ptr, field) ((ptr)->field)

__op_inline struct super_block *super_block_of(int form, __u32 object, __u64 arg)
{
	struct inode *inode;
	struct file *file;

	switch (object) {
	case OBJ_INODE:
		inode = (struct inode *)arg;
		return GET(form, inode, i_sb);
	case OBJ_DENTRY: {
		struct dentry *dentry = (struct dentry *)arg;

		return GET(form, dentry, d_sb);
	}
	case OBJ_PATH: {
		struct path *path = (struct path *)arg;
		struct dentry *dentry = GET(form, path, dentry);

		return GET(form, dentry, d_sb);
	}
	case OBJ_FILE:
		file = (struct file *)arg;
		inode = GET(form, file, f_inode);
		return GET(form, inode, i_sb);
	case OBJ_KIOCB: {
		struct kiocb *iocb = (struct kiocb *)arg;

		file = GET(form, iocb, ki_filp);
		inode = GET(form, file, f_inode);
		return GET(form, inode, i_sb);
	}
	case OBJ_VMF: {
		struct vm_fault *vmf = (struct vm_fault *)arg;
		struct vm_area_struct *vma = GET(form, vmf, vma);

		file = GET(form, vma, vm_file);
		inode = GET(form, file, f_inode);
		return GET(form, inode, i_sb);
	}
	}
	return NULL;
}

/* Whether operations on the task's mount count; resolves the mount when it is another one. */
__op_inline bool mount_counts(struct task_state *task)
{
	__u64 sb = task->scratch;
	struct mount_slot *slot;
	__u32 mount;

	if (task->sb != sb || task->mount_generation != mount_generation) {
		task->mount_generation = mount_generation;
		task->mount = mount_find(sb);
		/* The surplus slot is asked again each time: another may be free by then. */
		task->sb = task->mount ? sb : 0;
	}
	mount = task->mount;
	slot = bpf_map_lookup_elem(&mount_slots, &mount);
	if (!slot)
		return false;
	if (slot->refresh)
		mount_look(mount, sb);
	return slot->state != MOUNT_IGNORED;
}

__op_inline bool form_is_active(__u32 fn, __u32 form)
{
	__u32 *active = bpf_map_lookup_elem(&active_form, &fn);

	return active && (*active == form || *active == FORM_ANY);
}

__op_inline int op_enter(void *ctx, int form, __u64 sp, __u32 fn, __u32 group, __u32 flags)
{
	__u32 at = config.fn[fn].object_arg;
	struct task_state *task;
	struct frame *f;

	if (!form_is_active(fn, form))
		return 0;
	task = task_state_get(true);
	if (!task) {
		kernel_counter_inc(KC_TASK_REFUSED);
		return 0;
	}
	/* Through memory: what is read back is a plain number to the verifier. */
	task->scratch = (__u64)super_block_of(form, config.fn[fn].object, ARG(form, ctx, at));
	barrier();
	if (!mount_counts(task)) {
		task_state_put(task);
		return 0;
	}

	f = frame_push(task, sp, fn, group, form);
	if (!f)
		return 0;
	f->mount = task->mount;
	if (flags & FNF_IO) {
		struct iov_iter *iter = (void *)ARG(form, ctx, at + 1);

		f->arg[0] = ARG(form, ctx, at);
		f->arg[1] = GET(form, iter, count);
	}
	if (flags & FNF_ATOMIC_OPEN) {
		f->arg[0] = ARG(form, ctx, at + 1);
		f->arg[1] = ARG(form, ctx, at + 2);
		f->arg[2] = ARG(form, ctx, at + 3);
	}
	f->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* Not an operation: the first try of an asynchronous request, which is repeated by the kernel. */
__op_inline bool is_nowait_try(const struct frame *f)
{
	struct kiocb *iocb = (struct kiocb *)f->arg[0];

	return BPF_CORE_READ(iocb, ki_complete) && (BPF_CORE_READ(iocb, ki_flags) & IOCB_NOWAIT);
}

__op_inline __s32 vm_fault_error(__s64 result)
{
	if (!(result & VM_FAULT_ERROR))
		return 0;
	if (result & VM_FAULT_SIGBUS)
		return -EIO;
	return -ENOMEM; /* class "other", as is out of memory */
}

/*
 * ll_atomic_open() has opened the file, has perhaps created it, or has left
 * the rest to the VFS, which then fails with ENOENT on a negative dentry and
 * calls ll_file_open() on a positive one. Returns false where the operation is
 * counted elsewhere.
 */
__op_inline bool atomic_open_outcome(struct task_state *task, const struct frame *f,
				     struct outcome *outcome)
{
	struct file *file = (struct file *)f->arg[1];
	__u32 mode = BPF_CORE_READ(file, f_mode);
	struct dentry *dentry;

	if (outcome->error < 0)
		return true;
	outcome->error = 0;
	if (mode & FMODE_OPENED) {
		if (mode & FMODE_CREATED)
			account(task, f->mount, OP_CREATE, outcome);
		return true;
	}
	dentry = BPF_CORE_READ(file, f_path.dentry);
	if (!dentry)
		dentry = (struct dentry *)f->arg[0];
	if (BPF_CORE_READ(dentry, d_inode) || f->arg[2] & O_CREAT)
		return false;
	outcome->error = -ENOENT;
	return true;
}

__op_inline int op_exit(int form, __u32 fn, __u32 op, __u32 flags, __u64 raw)
{
	struct task_state *task = task_state_get(false);
	struct outcome outcome = {};
	struct frame *f;
	__s64 result;

	if (!task)
		return 0;
	task->scratch = raw;
	f = frame_pop(task, fn, form);
	if (!f) {
		/* Normal where the mount is not selected. */
		task_state_put(task);
		return 0;
	}
	if (f->nested)
		goto out;

	outcome.latency_ns = bpf_ktime_get_ns() - f->start_ns;
	barrier();
	result = task->scratch;
	if (config.fn[fn].result == RESULT_INT)
		result = (__s32)result;
	else if (config.fn[fn].result == RESULT_POINTER && result < -MAX_ERRNO)
		result = 0;

	if (flags & FNF_VM_FAULT) {
		if (result & VM_FAULT_RETRY)
			goto out;
		outcome.error = vm_fault_error(result);
	} else if (result < 0) {
		/* The caller left RCU mode and comes again. */
		if (result == -ECHILD)
			goto out;
		outcome.error = result;
	}
	if (flags & FNF_ATOMIC_OPEN && !atomic_open_outcome(task, f, &outcome))
		goto out;
	if (flags & FNF_IO) {
		if (result == -EAGAIN && is_nowait_try(f))
			goto out;
		if (result == -EIOCBQUEUED) {
			/* Where it completes nobody knows for whom: counted as asked for. */
			outcome.error = 0;
			outcome.bytes = f->arg[1];
		} else if (result > 0) {
			outcome.bytes = result;
		}
		account_size(f->mount, op == OP_WRITE, f->arg[1]);
	}
	account(task, f->mount, op, &outcome);
out:
	task_state_put(task);
	return 0;
}

/* The result of a function observed by fexit stands behind its arguments. */
#define FEXIT_RESULT(ctx, id) ARG(FORM_FENTRY, ctx, config.fn[id].n_args)

#define FN(id, symbols, op, group, table, method, objects, flags)                                 \
	SEC("llite.fentry/" #id)                                                                  \
	int fentry_##id(__u64 *ctx)                                                               \
	{                                                                                         \
		return op_enter(ctx, FORM_FENTRY, (__u64)ctx, FN_##id, OP_##group, flags);        \
	}                                                                                         \
	SEC("llite.fexit/" #id)                                                                   \
	int fexit_##id(__u64 *ctx)                                                                \
	{                                                                                         \
		return op_exit(FORM_FENTRY, FN_##id, OP_##op, flags, FEXIT_RESULT(ctx, FN_##id)); \
	}                                                                                         \
	SEC("llite.multi/" #id)                                                                   \
	int multi_##id(struct pt_regs *ctx)                                                       \
	{                                                                                         \
		return op_enter(ctx, FORM_MULTI, PT_REGS_SP(ctx), FN_##id, OP_##group, flags);    \
	}                                                                                         \
	SEC("llite.multi/" #id "/exit")                                                           \
	int multiret_##id(struct pt_regs *ctx)                                                    \
	{                                                                                         \
		return op_exit(FORM_MULTI, FN_##id, OP_##op, flags, PT_REGS_RC(ctx));             \
	}                                                                                         \
	SEC("llite.kprobe/" #id)                                                                  \
	int kprobe_##id(struct pt_regs *ctx)                                                      \
	{                                                                                         \
		return op_enter(ctx, FORM_KPROBE, PT_REGS_SP(ctx), FN_##id, OP_##group, flags);   \
	}                                                                                         \
	SEC("llite.kprobe/" #id "/exit")                                                          \
	int kretprobe_##id(struct pt_regs *ctx)                                                   \
	{                                                                                         \
		return op_exit(FORM_KPROBE, FN_##id, OP_##op, flags, PT_REGS_RC(ctx));            \
	}
#include "../ops/ops.def"

/* Runs with every form: seen twice, the second call finds nothing. */
SEC("llite.kprobe/PUT_SUPER")
int kprobe_PUT_SUPER(struct pt_regs *ctx)
{
	mount_gone(PT_REGS_PARM1(ctx));
	return 0;
}
