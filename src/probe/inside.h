/* SPDX-License-Identifier: Apache-2.0 */
/* What is under way now: the records of the frame iterator. */
#ifndef PROBE_INSIDE_H
#define PROBE_INSIDE_H

#include <linux/types.h>
#include <stdbool.h>

#include "probe/object.h"

/*
 * Forms that some task still has a frame of, on a super block that exists; a frame
 * whose return was missed outlives its own. Returns 0 or -errno: cannot be told.
 */
int inside_forms(const struct object *object, const struct mount_slot *slots,
		 bool in_use[FORM_MAX]);

#endif
