/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter put together: helper, collection, series, and the ways out. */
#ifndef EXPORTER_EXPORTER_H
#define EXPORTER_EXPORTER_H

#include "config/options.h"

/*
 * Runs until a signal, --duration, or a failure. Returns the exit status; what
 * went wrong has been logged.
 */
int exporter_run(const struct options *options);

#endif
