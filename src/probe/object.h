/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BPF object in the kernel: maps once, programs in sets. The programs of a
 * set are tried together; one that the kernel refuses costs only itself.
 */
#ifndef PROBE_OBJECT_H
#define PROBE_OBJECT_H

#include <stdbool.h>
#include <linux/types.h>
#include <stdint.h>

#include "bpf/config.h"

struct bpf_program;
struct llite_bpf;

/* Descriptors of the mapped arrays, owned by the object. */
enum object_map {
	MAP_CELLS,
	MAP_SIZE_CELLS,
	MAP_MOUNT_SLOTS,
	MAP_KERNEL_COUNTERS,
	MAP_JOBS,
	MAP_JOB_NEWS, /* absent before 5.8 */
	MAP_ACTIVE_FORM,
	MAP_RPC_TARGETS,
	MAP_RPC_LAYOUT,
	OBJECT_MAPS,
};

struct object_limits {
	uint32_t cells; /* for identities; the folded ones come on top */
	uint32_t tasks; /* inside an operation at once, where there is no task storage */
	uint32_t processes, cgroups; /* whose job is remembered */
};

struct object_options {
	const char *btf_path;	     /* BTF of a kernel without its own, or NULL */
	const char *lustre_btf_path; /* BTF of the module ptlrpc, or NULL */
	const char *procfs;
	bool thread_name, collect_uid, collect_jobs;
	bool wanted[FN_MAX]; /* functions to observe */
	struct object_limits limits;
};

/*
 * The programs of one form. error[fn]: 0 if both of the function's are loaded,
 * -ENOENT if they were not tried, else why the kernel refused one of them.
 */
struct program_set {
	struct llite_bpf *skel;
	struct bpf_program *enter[FN_MAX], *exit[FN_MAX];
	int error[FN_MAX];
	/* With FORM_KPROBE only. */
	struct bpf_program *point_enter[POINT_MAX], *point_exit[POINT_MAX];
	int point_error[POINT_MAX];
	struct bpf_program *inside; /* the frame iterator */
	int inside_error;
};

struct object;

/*
 * Creates the maps and loads the kprobe programs of the wanted functions.
 * Returns 0 or -errno with a line for the user in err.
 */
int object_open(struct object **object, const struct object_options *options, char *err,
		size_t errlen);
void object_close(struct object *object);

const struct program_set *object_kprobes(const struct object *object);
/* -ENOENT: the map is not wanted, or not possible here. */
int object_map_fd(const struct object *object, enum object_map map);
uint32_t object_cells(const struct object *object); /* entries of MAP_CELLS */
/* Whether the returns of kprobe.multi need no pool, which could run empty. */
bool object_has_exact_multi(const struct object *object);
/*
 * Descriptor to read what is inside an operation now, as frame_records, to be
 * closed by the caller; or -errno.
 */
int object_inside_open(const struct object *object);
/* The layout of Lustre's structs as far as BTF tells it now: see layout_read(). */
int object_read_layout(const struct object *object, struct rpc_layout *layout);
/* 0, or why the arguments of the function could not be found: -ENOENT, -EINVAL. */
int object_prototype_error(const struct object *object, enum fn_id fn);

/*
 * Loads the programs of another form for the functions that have a symbol; they
 * share the object's maps. FORM_FENTRY: for a module whose BTF the kernel has.
 * Returns 0 or -errno; a refused program is in set->error.
 */
int object_load(struct object *object, enum probe_form form, const char *module,
		const char *const symbols[FN_MAX], struct program_set *set);
void program_set_close(struct program_set *set);

#endif
