/* SPDX-License-Identifier: Apache-2.0 */
/* The helper with the options of the command line. */
#ifndef EXPORTER_START_H
#define EXPORTER_START_H

#include "config/options.h"
#include "helper/helper.h"

/* As helper_start(). allow_missing: start even if nothing required can be probed. */
int start_helper(struct helper **helper, const struct options *options, bool allow_missing,
		 char *err, size_t errlen);

#endif
