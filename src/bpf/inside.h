/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is inside an operation now: iterators that write a frame_record for each
 * frame of each task. Task storage is found by walking the task's list with
 * checked reads: the helper for it takes a lock that would make a probe on the
 * same CPU lose an operation.
 */
#ifndef BPF_INSIDE_H
#define BPF_INSIDE_H

#include "task.h"

/* Storages of one task that other BPF programs may have put before ours. */
#define STORAGE_WALK 16

static __always_inline void write_frames(struct seq_file *seq, const struct task_state *state,
					 struct task_struct *task)
{
	struct frame_record record = {};
	struct frame f;
	__u32 i, depth = 0;

	bpf_probe_read_kernel(&depth, sizeof(depth), &state->depth);
	if (!depth)
		return;
	record.pid = BPF_CORE_READ(task, pid);
	record.tgid = BPF_CORE_READ(task, tgid);
	record.uid = BPF_CORE_READ(task, cred, fsuid.val);
	BPF_CORE_READ_INTO(&record.comm, task, group_leader, comm);
	for (i = 0; i < FRAMES && i < depth; i++) {
		bpf_probe_read_kernel(&f, sizeof(f), &state->frame[i]);
		record.start_ns = f.start_ns;
		record.fn = f.fn;
		record.form = f.form;
		record.nested = f.nested;
		record.mount = f.mount;
		bpf_seq_write(seq, &record, sizeof(record));
	}
}

SEC("iter/task")
int inside_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct bpf_local_storage *storage;
	struct hlist_node *node;
	__u32 i, ours;

	if (!task)
		return 0;
	storage = BPF_CORE_READ(task, bpf_storage);
	if (!storage)
		return 0;
	ours = ((struct bpf_map *)&tasks)->id;
	node = BPF_CORE_READ(storage, list.first);
	for (i = 0; i < STORAGE_WALK && node; i++) {
		struct bpf_local_storage_elem *elem =
			(void *)node - bpf_core_field_offset(struct bpf_local_storage_elem, snode);

		if (BPF_CORE_READ(elem, sdata.smap, map.id) == ours) {
			write_frames(ctx->meta->seq,
				     (void *)elem +
					     bpf_core_field_offset(struct bpf_local_storage_elem,
								   sdata.data),
				     task);
			break;
		}
		node = BPF_CORE_READ(node, next);
	}
	return 0;
}

SEC("iter/bpf_map_elem")
int inside_hash(struct bpf_iter__bpf_map_elem *ctx)
{
	struct task_state *state = ctx->value;
	__u64 *task = ctx->key;

	if (state && task)
		write_frames(ctx->meta->seq, state, (struct task_struct *)*task);
	return 0;
}

#endif
