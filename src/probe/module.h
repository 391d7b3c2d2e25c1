/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel module as the probes need to know it. */
#ifndef PROBE_MODULE_H
#define PROBE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#define LLITE_MODULE "lustre" /* llite's module is called like that */

struct module_state {
	bool live;
	bool has_btf;
	uint64_t identity; /* another number after each load; 0 while absent */
};

void module_read(const char *sysfs, const char *module, struct module_state *state);

/*
 * Whether kernel code may be preempted, so that an fentry program can lose
 * calls: -1 if that cannot be told.
 */
int kernel_is_preemptible(void);

#endif
