/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who did it, and the counting. An identity's cell is found through a hash that
 * the kernel fills itself, and remembered with the task; what was remembered is
 * compared with what is true now at each operation, so that a changed name,
 * fsuid or mount needs no notification.
 */
#ifndef BPF_ACCOUNT_H
#define BPF_ACCOUNT_H

#include "identity.h"
#include "latency.h"

/* One finished operation. */
struct outcome {
	__u64 latency_ns;
	__u64 bytes;
	__s32 error; /* 0 or a negative errno */
};

static __always_inline __u32 errno_class_of(__s32 error)
{
	switch (-error) {
	case ETIMEDOUT:
		return ERRNO_TIMEOUT;
	case ENOTCONN:
		return ERRNO_NOTCONN;
	case EPERM:
	case EACCES:
		return ERRNO_PERM;
	case ENOENT:
	case ENOTDIR:
		return ERRNO_NOTFOUND;
	case EIO:
	case EREMOTEIO:
		return ERRNO_IO;
	case EAGAIN:
		return ERRNO_AGAIN;
	}
	return ERRNO_OTHER;
}

/*
 * What tells whether the running task's identity is still the one that its cells
 * were looked up for: the address of its css_set, where the key has the job.
 */
static __always_inline void who_read(struct cell_key *who, __u32 mount)
{
	__u64 *comm = (__u64 *)who->comm;

	who->uid = 0;
	who->mount = mount;
	who->op = 0;
	who->flags = 0;
	if (config.has_task_btf) {
		struct task_struct *task = bpf_get_current_task_btf();
		struct task_struct *named = config.thread_name ? task : task->group_leader;

		comm[0] = *(__u64 *)&named->comm[0];
		comm[1] = *(__u64 *)&named->comm[8];
		who->job = (__u64)task->cgroups;
		if (config.collect_uid)
			who->uid = task->cred->fsuid.val;
	} else {
		struct task_struct *task = (void *)bpf_get_current_task();
		struct task_struct *named =
			config.thread_name ? task : BPF_CORE_READ(task, group_leader);

		BPF_CORE_READ_INTO(&who->comm, named, comm);
		who->job = (__u64)BPF_CORE_READ(task, cgroups);
		if (config.collect_uid)
			who->uid = BPF_CORE_READ(task, cred, fsuid.val);
	}
}

static __always_inline bool who_equal(const struct cell_key *a, const struct cell_key *b)
{
	const __u64 *x = (const __u64 *)a, *y = (const __u64 *)b;

	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
}

static __always_inline void who_find(struct task_state *task)
{
	__u64 found = job_of_current();

	task->job = FOUND_KEY(found);
	task->who_flags = FOUND_FLAGS(found);
}

/* The identity in who is new to the task: none of its cells is known. */
static __always_inline void who_remember(struct task_state *task, const struct cell_key *who)
{
	__u32 i;

	for (i = 0; i < OP_MAX; i++)
		task->cell[i] = 0;
	if (!task->who_valid || task->who.job != who->job)
		who_find(task);
	task->who = *who;
	task->who_valid = 1;
}

/* Index of the identity's cell, made if need be; the folded one if there is no room. */
static __noinline int cell_find(const struct cell_key *key)
{
	__u32 *found, fresh, folded;
	struct cell *cell;

	if (!key)
		return 0;
	found = bpf_map_lookup_elem(&cell_index, key);
	if (found)
		return *found;

	folded = FOLDED_CELL(key->mount, key->op);
	if (bpf_map_pop_elem(&cell_free, &fresh)) {
		kernel_counter_inc(KC_CELL_REFUSED);
		return folded;
	}
	cell = bpf_map_lookup_elem(&cells, &fresh);
	if (!cell)
		return folded;
	cell->key = *key;
	if (!bpf_map_update_elem(&cell_index, key, &fresh, BPF_NOEXIST)) {
		kernel_counter_inc(KC_CELLS_CREATED);
		return fresh;
	}
	/* Another CPU made it meanwhile, or the index is full. */
	bpf_map_push_elem(&cell_free, &fresh, 0);
	found = bpf_map_lookup_elem(&cell_index, key);
	if (found)
		return *found;
	kernel_counter_inc(KC_CELL_REFUSED);
	return folded;
}

/* Who the running task is, with its job; op stays 0. */
static __always_inline void who_of_task(struct task_state *task, struct cell_key *who, __u32 mount)
{
	who_read(who, mount);
	if (!task->who_valid || !who_equal(&task->who, who))
		who_remember(task, who);
	if (task->job && !job_is_current(task->job))
		who_find(task);
	who->job = task->job;
	who->flags = task->who_flags;
}

/* The cell of the running task's identity for op, through what the task remembers. */
static __always_inline struct cell *cell_of(struct task_state *task, __u32 mount, __u32 op)
{
	struct cell_key who;
	__u32 index;

	who_read(&who, mount);
	if (!task->who_valid || !who_equal(&task->who, &who))
		who_remember(task, &who);
	index = task->cell[op];
	if (!index) {
		if (task->job && !job_is_current(task->job))
			who_find(task);
		who.job = task->job;
		who.flags = task->who_flags;
		who.op = op;
		index = cell_find(&who);
		/* A refusal is not remembered: there may be room the next time. */
		if (index >= FOLDED_CELLS)
			task->cell[op] = index;
	}
	return bpf_map_lookup_elem(&cells, &index);
}

static __always_inline void account(struct task_state *task, __u32 mount, __u32 op,
				    const struct outcome *outcome)
{
	struct cell *cell = cell_of(task, mount, op);

	if (!cell)
		return;
	__sync_fetch_and_add(&cell->latency_sum_ns, outcome->latency_ns);
	if (outcome->bytes)
		__sync_fetch_and_add(&cell->bytes, outcome->bytes);
	if (outcome->error)
		__sync_fetch_and_add(&cell->errors[errno_class_of(outcome->error)], 1);
	/* Last: this is what makes it an operation. */
	__sync_fetch_and_add(&cell->latency[latency_bucket(outcome->latency_ns)], 1);
}

static __always_inline void account_size(__u32 mount, bool is_write, __u64 bytes)
{
	__u32 index = SIZE_CELL(mount, is_write);
	struct size_cell *cell = bpf_map_lookup_elem(&size_cells, &index);

	if (!cell)
		return;
	__sync_fetch_and_add(&cell->sum, bytes);
	__sync_fetch_and_add(&cell->count[size_bucket(bytes)], 1);
}

#endif
