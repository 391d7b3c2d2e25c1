/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of each probe. The privileged process writes it into memory that
 * it shares with the serving process; a row may be read while it is written, so
 * strings are always terminated and numbers stand alone.
 */
#ifndef PROBE_REPORT_H
#define PROBE_REPORT_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf/shared.h"

struct probe_row {
	uint32_t wanted;  /* 0: switched off by --ops, or normal to be absent */
	uint32_t form;	  /* enum probe_form; FORM_NONE: not attached */
	uint64_t missed;  /* calls that the probe was not run for, since the start */
	char symbol[64];  /* kernel function, empty if none was found */
	char reason[128]; /* why it is not attached; empty if it is */
};

struct probe_report {
	uint32_t settled;	/* raised after each pass over all functions */
	uint32_t module_loaded; /* the module lustre is there */
	uint32_t mounts;	/* Lustre client mounts in the host's table */
	uint32_t lustre_btf;	/* requests can be told by server target and mount */
	uint32_t preemptible;	/* 1: kernel code is preempted, 0: not, 2: cannot be told */
	struct probe_row row[FN_MAX];
	struct probe_row point[POINT_MAX];
};

const char *probe_form_name(enum probe_form form);

#endif
