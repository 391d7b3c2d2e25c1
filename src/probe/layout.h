/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where Lustre's structs have the fields that lead from a request to its message and
 * its target, from the BTF of the module ptlrpc.
 */
#ifndef PROBE_LAYOUT_H
#define PROBE_LAYOUT_H

#include <linux/types.h>

#include "bpf/shared.h"

struct btf;

/*
 * path: BTF given by the administrator, raw or in an ELF file (a module, after
 * pahole -J); NULL: that of the loaded module. kernel: the kernel's, which the other
 * one builds on. Returns 0, or -errno with layout->known 0: -ENOENT where there is no BTF,
 * -EINVAL where it has no such structs.
 */
int layout_read(const char *path, struct btf *kernel, struct rpc_layout *layout);

#endif
