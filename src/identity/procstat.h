/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/PID/stat: who the parent is, and whether it is still the same process. */
#ifndef IDENTITY_PROCSTAT_H
#define IDENTITY_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel shows up to 64 bytes for its own workers, 15 for all others. */
#define PROCSTAT_COMM_MAX 65

struct procstat {
	uint32_t pid;
	uint32_t ppid;		      /* 0: none, or outside of the PID namespace */
	char comm[PROCSTAT_COMM_MAX]; /* any bytes */
	char state;
	bool is_kthread;
	uint64_t start_ticks; /* since boot, in clock ticks: pid and this name a process */
};

/* Returns 0, or -EINVAL: not complete, or not of that form. */
int procstat_parse(struct procstat *stat, const char *text, size_t len);

#endif
