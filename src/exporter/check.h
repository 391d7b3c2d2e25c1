/* SPDX-License-Identifier: Apache-2.0 */
/* --check: what can be observed here, and what not and why, in words. */
#ifndef EXPORTER_CHECK_H
#define EXPORTER_CHECK_H

#include "config/options.h"

/*
 * Attaches everything as the exporter would, tells what came of it on standard
 * output, and detaches. Returns the exit status: 0 all is observed, 1 something
 * is missing, 3 nothing works.
 */
int check_run(const struct options *options);

#endif
