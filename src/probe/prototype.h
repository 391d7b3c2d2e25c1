/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the arguments are. llite's methods have the prototype of the running
 * kernel, which differs between releases and between distributions of one
 * release: it is read from the kernel's own BTF.
 */
#ifndef PROBE_PROTOTYPE_H
#define PROBE_PROTOTYPE_H

#include <linux/types.h>
#include "bpf/config.h"
#include "ops/table.h"

struct btf;

/*
 * Reads the prototype of the function's slot in its operation table.
 * Returns 0 and fills config; -ENOENT: this kernel's table has no such member;
 * -EINVAL: no parameter leads to a super block. On error config is untouched.
 */
int prototype_read(const struct btf *btf, const struct fn_info *fn, struct fn_config *config);

#endif
