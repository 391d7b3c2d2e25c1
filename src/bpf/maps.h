/* SPDX-License-Identifier: GPL-2.0 */
/* All maps, their limits and what happens at the limit. */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include "config.h"

/* Sizes marked (set) are set by user space before loading. */

/* Counters. Folded cells first, then those handed out by cell_free. (set) */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cell);
} cells SEC(".maps");

/* Which cell an identity has. Full: the folded cell is used. (set) */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct cell_key);
	__type(value, __u32);
} cell_index SEC(".maps");

/* Cells not in use, filled by user space before anything is attached. (set) */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(value_size, sizeof(__u32));
} cell_free SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SIZE_CELLS);
	__type(key, __u32);
	__type(value, struct size_cell);
} size_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MOUNT_SLOTS);
	__type(key, __u32);
	__type(value, struct mount_slot);
} mount_slots SEC(".maps");

/*
 * Super block -> slot, and (generation, slot) -> claimed: the insertion that
 * succeeds decides which CPU made the claim. Two entries a slot, and two for
 * each CPU that is about to lose.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4 * MOUNT_SLOTS);
	__type(key, __u64);
	__type(value, __u32);
} mount_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KC_MAX);
	__type(key, __u32);
	__type(value, __u64);
} kernel_counters SEC(".maps");

/*
 * Which form of probe counts for a function. While one form is exchanged for
 * another, FORM_ANY: both push a frame, and the second one is nested in the first
 * and not counted, so that each call counts once whenever the change comes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FN_MAX);
	__type(key, __u32);
	__type(value, __u32);
} active_form SEC(".maps");

#define FRAMES 8

/* One observed function that a task is inside of. */
struct frame {
	__u64 sp; /* stack address at entry: outer calls have higher ones */
	__u64 start_ns;
	/* FNF_IO: kiocb, bytes asked for; FNF_ATOMIC_OPEN: dentry, file, open flags */
	__u64 arg[3];
	__u8 fn;
	__u8 form;
	__u8 group;
	__u8 nested; /* part of an outer operation: not counted */
	__u32 mount;
};

#define RPC_WAITS 2

/* A call of ptlrpc_queue_wait(). Ordered by stack address, as frames are. */
struct rpc_wait {
	__u64 sp;
	__u64 start_ns;
	__u64 req;
	__u32 cell;
	__u32 reserved;
};

struct task_state {
	__u64 active; /* groups with a frame that counts, one bit each */
	__u64 sb;     /* the super block last seen and its slot ... */
	__u32 mount;
	__u32 mount_generation; /* ... valid while nobody unmounts */
	__u32 depth;
	__u32 who_valid;
	__u64 scratch;	     /* turns a typed pointer into a number */
	struct cell_key who; /* whom cell[] belongs to; op is 0, job the address of the css_set */
	__u64 job;	     /* the job key of who ... */
	__u64 who_flags;     /* ... and its WHO_* */
	__u32 cell[OP_MAX];  /* its cells, 0: not looked up */
	struct frame frame[FRAMES];
	__u64 checked; /* the request whose reply it looks at */
	__u32 waits;
	__u32 reserved;
	struct rpc_wait wait[RPC_WAITS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/* Where there is no task storage: tasks that are inside an operation. (set) */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct task_state);
} tasks_hash SEC(".maps");

/* Jobs that were met. Full: operations count without a job. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, JOB_SLOTS);
	__type(key, __u32);
	__type(value, struct job_slot);
} jobs SEC(".maps");

/* What a job is -> its key; and slots being claimed, see job_of_id(). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * JOB_SLOTS + 1024);
	__type(key, struct lasting_id);
	__type(value, __u64);
} job_index SEC(".maps");

/*
 * Any cgroup -> what was found out of it, see job_of_cgroup(). A cache: what is
 * thrown out is found out again. (set)
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct lasting_id);
	__type(value, __u64);
} cgroup_cache SEC(".maps");

/* What was found out of a process. */
struct process {
	__u64 inherited; /* below a batch system's daemon: handed on to its children */
	__u64 css_set;
	__u64 job; /* while it is in that css_set */
};

/*
 * Processes below a batch system's daemon, so that what they launch is known as
 * theirs when the daemon is gone; where there is no task storage also all others.
 * The least recently used one is thrown out. (set)
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct lasting_id);
	__type(value, struct process);
} processes SEC(".maps");

/* The doorbell of user space: full, or not there, it delays a label. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, JOB_NEWS_BYTES);
} job_news SEC(".maps");
/* A request from its packing to its end, by its address. */
struct rpc_request {
	__u64 sent_ns;	  /* the last transmission; before that: the hand-over */
	__u64 replied_ns; /* 0: no reply yet */
	__u32 cell;	  /* CELL_RPC of its owner. 0: not handed over, RPC_FOREIGN: not ours */
	__u32 user_cell;
	__u32 target_cell;
	__s32 status; /* of the reply */
	__u16 opcode;
	__u16 sent; /* transmissions */
	__u32 done; /* counted as completed; its bytes may follow */
};
#define RPC_FOREIGN (~0U)

/* Full: a request is not counted at all. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RPC_REQUESTS);
	__type(key, __u64);
	__type(value, struct rpc_request);
} rpc_requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RPC_TARGETS);
	__type(key, __u32);
	__type(value, struct rpc_target);
} rpc_targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RPC_TARGETS);
	__type(key, struct target_key);
	__type(value, __u32);
} target_index SEC(".maps");

/* Slots not in use, filled by user space before anything is attached. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, RPC_TARGETS);
	__uint(value_size, sizeof(__u32));
} target_free SEC(".maps");

/* Written by user space when Lustre is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rpc_layout);
} rpc_layout SEC(".maps");

/* A device's name is indexed, which older kernels do not allow on the stack. */
struct target_scratch {
	char name[128];
	struct target_key key;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct target_scratch);
} target_scratch SEC(".maps");

const volatile struct bpf_config config = {};
const volatile struct latency_table latency_table = {};

/* Raised whenever a super block is shut down: its address may come back. */
__u32 mount_generation = 1;

static __always_inline void kernel_counter_inc(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&kernel_counters, &counter);

	if (value)
		__sync_fetch_and_add(value, 1);
}

#endif
