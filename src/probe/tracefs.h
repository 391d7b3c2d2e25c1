/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kprobes defined through tracefs. With the module named in the definition
 * (lustre:function) a probe may be defined while the module is absent, does not
 * pin it, and arms itself again when the module comes back; a return probe can
 * be given room for thousands of sleepers. None of this holds for kprobes
 * opened through perf_event_open() directly.
 *
 * A definition outlives the process that wrote it, so every group carries its
 * owner: lustre_ebpf_exporter_<pid>_<start time in ticks>.
 */
#ifndef PROBE_TRACEFS_H
#define PROBE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define TRACEFS_GROUP_PREFIX "lustre_ebpf_exporter_"

struct tracefs {
	const char *root; /* where it is mounted; static string */
	char group[64];	  /* of this process */
};

/* Finds tracefs. Returns 0 or -errno: -ENOENT not mounted, -EACCES not permitted. */
int tracefs_open(struct tracefs *fs);

/*
 * Defines event as a probe on module:symbol. maxactive > 0: a return probe with
 * room for that many callers at once. Returns the event's id for
 * perf_event_open(), or -errno (-ENOENT: no such function in the loaded module).
 */
int tracefs_define(const struct tracefs *fs, const char *event, const char *module,
		   const char *symbol, unsigned int maxactive);

/* Whether the loaded module has such a function; asked by a definition that is taken back. */
bool tracefs_function_exists(const struct tracefs *fs, const char *module, const char *symbol);

/* Removes one definition of this process. Returns 0 or -errno (-EBUSY: still attached). */
int tracefs_remove(const struct tracefs *fs, const char *event);

/*
 * Removes definitions by their owner: all of this process' own group, and with
 * stale, those whose owner does not live any more. Returns how many were
 * removed, or -errno of the first one that could not be.
 */
int tracefs_sweep(const struct tracefs *fs, bool own, bool stale);

/*
 * Tells for each kprobe event of the kernel how often its probe was not run, from
 * kprobe_profile. Groups are not told there.
 */
typedef void tracefs_missed_fn(void *ctx, const char *event, uint64_t missed);
void tracefs_read_missed(const struct tracefs *fs, tracefs_missed_fn *fn, void *ctx);

/* Arms an event with a BPF program. Returns a descriptor that keeps it armed, or -errno. */
int tracefs_perf_open(int event_id, int prog_fd);

#endif
