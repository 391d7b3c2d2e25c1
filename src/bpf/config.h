/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What user space fixes before the programs are loaded. It stands in a
 * read-only map, so the verifier knows every value and drops what is not used.
 */
#ifndef BPF_CONFIG_H
#define BPF_CONFIG_H

#include "shared.h"

/* Width of a function's result, from its prototype in the kernel's BTF. */
enum result_width {
	RESULT_INT,	/* 32 bits, sign extended by the reader */
	RESULT_LONG,	/* 64 bits */
	RESULT_POINTER, /* an error only if IS_ERR() */
};

struct fn_config {
	__u8 object;	 /* one OBJ_* bit */
	__u8 object_arg; /* position of that parameter, from 0 */
	__u8 n_args;	 /* fexit finds the result behind them */
	__u8 result;	 /* enum result_width */
};

struct bpf_config {
	struct fn_config fn[FN_MAX];
	__u8 has_task_btf;     /* bpf_get_current_task_btf() may be called */
	__u8 has_task_storage; /* the map "tasks" exists; else "tasks_hash" */
	__u8 has_ringbuf;      /* the map "job_news" exists */
	__u8 thread_name;      /* --process-name-source=thread */
	__u8 collect_uid;      /* --uid-labels */
	__u8 collect_jobs;     /* --slurm-jobid */
	__u32 n_cells;	       /* entries of "cells", folded ones included */
	__u32 mnt_ns;	       /* inode number of user space's mount namespace */
};

/*
 * Index of the latency bucket: the position of the leading bit and the three
 * bits below it choose a start, from which at most a few bounds are left.
 */
#define LATENCY_START_BITS 3
#define LATENCY_STARTS	   (64 << LATENCY_START_BITS)

struct latency_table {
	__u64 bound_ns[LATENCY_BOUNDS +
		       1]; /* ascending, upper bound inclusive; the last: all ones */
	__u8 start[LATENCY_STARTS];
};

#endif
