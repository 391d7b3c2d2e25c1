// SPDX-License-Identifier: Apache-2.0
/* Loading: configuration, maps, and programs one refusal at a time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "probe/fault.h"
#include "probe/layout.h"
#include "probe/object.h"
#include "llite.skel.h"
#include "probe/prototype.h"
#include "series/bounds.h"

struct object {
	struct object_options options;
	struct btf *btf;
	struct bpf_config config;
	struct program_set kprobes;
	int inside_link; /* the frame iterator, -1: this kernel has none */
	int prototype_error[FN_MAX];
};

static const char *const map_names[OBJECT_MAPS] = {
	[MAP_CELLS] = "cells",
	[MAP_SIZE_CELLS] = "size_cells",
	[MAP_MOUNT_SLOTS] = "mount_slots",
	[MAP_KERNEL_COUNTERS] = "kernel_counters",
	[MAP_JOBS] = "jobs",
	[MAP_JOB_NEWS] = "job_news",
	[MAP_ACTIVE_FORM] = "active_form",
	[MAP_RPC_TARGETS] = "rpc_targets",
	[MAP_RPC_LAYOUT] = "rpc_layout",
};

/*
 * Before 5.11 maps count against RLIMIT_MEMLOCK. An existing higher limit stays;
 * where it cannot be raised, the creation of the maps tells whether that matters.
 */
static void raise_memlock(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	setrlimit(RLIMIT_MEMLOCK, &limit);
}

static struct bpf_program *find_program(struct bpf_object *object, const char *kind, const char *id)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", kind, id);
	return bpf_object__find_program_by_name(object, name);
}

/*
 * libbpf loads all programs of an object or none, does not say which one failed,
 * and looks for the target of an fentry program by name through the whole
 * kernel. Its hook before each load answers both: it notes the program, and gives
 * it a target that was found in the module's BTF alone. The hook has no argument
 * of ours: what it needs stands here while a set is loaded.
 */
struct load_context {
	const struct bpf_program *last; /* handed to the kernel */
	const struct btf *module_btf;	/* where the targets are, NULL: kprobes */
	int module_btf_fd;
	const char *const *symbols;
};
static __thread struct load_context *loading;

/* What a program is for, by its name <kind>_<row>: a function, else a point. */
struct program_row {
	int fn, point; /* -1: is none */
};

static struct program_row row_of_program(const struct bpf_program *prog)
{
	const char *id = strchr(bpf_program__name(prog), '_');
	struct program_row row = {-1, -1};

	for (int fn = 0; id && fn < FN_MAX; fn++)
		if (!strcmp(id + 1, fn_table[fn].id))
			row.fn = fn;
	for (int i = 0; id && i < POINT_MAX; i++)
		if (!strcmp(id + 1, point_table[i].id))
			row.point = i;
	return row;
}

static int before_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	int id;

	/* Ends without a result: refused by every kernel. */
	static struct bpf_insn refused[] = {{.code = BPF_JMP | BPF_EXIT}};
	struct program_row row = row_of_program(prog);

	loading->last = prog;
	if (row.fn >= 0 && fault_injected("unloadable", fn_table[row.fn].id))
		bpf_program__set_insns(prog, refused, 1);
	if (!loading->module_btf)
		return 0;
	id = btf__find_by_name_kind(loading->module_btf, loading->symbols[row.fn], BTF_KIND_FUNC);
	if (id < 0)
		return id;
	opts->attach_btf_id = id;
	opts->attach_btf_obj_fd = loading->module_btf_fd;
	return 0;
}

static int register_handlers(void)
{
	static const struct {
		const char *section;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} kinds[] = {
		{"llite.kprobe+", BPF_PROG_TYPE_KPROBE, 0},
		{"llite.multi+", BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI},
		{"llite.fentry+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY},
		{"llite.fexit+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT},
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = before_load);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int err = libbpf_register_prog_handler(kinds[i].section, kinds[i].type,
						       kinds[i].attach, &opts);

		if (err < 0)
			return err;
	}
	return 0;
}

static void fill_latency_table(struct latency_table *table)
{
	size_t bound = 0;

	memcpy(table->bound_ns, latency_bound_ns, sizeof(latency_bound_ns));
	table->bound_ns[LATENCY_BOUNDS] = UINT64_MAX;
	/* start[msb, next bits]: the bucket of the smallest value that has these leading bits. */
	for (unsigned int i = 0; i < LATENCY_STARTS; i++) {
		unsigned int msb = i >> LATENCY_START_BITS;
		uint64_t bits = 1 << LATENCY_START_BITS | (i & ((1 << LATENCY_START_BITS) - 1));
		uint64_t smallest =
			msb < LATENCY_START_BITS ? 0 : bits << (msb - LATENCY_START_BITS);

		while (bound < LATENCY_BOUNDS && latency_bound_ns[bound] < smallest)
			bound++;
		table->start[i] = bound;
	}
}

static bool helper_exists(enum bpf_func_id helper)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, helper, NULL) == 1;
}

/* Opens the object with nothing to be loaded yet: no program wanted, sizes and constants set. */
static struct llite_bpf *open_skeleton(const struct object *object)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = object->options.btf_path);
	struct llite_bpf *skel = llite_bpf__open_opts(&opts);
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	bpf_object__for_each_program (prog, skel->obj)
		bpf_program__set_autoload(prog, false);

	memcpy((void *)&skel->rodata->config, &object->config, sizeof(object->config));
	fill_latency_table((struct latency_table *)&skel->rodata->latency_table);

	bpf_map__set_max_entries(skel->maps.cells, object->config.n_cells);
	bpf_map__set_max_entries(skel->maps.cell_index, object->options.limits.cells);
	bpf_map__set_max_entries(skel->maps.cell_free, object->options.limits.cells);
	bpf_map__set_max_entries(skel->maps.tasks_hash, object->options.limits.tasks);
	bpf_map__set_max_entries(skel->maps.processes, object->options.limits.processes);
	bpf_map__set_max_entries(skel->maps.cgroup_cache, object->options.limits.cgroups);
	bpf_map__set_autocreate(skel->maps.job_news, object->config.has_ringbuf);
	bpf_map__set_autocreate(skel->maps.tasks, object->config.has_task_storage);
	bpf_map__set_autocreate(skel->maps.tasks_hash, !object->config.has_task_storage);
	return skel;
}

/* Uses the maps of an object that is loaded instead of making new ones. */
static int share_maps(struct bpf_object *object, const struct bpf_object *owner)
{
	struct bpf_map *map;

	bpf_object__for_each_map (map, object) {
		struct bpf_map *owned = bpf_object__find_map_by_name(owner, bpf_map__name(map));
		int err;

		if (!owned || bpf_map__fd(owned) < 0)
			continue;
		err = bpf_map__reuse_fd(map, bpf_map__fd(owned));
		if (err)
			return err;
	}
	return 0;
}

static void choose_programs(const struct object *object, struct program_set *set,
			    enum probe_form form, struct llite_bpf *skel)
{
	static const char *const kinds[FORM_MAX][2] = {
		[FORM_FENTRY] = {"fentry", "fexit"},
		[FORM_MULTI] = {"multi", "multiret"},
		[FORM_KPROBE] = {"kprobe", "kretprobe"},
	};

	for (int fn = 0; fn < FN_MAX; fn++) {
		set->enter[fn] = find_program(skel->obj, kinds[form][0], fn_table[fn].id);
		set->exit[fn] = find_program(skel->obj, kinds[form][1], fn_table[fn].id);
		bpf_program__set_autoload(set->enter[fn], !set->error[fn]);
		bpf_program__set_autoload(set->exit[fn], !set->error[fn]);
	}
	if (form != FORM_KPROBE)
		return;
	for (int i = 0; i < POINT_MAX; i++) {
		set->point_enter[i] = find_program(skel->obj, "kprobe", point_table[i].id);
		set->point_exit[i] = find_program(skel->obj, "kretprobe", point_table[i].id);
		if (set->point_enter[i])
			bpf_program__set_autoload(set->point_enter[i], !set->point_error[i]);
		if (set->point_exit[i])
			bpf_program__set_autoload(set->point_exit[i], !set->point_error[i]);
	}
	set->inside = object->config.has_task_storage ? skel->progs.inside_tasks
						      : skel->progs.inside_hash;
	bpf_program__set_autoload(set->inside, !set->inside_error);
}

/* Notes that the kernel has refused a program; false if that concerns more than its row. */
static bool note_refusal(struct program_set *set, const struct bpf_program *prog, int err)
{
	struct program_row row = {-1, -1};
	int *error = NULL;

	/* The iterator's section is libbpf's own: no hook is called for it. It is loaded first. */
	if (prog)
		row = row_of_program(prog);
	else if (set->inside)
		error = &set->inside_error;
	if (row.fn >= 0)
		error = &set->error[row.fn];
	else if (row.point >= 0)
		error = &set->point_error[row.point];
	if (!error || *error || err == -EPERM)
		return false;
	*error = err;
	return true;
}

/*
 * Loads the programs of one form, dropping one row at a refusal until the rest is
 * accepted. owner: whose maps to share, or NULL to create them.
 */
static int load_set(const struct object *object, struct program_set *set, enum probe_form form,
		    struct load_context *context, const struct bpf_object *owner)
{
	for (;;) {
		struct llite_bpf *skel = open_skeleton(object);
		int err;

		if (!skel)
			return -errno;
		choose_programs(object, set, form, skel);
		err = owner ? share_maps(skel->obj, owner) : 0;
		context->last = NULL;
		if (!err) {
			loading = context;
			err = bpf_object__load(skel->obj);
			loading = NULL;
		}
		if (!err) {
			set->skel = skel;
			return 0;
		}
		/* Before the object goes: the name is its. */
		if (!note_refusal(set, context->last, err)) {
			llite_bpf__destroy(skel);
			return err;
		}
		llite_bpf__destroy(skel);
	}
}

static void open_inside(struct object *object)
{
	const struct program_set *set = &object->kprobes;
	union bpf_iter_link_info info = {.map.map_fd = bpf_map__fd(set->skel->maps.tasks_hash)};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &info, .iter_info_len = sizeof(info));

	if (!set->inside_error)
		object->inside_link =
			bpf_link_create(bpf_program__fd(set->inside), 0, BPF_TRACE_ITER,
					object->config.has_task_storage ? NULL : &opts);
}

int object_inside_open(const struct object *object)
{
	int fd = object->inside_link < 0 ? -EOPNOTSUPP : bpf_iter_create(object->inside_link);

	return fd;
}

bool object_has_exact_multi(const struct object *object)
{
	const struct btf_type *t;
	int id = btf__find_by_name_kind(object->btf, "fprobe", BTF_KIND_STRUCT);

	if (id < 0)
		return false;
	/* While it had a pool of return instances, the struct had a pointer to it. */
	t = btf__type_by_id(object->btf, id);
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(object->btf, btf_members(t)[i].name_off),
			    "rethook"))
			return false;
	return true;
}

/* Puts the indexes from first to last on a stack. */
static int fill_free(const struct object *object, const char *stack, __u32 first, __u32 last)
{
	int fd = bpf_object__find_map_fd_by_name(object->kprobes.skel->obj, stack);

	/* Last in, first out: the lowest index is to be used first. */
	for (__u32 i = last; i >= first; i--)
		if (bpf_map_update_elem(fd, NULL, &i, BPF_ANY))
			return -errno;
	return 0;
}

static int read_prototypes(struct object *object, char *err, size_t errlen)
{
	const char *path = object->options.btf_path;

	object->btf = path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();
	if (!object->btf) {
		int e = -errno;

		snprintf(err, errlen,
			 path ? "cannot read the kernel's BTF from %s: %s"
			      : "this kernel carries no BTF (%s: %s): give its BTF with --btf",
			 path ? path : "/sys/kernel/btf/vmlinux", strerror(-e));
		return e;
	}
	for (int fn = 0; fn < FN_MAX; fn++)
		object->prototype_error[fn] =
			prototype_read(object->btf, &fn_table[fn], &object->config.fn[fn]);
	return 0;
}

/* Inode number of this process' mount namespace; 0 if it cannot be told. */
static unsigned int mount_namespace(const char *procfs)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/self/ns/mnt", procfs);
	return stat(path, &st) ? 0 : st.st_ino;
}

int object_open(struct object **result, const struct object_options *options, char *err,
		size_t errlen)
{
	struct object *object = calloc(1, sizeof(*object));
	int e;

	if (!object)
		return -ENOMEM;
	object->options = *options;
	object->inside_link = -1;
	e = register_handlers();
	if (e) {
		snprintf(err, errlen, "cannot set up libbpf: %s", strerror(-e));
		goto out;
	}
	e = read_prototypes(object, err, errlen);
	if (e)
		goto out;

	raise_memlock();
	object->config.has_task_btf = helper_exists(BPF_FUNC_get_current_task_btf);
	object->config.has_task_storage =
		object->config.has_task_btf && helper_exists(BPF_FUNC_task_storage_get) &&
		libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
	object->config.has_ringbuf =
		options->collect_jobs && libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL) == 1;
	object->config.collect_jobs = options->collect_jobs;
	object->config.thread_name = options->thread_name;
	object->config.collect_uid = options->collect_uid;
	object->config.mnt_ns = mount_namespace(options->procfs);
	object->config.n_cells = FOLDED_CELLS + options->limits.cells;

	for (int fn = 0; fn < FN_MAX; fn++)
		object->kprobes.error[fn] = !options->wanted[fn]	  ? -ENOENT
					    : object->prototype_error[fn] ? -ENOENT
									  : 0;
	e = load_set(object, &object->kprobes, FORM_KPROBE, &(struct load_context){}, NULL);
	if (!e) {
		open_inside(object);
		e = fill_free(object, "cell_free", FOLDED_CELLS, object->config.n_cells - 1);
	}
	if (!e)
		e = fill_free(object, "target_free", 1, RPC_TARGETS - 1);
	if (e)
		snprintf(err, errlen, "cannot load the BPF programs: %s%s%s", strerror(-e),
			 e == -EPERM ? ": root, or CAP_BPF and CAP_PERFMON, and before Linux 5.11 "
				       "a higher limit of locked memory (ulimit -l) are needed"
				     : "",
			 e == -ENOMEM ? ": lower --max-series" : "");
out:
	if (e) {
		object_close(object);
		return e;
	}
	*result = object;
	return 0;
}

void object_close(struct object *object)
{
	if (!object)
		return;
	if (object->inside_link >= 0)
		close(object->inside_link);
	program_set_close(&object->kprobes);
	btf__free(object->btf);
	free(object);
}

const struct program_set *object_kprobes(const struct object *object)
{
	return &object->kprobes;
}

int object_map_fd(const struct object *object, enum object_map map)
{
	if ((map == MAP_JOBS && !object->config.collect_jobs) ||
	    (map == MAP_JOB_NEWS && !object->config.has_ringbuf))
		return -ENOENT;
	return bpf_object__find_map_fd_by_name(object->kprobes.skel->obj, map_names[map]);
}

int object_read_layout(const struct object *object, struct rpc_layout *layout)
{
	return layout_read(object->options.lustre_btf_path, object->btf, layout);
}

uint32_t object_cells(const struct object *object)
{
	return object->config.n_cells;
}

int object_prototype_error(const struct object *object, enum fn_id fn)
{
	return object->prototype_error[fn];
}

/* The module's BTF and its descriptor. Returns 0 or -errno. */
static int open_module_btf(const struct object *object, const char *module, struct btf **btf,
			   int *fd)
{
	__u32 id = 0;

	*btf = btf__load_module_btf(module, object->btf);
	if (!*btf)
		return -errno;
	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = {.name = (__u64)name, .name_len = sizeof(name)};
		__u32 len = sizeof(info);

		*fd = bpf_btf_get_fd_by_id(id);
		if (*fd < 0)
			continue; /* gone meanwhile */
		if (!bpf_obj_get_info_by_fd(*fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, module))
			return 0;
		close(*fd);
	}
	btf__free(*btf);
	return -ENOENT;
}

int object_load(struct object *object, enum probe_form form, const char *module,
		const char *const symbols[FN_MAX], struct program_set *set)
{
	struct load_context context = {.symbols = symbols};
	struct btf *btf = NULL;
	int err;

	memset(set, 0, sizeof(*set));
	for (int fn = 0; fn < FN_MAX; fn++)
		set->error[fn] =
			!symbols[fn] || !object->options.wanted[fn] || object->prototype_error[fn]
				? -ENOENT
				: 0;
	if (form == FORM_FENTRY) {
		err = open_module_btf(object, module, &btf, &context.module_btf_fd);
		if (err)
			return err;
		context.module_btf = btf;
	}
	err = load_set(object, set, form, &context, object->kprobes.skel->obj);
	if (btf) {
		close(context.module_btf_fd);
		btf__free(btf);
	}
	return err;
}

void program_set_close(struct program_set *set)
{
	llite_bpf__destroy(set->skel);
	set->skel = NULL;
}
