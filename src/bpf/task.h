/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a task: the stack of observed functions it is inside of, and
 * the cells it used last.
 *
 * A frame whose return was never seen must not hide what comes after it. It is
 * recognised by its stack address: whoever is called now stands below (x86,
 * arm64: lower address) every function that is still running.
 */
#ifndef BPF_TASK_H
#define BPF_TASK_H

#include "maps.h"

/* Template of a fresh entry of tasks_hash; too large for the BPF stack. */
static const struct task_state task_state_zero = {};

static __always_inline struct task_state *task_state_get(bool create)
{
	struct task_state *task;
	__u64 key;

	if (config.has_task_storage)
		return bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0,
					    create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);

	key = bpf_get_current_task();
	task = bpf_map_lookup_elem(&tasks_hash, &key);
	if (task || !create)
		return task;
	bpf_map_update_elem(&tasks_hash, &key, &task_state_zero, BPF_ANY);
	return bpf_map_lookup_elem(&tasks_hash, &key);
}

/* Nothing is kept for a task that is outside of Lustre, where keeping is not for free. */
static __always_inline void task_state_put(struct task_state *task)
{
	__u64 key;

	if (config.has_task_storage || task->depth || task->waits || task->checked)
		return;
	key = bpf_get_current_task();
	bpf_map_delete_elem(&tasks_hash, &key);
}

/* An operation whose return was not seen; what is nested in another is none of its own. */
static __always_inline void frame_lost(const struct frame *f)
{
	if (!f->nested)
		kernel_counter_inc(KC_FRAME_STALE);
}

/*
 * Whether the frame is of the very call that another form of probe enters now: the
 * forms tell addresses that differ by less than a call takes.
 */
static __always_inline bool same_call(const struct frame *f, __u64 sp, __u32 fn, __u32 form)
{
	return f->fn == fn && f->form != form && f->sp - sp + 512 < 1024;
}

/*
 * Drops the frames that cannot be running any more when fn is entered at sp.
 * Frames are ordered by address, so all that stay come before all that go.
 * Equal addresses of different functions are a tail call: both are running.
 */
static __noinline int frames_drop_stale(struct task_state *task, __u64 sp, __u32 fn, __u32 form)
{
	__u64 active = 0;
	__u32 i, depth = 0;

	if (!task)
		return 0;
	for (i = 0; i < FRAMES; i++) {
		struct frame *f = &task->frame[i];

		if (i >= task->depth)
			break;
		if (!same_call(f, sp, fn, form) && (f->sp < sp || (f->sp == sp && f->fn == fn))) {
			frame_lost(f);
			continue;
		}
		depth = i + 1;
		if (!f->nested)
			active |= 1ULL << (f->group & 63);
	}
	task->depth = depth;
	task->active = active;
	return 0;
}

/* Drops the frames above the one at index at: they were left without a return that we saw. */
static __noinline int frames_drop_above(struct task_state *task, __u32 at)
{
	__u32 i;

	if (!task)
		return 0;
	for (i = 0; i < FRAMES; i++) {
		struct frame *f = &task->frame[i];

		if (i <= at)
			continue;
		if (i >= task->depth)
			break;
		frame_lost(f);
		if (!f->nested)
			task->active &= ~(1ULL << (f->group & 63));
	}
	return 0;
}

/* A new frame for fn, entered at sp; NULL if the task is nested too deep. */
static __always_inline struct frame *frame_push(struct task_state *task, __u64 sp, __u32 fn,
						__u32 group, __u32 form)
{
	__u64 bit = 1ULL << group;
	struct frame *f;
	__u32 depth;

	if (task->active & bit || task->depth >= FRAMES) {
		/* Through memory: fentry gives its context, a pointer that must not be computed
		 * with. */
		task->scratch = sp;
		barrier();
		frames_drop_stale(task, task->scratch, fn, form);
	}
	depth = task->depth;
	if (depth >= FRAMES) {
		kernel_counter_inc(KC_FRAME_OVERFLOW);
		return NULL;
	}
	f = &task->frame[depth];
	f->sp = sp;
	f->fn = fn;
	f->form = form;
	f->group = group;
	f->nested = !!(task->active & bit);
	task->active |= bit;
	task->depth = depth + 1;
	return f;
}

/* Index of the innermost frame of fn, where it is not the top one; -1: there is none. */
static __noinline int frame_find_below(struct task_state *task, __u32 fn, __u32 form)
{
	__u32 i;

	if (!task)
		return -1;
	for (i = 0; i < FRAMES; i++) {
		__u32 at = task->depth - 1 - i;
		struct frame *f;

		if (at >= FRAMES)
			break;
		f = &task->frame[at];
		if (f->fn == fn && f->form == form)
			return at;
	}
	return -1;
}

/*
 * Takes the frame of fn off. The pointer stays good until the task enters the
 * next function. NULL: its entry was not seen.
 */
static __always_inline struct frame *frame_pop(struct task_state *task, __u32 fn, __u32 form)
{
	__u32 at = task->depth - 1;
	struct frame *f;
	int found;

	if (at >= FRAMES)
		return NULL;
	f = &task->frame[at];
	if (f->fn != fn || f->form != form) {
		found = frame_find_below(task, fn, form);
		if (found < 0)
			return NULL;
		at = found;
		if (at >= FRAMES)
			return NULL;
		frames_drop_above(task, at);
		f = &task->frame[at];
	}
	task->depth = at;
	if (!f->nested)
		task->active &= ~(1ULL << (f->group & 63));
	return f;
}

#endif
