/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The privileged helper, seen from the serving process. It loads and attaches,
 * follows the Lustre module and the mounts, and removes what it defined when
 * the serving process ends, whatever ended it. The serving process holds the
 * attached probes, so they end with it at once.
 */
#ifndef HELPER_HELPER_H
#define HELPER_HELPER_H

#include <stddef.h>

#include "probe/attach.h"
#include "probe/object.h"
#include "probe/report.h"

struct helper;
struct ring;

struct helper_options {
	struct object_options object;
	struct attach_options attach;
	unsigned int interval; /* seconds between two looks at missed calls */
};

/*
 * Starts the helper and waits until it has loaded and attached what it can.
 * Returns 0, or -errno with a line for the user in err. Must be called before
 * the process starts a thread.
 */
int helper_start(struct helper **helper, const struct helper_options *options, char *err,
		 size_t errlen);

/* Readable when helper_process() has something to do. */
int helper_fd(const struct helper *helper);

/* Serves the helper's requests. Returns 0, or -EPIPE when it has ended. */
int helper_process(struct helper *helper);

/* The mapped arrays; they stay valid until helper_stop(). */
void *helper_map(const struct helper *helper, enum object_map map);
/* News of jobs, see struct job_news; NULL: not collected, or this kernel cannot tell. */
struct ring *helper_job_news(const struct helper *helper);
unsigned int helper_cells(const struct helper *helper);
const struct probe_report *helper_report(const struct helper *helper);

/* Detaches, and waits until the helper has tidied up and ended. */
void helper_stop(struct helper *helper);

#endif
