/* SPDX-License-Identifier: Apache-2.0 */
/* The privileged helper's own life: load, attach, watch, tidy up. */
#ifndef HELPER_WORKER_H
#define HELPER_WORKER_H

#include "helper/helper.h"

/* Runs in the child until the channel ends. Returns its exit status. */
int worker_run(int channel, const struct helper_options *options, struct probe_report *report);

#endif
