/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults on demand, for the tests that show that one refused probe costs only
 * itself: LUSTRE_EBPF_EXPORTER_FAULT="unloadable=GETATTR unattachable=FSYNC".
 */
#ifndef PROBE_FAULT_H
#define PROBE_FAULT_H

#include <stdbool.h>

#define FAULT_VARIABLE "LUSTRE_EBPF_EXPORTER_FAULT"

/* Whether the fault is asked for, for the row of the table of operations. */
bool fault_injected(const char *fault, const char *row);

#endif
