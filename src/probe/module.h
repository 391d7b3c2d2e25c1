/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel module as the probes need to know it. */
#ifndef PROBE_MODULE_H
#define PROBE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/table.h"

#define LLITE_MODULE "lustre" /* llite's module is called like that */

struct module_state {
	bool live;
	bool has_btf;
	uint64_t identity; /* another number after each load; 0 while absent */
};

void module_read(const char *sysfs, const char *module, struct module_state *state);

struct module_symbols {
	char name[FN_MAX][64]; /* the alternative found, empty if none */
	bool known;	       /* false: the kernel hides its symbols, name[] holds first choices */
};

/*
 * Looks for the functions of the table in the module. While it is not loaded,
 * or its symbols are hidden, the first alternative of each is assumed.
 */
void module_find_symbols(const char *procfs, const char *module, bool live,
			 struct module_symbols *symbols);

/*
 * Whether kernel code may be preempted, so that an fentry program can lose
 * calls: -1 if that cannot be told.
 */
int kernel_is_preemptible(void);

#endif
