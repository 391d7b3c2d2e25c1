/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What crosses the border between the kernel and user space: the layout of the
 * mapped arrays. Needs fixed-width __u8..__u64 types from the including file
 * (linux/types.h in user space, kernel.h in BPF programs).
 *
 * All counters only grow. The kernel writes them with atomic adds; user space
 * reads them through mmap and never writes a counter.
 */
#ifndef BPF_SHARED_H
#define BPF_SHARED_H

#include "../ops/ops.h"

#define COMM_LEN    16 /* TASK_COMM_LEN */
#define MOUNT_SLOTS 64 /* super blocks known at once; slot 0 takes the surplus */
#define MOUNT_IDS   32 /* struct mount looked at per super block */

/*
 * Latency buckets: the union of the native histogram bounds of schema 2,
 * 2^(i/4) seconds for i in -108 .. 28 (2^-27 s .. 2^7 s), and of the 12 classic
 * bounds of the contract, of which two (0.25, 1) are native ones as well.
 * Bucket b holds bound[b-1] < t <= bound[b]; the last one is open.
 */
#define LATENCY_BOUNDS	147
#define LATENCY_BUCKETS (LATENCY_BOUNDS + 1)

/* Size buckets: bucket b holds 2^(b-1) < bytes <= 2^b; 0 and 1 byte are in 0; the last one is open.
 */
#define SIZE_BUCKETS 40

/* Who did what where: the key of a cell. comm is raw, NUL padded. */
struct cell_key {
	char comm[COMM_LEN]; /* of the process or of the thread (--process-name-source) */
	__u64 job;	     /* JOB_KEY of the Slurm job, 0: in none, or jobs are not collected */
	__u32 uid;	     /* fsuid in the initial user namespace; 0 without --uid-labels */
	__u16 op;	     /* enum op_id, or CELL_RPC... */
	__u8 mount;	     /* index into the mount slots, or MOUNT_NONE */
	__u8 flags;	     /* WHO_* */
};

#define WHO_FOLDED  1 /* the cell "other" of (mount, op); who is meaningless */
#define WHO_KTHREAD 2 /* a thread of the kernel's own */
#define WHO_BATCH   4 /* launched by a batch system */

/*
 * What a cell counts that is not of an operation.
 *
 * CELL_RPC	an identity's requests: errors[] are enum rpc_event, latency[] is that
 *		of its calls of ptlrpc_queue_wait()
 * CELL_RPC_USER(opcode)
 *		an identity's requests that are over: their number in latency[0], bytes
 * CELL_RPC_TARGET(opcode)
 *		the same of a server target, with errors and service times. The key has no
 *		identity: comm begins with the index of the target's slot (__u64)
 * CELL_IMPORT	the import of a target, as above: latency[state] is how often it went into
 *		that state
 */
#define CELL_RPC	     OP_MAX
#define CELL_RPC_USER(opc)   (0x1000 | ((opc)&OPCODE_MASK))
#define CELL_RPC_TARGET(opc) (0x2000 | ((opc)&OPCODE_MASK))
#define CELL_IMPORT	     0x3000
#define CELL_OPCODE(op)	     ((op)&OPCODE_MASK)
#define CELL_PLANE(op)	     ((op) & ~OPCODE_MASK)
#define OPCODE_MASK	     0xfff
#define OPCODE_UNKNOWN	     0xffe /* sent, but its message could not be read */
#define OPCODE_OTHER	     0xfff /* in folded cells */

enum rpc_event {
	RPC_STARTED,   /* handed over to be sent */
	RPC_COMPLETED, /* over, whatever its result */
	RPC_RESEND,    /* every transmission after the first */
	RPC_RESTART,   /* no current Lustre does that */
	RPC_EXPIRE,    /* not answered in time, or the network failed */
	RPC_NOTCONN,   /* the server did not know the client */
	RPC_EVENT_MAX,
};

/*
 * One (who, op, mount). The number of operations is the sum of the latency
 * buckets, so that a histogram and its counter cannot disagree.
 */
struct cell {
	struct cell_key key;
	__u64 bytes;	      /* moved */
	__u64 latency_sum_ns; /* of all operations */
	__u64 errors[ERRNO_CLASS_MAX];
	__u64 latency[LATENCY_BUCKETS];
};

/* The first cells are the folded ones: per mount each operation and each other kind, opcodes taken
 * together. */
#define MOUNT_NONE	MOUNT_SLOTS /* of a request that no mount is known for */
#define MOUNTS_ALL	(MOUNT_SLOTS + 1)
#define FOLDED_KINDS	(OP_MAX + 4)
#define FOLDED_KIND(op) ((op) <= CELL_RPC ? (op) : CELL_RPC + (CELL_PLANE(op) >> 12))
#define FOLDED_OP(kind)                                           \
	((kind) <= CELL_RPC	  ? (kind)                        \
	 : (kind) == CELL_RPC + 1 ? CELL_RPC_USER(OPCODE_OTHER)   \
	 : (kind) == CELL_RPC + 2 ? CELL_RPC_TARGET(OPCODE_OTHER) \
				  : CELL_IMPORT)
#define FOLDED_CELL(mount, op) ((__u32)(mount)*FOLDED_KINDS + FOLDED_KIND(op))
#define FOLDED_CELLS	       (MOUNTS_ALL * FOLDED_KINDS)

/* Request sizes, one per (mount, direction). */
struct size_cell {
	__u64 sum; /* bytes asked for */
	__u64 count[SIZE_BUCKETS];
};
#define SIZE_CELL(mount, is_write) ((__u32)(mount)*2 + ((is_write) ? 1 : 0))
#define SIZE_CELLS		   (MOUNT_SLOTS * 2)

/* Life of a mount slot. Who may make the transition stands in brackets. */
enum mount_state {
	MOUNT_FREE = 0,	   /* [user] may be claimed */
	MOUNT_CLAIMED = 1, /* [kernel] being filled in; counts already */
	MOUNT_COUNTED = 2, /* [user] counts: selected, or not yet decided */
	MOUNT_IGNORED = 3, /* [user] not selected: operations are not counted */
	MOUNT_GONE = 4, /* [kernel] super block was shut down; the counts stay until [user] frees */
};

/*
 * A super block that an operation was seen on, found by its address: llite
 * rewrites s_dev, so that two mounts of one file system share it.
 */
struct mount_slot {
	__u64 sb;	  /* address of the super block, 0: none */
	__u32 state;	  /* enum mount_state */
	__u32 refresh;	  /* [user] sets 1: look at the super block's mounts again at the next
			     operation */
	__u32 dev;	  /* s_dev, kernel encoding: major << 20 | minor */
	__u32 n_ids;	  /* entries of mnt_id in use; more mounts than fit: MOUNT_IDS */
	__u32 generation; /* [user] raises it when it frees the slot */
	__u32 looked;	  /* raised by the kernel each time mnt_id was written */
	__u32 fill;	  /* [kernel] entries of mnt_id written so far, while it looks */
	__u32 reserved;
	__u32 mnt_id[MOUNT_IDS]; /* first field of /proc/PID/mountinfo */
};

#define JOB_SLOTS    4096 /* jobs known at once */
#define JOB_NAME_LEN 128  /* of a directory's name with its NUL; longer ones are cut */
#define JOB_DIRS     3	  /* the job's directory, its parent and that one's */
#define JOB_MEMBERS  4	  /* processes seen last in a job */

/* Never 0. A slot that is used again has another generation. */
#define JOB_KEY(slot, generation) ((__u64)(generation) << 16 | (slot))
#define JOB_KEY_SLOT(key)	  ((__u32)(key) & (JOB_SLOTS - 1))
#define JOB_KEY_GENERATION(key)	  ((__u32)((key) >> 16))

/* Life of a job slot. Who may make the transition stands in brackets. */
enum job_state {
	JOB_FREE = 0,	 /* [user] may be claimed */
	JOB_CLAIMED = 1, /* [kernel] being filled in */
	JOB_MET = 2,	 /* [kernel] complete */
};

/* What proves that a process belongs to a job, and where the job's id is to be found. */
enum job_proof {
	JOB_SLURM_V2, /* dir: <job>, [<node>_]slurmstepd.scope */
	JOB_SLURM_V1, /* dir: <job>, uid_<n>, slurm[_<node>] */
	JOB_ANCESTOR, /* a slurmstepd of root; the id is in the environment */
};

/*
 * What does not come back while the machine runs: a process by its start
 * (CLOCK_BOOTTIME, ns) and its pid in the initial namespace, or a cgroup by its
 * number and 1 + its hierarchy.
 */
struct lasting_id {
	__u64 number;
	__u32 pid;	 /* of the thread group; 0: no process */
	__u32 hierarchy; /* 0: no cgroup */
};

/* A Slurm job on this node, or one step of it where there is no cgroup. */
struct job_slot {
	struct lasting_id id; /* the cgroup, or the slurmstepd */
	__u32 state;	      /* enum job_state */
	__u32 generation;     /* [kernel] raised with each claim */
	__u32 proof;	      /* enum job_proof */
	__u32 answered;	      /* [user] 1: no need to tell of more processes */
	__u32 n_members;      /* members told so far; member[] is a ring */
	__u32 reserved;
	struct lasting_id launched; /* JOB_ANCESTOR: the first process below the slurmstepd */
	struct lasting_id member[JOB_MEMBERS];
	char dir[JOB_DIRS][JOB_NAME_LEN]; /* any bytes */
};

/* Through the ring: a process of a job was met whose number is not known yet. */
struct job_news {
	__u64 job; /* JOB_KEY */
};
#define JOB_NEWS_BYTES (64 * 1024)

#define RPC_REQUESTS	16384 /* known at once, packed or under way */
#define RPC_TARGETS	1024  /* targets known at once; slot 0 takes the surplus */
#define TARGET_NAME_LEN 60
#define IMPORT_STATES	16 /* enum lustre_imp_state is below */

/*
 * A server target as one mount sees it. The name is that of the client's device
 * without the address of the super block: lustre-OST0000-osc.
 */
struct rpc_target {
	struct target_key {
		char name[TARGET_NAME_LEN];
		__u32 mount; /* MOUNT_NONE: belongs to none, or to one not seen yet */
	} key;
};

/*
 * Where Lustre's structs have the fields that lead from a request to its message and
 * to its target. All of it from BTF of Lustre, or nothing: then it is not known.
 */
struct rpc_layout {
	__u32 known;
	__u32 reqmsg;	/* struct ptlrpc_request: rq_reqmsg, or rq_pill.rc_reqmsg */
	__u32 import;	/* struct ptlrpc_request: rq_import */
	__u32 obd;	/* struct obd_import: imp_obd */
	__u32 obd_name; /* struct obd_device: obd_name, an array */
	__u32 reserved;
};

/* Events of the kernel side that are not operations, one array of counters. */
enum kernel_counter {
	KC_CELL_REFUSED,   /* no cell for a new identity: the operation counts in the folded cell */
	KC_TASK_REFUSED,   /* no memory for a task's frames: the operation is lost */
	KC_FRAME_OVERFLOW, /* nested too deep: the operation is lost */
	KC_FRAME_STALE,	   /* frame whose return was never seen: the operation is lost */
	KC_MOUNT_REFUSED,  /* more super blocks than slots: counts in slot 0 */
	KC_CELLS_CREATED,  /* cells ever taken into use */
	KC_JOB_REFUSED,	   /* more jobs than slots: the operation counts without one */
	KC_RPC_TRACKED,	   /* requests taken in ... */
	KC_RPC_FORGOTTEN,  /* ... and let go again */
	KC_RPC_REFUSED,	   /* more requests at once than room: not counted */
	KC_RPC_LOST,	   /* requests whose end was never seen: their address was used again */
	KC_TARGETS,	   /* target slots in use */
	KC_MAX,
};

/* An operation that is under way, as the frame iterator tells it. */
struct frame_record {
	__u64 start_ns; /* CLOCK_MONOTONIC */
	char comm[COMM_LEN];
	__u32 pid, tgid; /* in the initial namespace */
	__u32 uid;
	__u8 fn; /* enum fn_id */
	__u8 form;
	__u8 nested; /* part of another one that is told as well */
	__u8 mount;
};

/* How a function is observed. */
enum probe_form {
	FORM_NONE,
	FORM_FENTRY, /* fentry + fexit */
	FORM_MULTI,  /* kprobe.multi, where its returns need no pool */
	FORM_KPROBE, /* tracefs kprobe + kretprobe with a pool of its own */
	FORM_MAX,
	FORM_ANY = FORM_MAX, /* active_form in the course of an exchange: whoever comes first */
};

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct cell_key) == 32, "cell_key is a hash key: no padding");
_Static_assert(sizeof(struct cell) == 32 + 8 * (2 + ERRNO_CLASS_MAX + LATENCY_BUCKETS), "cell");
_Static_assert(RPC_EVENT_MAX <= (int)ERRNO_CLASS_MAX, "CELL_RPC keeps events in errors[]");
_Static_assert(MOUNTS_ALL <= 256, "cell_key.mount");
_Static_assert(sizeof(struct rpc_target) == 64, "target_key is a hash key: no padding");
_Static_assert(sizeof(struct size_cell) == 8 * (1 + SIZE_BUCKETS), "size_cell");
_Static_assert(sizeof(struct frame_record) == 40, "frame_record");
_Static_assert(sizeof(struct lasting_id) == 16, "lasting_id is a hash key: no padding");
_Static_assert(sizeof(struct job_slot) == 16 * (2 + JOB_MEMBERS) + 24 + JOB_DIRS * JOB_NAME_LEN,
	       "job_slot");
_Static_assert(sizeof(struct mount_slot) == 8 + 4 * (8 + MOUNT_IDS), "mount_slot");
#endif

#endif
