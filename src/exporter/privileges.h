/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serving process faces the network and parses what strangers send: it gives
 * up every privilege once the helper runs and the sockets are open.
 */
#ifndef EXPORTER_PRIVILEGES_H
#define EXPORTER_PRIVILEGES_H

#include <stddef.h>

/* Of the serving process, where it exists; else it stays who it is, without capabilities. */
#define EXPORTER_USER "lustre-ebpf-exporter"

/*
 * Becomes EXPORTER_USER if there is one, and drops all capabilities for good.
 * Must be called before threads start. Returns 0, or -errno with one line in err.
 */
int privileges_drop(char *err, size_t errlen);

#endif
