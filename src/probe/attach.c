// SPDX-License-Identifier: Apache-2.0
/* The attach plan at work: which form for which function, and the exchange of forms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "mount/mountinfo.h"
#include "ops/table.h"
#include "probe/attach.h"
#include "probe/fault.h"
#include "probe/inside.h"
#include "probe/module.h"
#include "probe/tracefs.h"

/* A holder that was killed closes its descriptors one by one, in the kernel's own time. */
#define SWEEP_TRIES    600
#define SWEEP_PAUSE_US 50000

/*
 * How long both forms count in an exchange: longer than it takes a call to get from
 * the program of the one to the program of the other.
 */
#define EXCHANGE_MS 1000

#define ACTIVE_STRIDE 2 /* an array map rounds its elements up to 8 bytes */

struct probes {
	struct object *object;
	struct attach_options options;
	struct probe_holder holder;
	struct probe_report *report;
	struct tracefs tracefs;
	struct module_state module;
	bool started;
	enum probe_form preferred; /* what the plan gave the last time */
	bool distrusted[FORM_MAX]; /* has missed calls */
	bool exact_multi;
	struct program_set set[FORM_MAX]; /* skel NULL: not loaded; FORM_KPROBE: the object's */
	char symbol[FN_MAX][64];	  /* the alternative that the module has, empty if none */
	bool attached[FN_MAX][FORM_MAX][HALVES];
	enum probe_form form[FN_MAX];	/* that counts, or will when the exchange is over */
	uint64_t exchange_ms;		/* when the exchange under way began, 0: there is none */
	uint64_t missed_before[FN_MAX]; /* by probes that are gone */
	uint64_t missed[FN_MAX][FORM_MAX];
	uint64_t point_missed[POINT_MAX];
	uint32_t *active_form;		/* mapped; FN_MAX entries, ACTIVE_STRIDE apart */
	const struct mount_slot *slots; /* mapped */
	struct rpc_layout *layout;	/* mapped */
};

static const enum fn_id required[] = {FN_LOOKUP_ND, FN_FILE_OPEN, FN_FILE_READ_ITER,
				      FN_FILE_WRITE_ITER, FN_FSYNC};

const char *probe_form_name(enum probe_form form)
{
	static const char *const names[FORM_MAX] = {
		[FORM_NONE] = "none",
		[FORM_FENTRY] = "fentry",
		[FORM_MULTI] = "kprobe.multi",
		[FORM_KPROBE] = "kprobe",
	};

	return names[form];
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const struct program_set *programs(const struct probes *p, enum probe_form form)
{
	return form == FORM_KPROBE ? object_kprobes(p->object) : &p->set[form];
}

/* kprobe_profile lists events without their group: the pid tells ours from others. */
static void event_name(char *name, size_t size, const char *id, enum probe_half half)
{
	snprintf(name, size, "%s_%s_%d", id, half == HALF_ENTER ? "enter" : "exit", getpid());
}

/*
 * One half of a kprobe. Armed by descriptor and not through a libbpf link, which
 * would stay in this process.
 */
static int kprobe_attach(struct probes *p, const struct bpf_program *prog, const char *id,
			 const char *module, const char *symbol, unsigned int slot,
			 enum probe_half half)
{
	char event[96];
	int event_id, fd, err;

	event_name(event, sizeof(event), id, half);
	event_id = tracefs_define(&p->tracefs, event, module, symbol,
				  half == HALF_EXIT ? p->options.sleepers : 0);
	if (event_id < 0)
		return event_id;
	fd = tracefs_perf_open(event_id, bpf_program__fd(prog));
	err = fd < 0 ? fd : p->holder.hold(p->holder.ctx, slot, fd);
	if (err)
		tracefs_remove(&p->tracefs, event);
	return err;
}

static int link_attach(struct probes *p, const struct bpf_program *prog, enum probe_form form,
		       const char *symbol, unsigned int slot, enum probe_half half)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.syms = &symbol, .kprobe_multi.cnt = 1,
		    .kprobe_multi.flags = half == HALF_EXIT ? BPF_F_KPROBE_MULTI_RETURN : 0);
	int prog_fd = bpf_program__fd(prog);
	int fd = form == FORM_FENTRY ? bpf_raw_tracepoint_open(NULL, prog_fd)
				     : bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);

	return fd < 0 ? fd : p->holder.hold(p->holder.ctx, slot, fd);
}

static int half_attach(struct probes *p, enum fn_id fn, enum probe_form form, enum probe_half half)
{
	const struct program_set *set = programs(p, form);
	const struct bpf_program *prog = half == HALF_ENTER ? set->enter[fn] : set->exit[fn];
	unsigned int slot = HOLD_SLOT(fn, form, half);
	int err;

	if (p->attached[fn][form][half])
		return 0;
	if (fault_injected("unattachable", fn_table[fn].id))
		return -ENOENT;
	err = form == FORM_KPROBE ? kprobe_attach(p, prog, fn_table[fn].id, LLITE_MODULE,
						  p->symbol[fn], slot, half)
				  : link_attach(p, prog, form, p->symbol[fn], slot, half);
	p->attached[fn][form][half] = !err;
	return err;
}

static void half_drop(struct probes *p, enum fn_id fn, enum probe_form form, enum probe_half half)
{
	char event[96];

	if (!p->attached[fn][form][half])
		return;
	p->attached[fn][form][half] = false;
	if (half == HALF_EXIT) {
		/* Its own count of misses goes with it. */
		p->missed_before[fn] += p->missed[fn][form];
		p->missed[fn][form] = 0;
	}
	p->holder.drop(p->holder.ctx, HOLD_SLOT(fn, form, half));
	if (form == FORM_KPROBE) {
		event_name(event, sizeof(event), fn_table[fn].id, half);
		tracefs_remove(&p->tracefs, event);
	}
}

static void set_active(struct probes *p, enum fn_id fn, uint32_t form)
{
	__atomic_store_n(&p->active_form[fn * ACTIVE_STRIDE], form, __ATOMIC_RELEASE);
}

/*
 * Makes form the one that counts calls of fn; if another one counted, both do
 * until exchange_finish(). The exit half first: an entry without its exit would
 * leave a frame behind.
 */
static int use_form(struct probes *p, enum fn_id fn, enum probe_form form)
{
	bool exchange = p->form[fn] != FORM_NONE;
	bool had_exit = p->attached[fn][form][HALF_EXIT];
	int err;

	if (p->form[fn] == form)
		return 0;
	err = half_attach(p, fn, form, HALF_EXIT);
	if (!err)
		err = half_attach(p, fn, form, HALF_ENTER);
	if (err) {
		/* One that was there before has calls under way. */
		if (!had_exit)
			half_drop(p, fn, form, HALF_EXIT);
		return err;
	}
	p->form[fn] = form;
	set_active(p, fn, exchange ? FORM_ANY : form);
	if (exchange)
		p->exchange_ms = now_ms();
	return 0;
}

/* Ends an exchange that has lasted long enough: the new form alone counts. */
static void exchange_finish(struct probes *p)
{
	if (!p->exchange_ms || now_ms() - p->exchange_ms < EXCHANGE_MS)
		return;
	p->exchange_ms = 0;
	/* All at once: dropping one takes time in which the old form could lose calls of others. */
	for (int fn = 0; fn < FN_MAX; fn++)
		set_active(p, fn, p->form[fn]);
	for (int fn = 0; fn < FN_MAX; fn++)
		for (enum probe_form form = FORM_NONE + 1; form < FORM_MAX; form++)
			if (form != p->form[fn])
				half_drop(p, fn, form, HALF_ENTER);
}

/* Drops the exits of forms that were exchanged, once no call is under way that needs them. */
static void reap_forms(struct probes *p)
{
	bool waiting = false, in_use[FORM_MAX];

	for (int fn = 0; fn < FN_MAX; fn++)
		for (enum probe_form form = FORM_NONE + 1; form < FORM_MAX; form++)
			waiting |= p->attached[fn][form][HALF_EXIT] && p->form[fn] != form;
	if (!waiting || p->exchange_ms)
		return;
	/* Where it cannot be told: nothing can be under way when the last mount is gone. */
	if (inside_forms(p->object, p->slots, in_use))
		memset(in_use, !!p->report->mounts, sizeof(in_use));
	/*
	 * In a kernel that preempts itself fexit programs make others lose calls: what is under
	 * way of theirs is given up, and told as lost.
	 */
	if (p->report->preemptible == 1)
		in_use[FORM_FENTRY] = false;
	for (enum probe_form form = FORM_NONE + 1; form < FORM_MAX; form++) {
		bool any = false;

		for (int fn = 0; fn < FN_MAX; fn++) {
			if (p->form[fn] != form && !in_use[form])
				half_drop(p, fn, form, HALF_EXIT);
			any |= p->attached[fn][form][HALF_EXIT];
		}
		if (!any && form != FORM_KPROBE)
			program_set_close(&p->set[form]);
	}
}

/* Drops what is attached to a function, because the module has no such function any more. */
static void drop_function(struct probes *p, enum fn_id fn)
{
	p->form[fn] = FORM_NONE;
	set_active(p, fn, FORM_NONE);
	for (enum probe_form form = FORM_NONE + 1; form < FORM_MAX; form++) {
		half_drop(p, fn, form, HALF_ENTER);
		half_drop(p, fn, form, HALF_EXIT);
	}
}

/*
 * The first of the function's names that the module has. While it is not loaded
 * that cannot be told, and the first name of all is taken: a probe on it arms
 * itself when the module comes.
 */
static void choose_symbol(const struct probes *p, const char *alternatives, const char *module,
			  char *symbol, size_t size)
{
	do {
		size_t n = strcspn(alternatives, " ");

		snprintf(symbol, size, "%.*s", (int)n, alternatives);
		if (!p->module.live || tracefs_function_exists(&p->tracefs, module, symbol))
			return;
		symbol[0] = '\0';
		alternatives += n + strspn(alternatives + n, " ");
	} while (*alternatives);
}

static void choose_symbols(struct probes *p)
{
	for (int fn = 0; fn < FN_MAX; fn++) {
		char symbol[sizeof(p->symbol[fn])] = "";

		choose_symbol(p, fn_table[fn].symbols, LLITE_MODULE, symbol, sizeof(symbol));
		if (strcmp(symbol, p->symbol[fn]))
			drop_function(p, fn);
		memcpy(p->symbol[fn], symbol, sizeof(symbol));
	}
}

/* Why a function that has a program and a name is still not attached, in words. */
static void explain(struct probes *p, enum fn_id fn, int err)
{
	const struct fn_info *info = &fn_table[fn];
	char *reason = p->report->row[fn].reason;
	size_t size = sizeof(p->report->row[fn].reason);
	int missing = object_prototype_error(p->object, fn);
	int refused = object_kprobes(p->object)->error[fn];

	if (missing == -ENOENT)
		snprintf(reason, size, "this kernel has no %s.%s", info->table, info->method);
	else if (missing)
		snprintf(reason, size, "no known argument in %s.%s", info->table, info->method);
	else if (refused)
		snprintf(reason, size, "the kernel refuses the program: %s", strerror(-refused));
	else if (!p->symbol[fn][0])
		snprintf(reason, size, "no such function in the module: %s", info->symbols);
	else
		snprintf(reason, size, "cannot attach to %s: %s", p->symbol[fn], strerror(-err));
}

/* Gives the function the preferred form, else kprobes, else a reason. */
static void attach_function(struct probes *p, enum fn_id fn)
{
	struct probe_row *row = &p->report->row[fn];
	bool usable = p->symbol[fn][0] && !object_kprobes(p->object)->error[fn];
	int err = -ENOENT;

	if (usable && p->preferred != FORM_KPROBE && p->set[p->preferred].skel &&
	    !p->set[p->preferred].error[fn])
		err = use_form(p, fn, p->preferred);
	if (usable && err)
		err = use_form(p, fn, FORM_KPROBE);

	row->form = p->form[fn];
	snprintf(row->symbol, sizeof(row->symbol), "%s", p->symbol[fn]);
	row->reason[0] = '\0';
	if (err)
		explain(p, fn, err);
}

static void attach_functions(struct probes *p)
{
	const char *symbols[FN_MAX];

	for (int fn = 0; fn < FN_MAX; fn++)
		symbols[fn] = p->symbol[fn][0] ? p->symbol[fn] : NULL;
	if (p->preferred != FORM_KPROBE && !p->set[p->preferred].skel)
		object_load(p->object, p->preferred, LLITE_MODULE, symbols, &p->set[p->preferred]);
	for (int fn = 0; fn < FN_MAX; fn++)
		if (p->report->row[fn].wanted)
			attach_function(p, fn);
}

/*
 * The first of the modules, separated by a blank, that is loaded and has one of the
 * point's functions: both are set. A definition for a module that is not loaded would
 * be taken for any function; the last module gets it.
 */
static void choose_module(const struct probes *p, const struct point_info *info, char *module,
			  size_t module_size, char *symbol, size_t symbol_size)
{
	const char *modules = info->module;

	do {
		size_t n = strcspn(modules, " ");

		struct module_state state;

		snprintf(module, module_size, "%.*s", (int)n, modules);
		modules += n + strspn(modules + n, " ");
		module_read(p->options.sysfs, module, &state);
		if (*modules && !state.live)
			continue;
		choose_symbol(p, info->symbols, module, symbol, symbol_size);
	} while (!symbol[0] && *modules);
}

/* Points are observed by kprobes alone: they are rare, and must never pin a module. */
static void attach_points(struct probes *p)
{
	const struct program_set *set = object_kprobes(p->object);

	for (int i = 0; i < POINT_MAX; i++) {
		const struct point_info *info = &point_table[i];
		struct probe_row *row = &p->report->point[i];
		int err = set->point_error[i];
		char module[64];

		if (row->form != FORM_NONE)
			continue;
		choose_module(p, info, module, sizeof(module), row->symbol, sizeof(row->symbol));
		if (!err && !row->symbol[0])
			err = -ENOENT;
		if (!err && info->halves & POINT_EXIT)
			err = kprobe_attach(p, set->point_exit[i], info->id, module, row->symbol,
					    HOLD_POINT_SLOT(i, HALF_EXIT), HALF_EXIT);
		if (!err && info->halves & POINT_ENTER)
			err = kprobe_attach(p, set->point_enter[i], info->id, module, row->symbol,
					    HOLD_POINT_SLOT(i, HALF_ENTER), HALF_ENTER);
		row->wanted = 1;
		row->form = err ? FORM_NONE : FORM_KPROBE;
		row->reason[0] = '\0';
		if (err)
			snprintf(row->reason, sizeof(row->reason), "%s: %s", info->symbols,
				 strerror(-err));
	}
}

/* Offsets of the module that is loaded now; none while there is none. */
static void update_layout(struct probes *p)
{
	struct rpc_layout now = {};

	if (p->module.live)
		object_read_layout(p->object, &now);
	/* Not known while it changes. */
	__atomic_store_n(&p->layout->known, 0, __ATOMIC_RELEASE);
	p->layout->reqmsg = now.reqmsg;
	p->layout->import = now.import;
	p->layout->obd = now.obd;
	p->layout->obd_name = now.obd_name;
	__atomic_store_n(&p->layout->known, now.known, __ATOMIC_RELEASE);
	p->report->lustre_btf = now.known;
}

static unsigned int count_mounts(const struct probes *p)
{
	struct mountinfo info = {};
	unsigned int n = 0;

	if (!mountinfo_read(p->options.procfs, &info))
		n = info.count;
	mountinfo_free(&info);
	return n;
}

/* Forms that pin the module are for the time that a mount pins it anyway. */
static enum probe_form plan(struct probes *p)
{
	int preemptible = kernel_is_preemptible();

	p->report->preemptible = preemptible < 0 ? 2 : preemptible;
	if (!p->module.live || !p->report->mounts)
		return FORM_KPROBE;
	if (p->module.has_btf && preemptible == 0 && !p->distrusted[FORM_FENTRY])
		return FORM_FENTRY;
	if (p->exact_multi && !p->distrusted[FORM_MULTI])
		return FORM_MULTI;
	return FORM_KPROBE;
}

/* True as well when none of them is asked for (--ops). */
static bool any_required(const struct probes *p)
{
	bool wanted = false;

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
		if (p->form[required[i]] != FORM_NONE)
			return true;
		wanted |= p->report->row[required[i]].wanted;
	}
	return !wanted;
}

int probes_update(struct probes *p, char *err, size_t errlen)
{
	struct module_state module;
	enum probe_form preferred;
	bool changed;

	module_read(p->options.sysfs, LLITE_MODULE, &module);
	changed = !p->started || module.identity != p->module.identity;
	p->module = module;
	p->report->module_loaded = module.live;
	p->report->mounts = count_mounts(p);

	preferred = plan(p);
	if (changed)
		update_layout(p);
	if (changed && (module.live || !p->started))
		choose_symbols(p);
	if (changed || preferred != p->preferred) {
		p->preferred = preferred;
		attach_functions(p);
		attach_points(p);
		p->started = true;
		__atomic_fetch_add(&p->report->settled, 1, __ATOMIC_RELEASE);
	}
	exchange_finish(p);
	reap_forms(p);

	if (!module.live || p->options.allow_missing || any_required(p))
		return 0;
	snprintf(err, errlen,
		 "none of the required functions can be probed (%s: %s): see --check, or start "
		 "anyway with --legacy-symbol-allow-missing",
		 fn_table[FN_LOOKUP_ND].symbols, p->report->row[FN_LOOKUP_ND].reason);
	return -ENOENT;
}

/* An event is ours if it has our pid: <row>_<half>_<pid> */
static void take_kprobe_missed(void *ctx, const char *event, uint64_t missed)
{
	struct probes *p = ctx;

	for (int fn = 0; missed && fn < FN_MAX; fn++)
		for (int half = 0; half < HALVES; half++) {
			char name[96];

			event_name(name, sizeof(name), fn_table[fn].id, half);
			if (!strcmp(name, event))
				p->missed[fn][FORM_KPROBE] += missed;
		}
	for (int i = 0; missed && i < POINT_MAX; i++)
		for (int half = 0; half < HALVES; half++) {
			char name[96];

			event_name(name, sizeof(name), point_table[i].id, half);
			if (!strcmp(name, event))
				p->point_missed[i] += missed;
		}
}

static uint64_t recursion_misses(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? 0
									  : info.recursion_misses;
}

void probes_read_missed(struct probes *p)
{
	for (int fn = 0; fn < FN_MAX; fn++)
		p->missed[fn][FORM_KPROBE] = 0;
	memset(p->point_missed, 0, sizeof(p->point_missed));
	tracefs_read_missed(&p->tracefs, take_kprobe_missed, p);
	for (int i = 0; i < POINT_MAX; i++)
		p->report->point[i].missed = p->point_missed[i];

	for (int fn = 0; fn < FN_MAX; fn++) {
		uint64_t sum = p->missed_before[fn];

		for (enum probe_form form = FORM_FENTRY; form <= FORM_MULTI; form++) {
			uint64_t missed;

			if (p->form[fn] != form)
				continue;
			missed = recursion_misses(p->set[form].enter[fn]) +
				 recursion_misses(p->set[form].exit[fn]);
			if (missed > p->missed[fn][form])
				p->distrusted[form] = true;
			p->missed[fn][form] = missed;
		}
		for (int form = 0; form < FORM_MAX; form++)
			sum += p->missed[fn][form];
		p->report->row[fn].missed = sum;
	}
}

int probes_open(struct probes **result, struct object *object, const struct attach_options *options,
		const struct probe_holder *holder, struct probe_report *report, char *err,
		size_t errlen)
{
	struct probes *p = calloc(1, sizeof(*p));
	void *mapped;
	int e;

	if (!p)
		return -ENOMEM;
	p->object = object;
	p->options = *options;
	p->holder = *holder;
	p->report = report;
	p->exact_multi = object_has_exact_multi(object);

	e = tracefs_open(&p->tracefs);
	if (e) {
		snprintf(err, errlen,
			 e == -ENOENT ? "no kprobe_events in tracefs (%s): the kernel needs "
					"CONFIG_KPROBE_EVENTS, and tracefs must be mounted on "
					"/sys/kernel/tracing"
				      : "cannot write kprobe_events: %s: root is needed",
			 strerror(-e));
		goto out;
	}
	/* Left by one that was killed together with its janitor. */
	tracefs_sweep(&p->tracefs, false, true);

	mapped = mmap(NULL, FN_MAX * ACTIVE_STRIDE * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		      MAP_SHARED, object_map_fd(object, MAP_ACTIVE_FORM), 0);
	if (mapped == MAP_FAILED) {
		e = -errno;
		snprintf(err, errlen, "cannot map active_form: %s", strerror(-e));
		goto out;
	}
	p->active_form = mapped;
	mapped = mmap(NULL, sizeof(*p->layout), PROT_READ | PROT_WRITE, MAP_SHARED,
		      object_map_fd(object, MAP_RPC_LAYOUT), 0);
	if (mapped == MAP_FAILED) {
		e = -errno;
		snprintf(err, errlen, "cannot map rpc_layout: %s", strerror(-e));
		munmap(p->active_form, FN_MAX * ACTIVE_STRIDE * sizeof(uint32_t));
		goto out;
	}
	p->layout = mapped;

	mapped = mmap(NULL, MOUNT_SLOTS * sizeof(*p->slots), PROT_READ, MAP_SHARED,
		      object_map_fd(object, MAP_MOUNT_SLOTS), 0);
	if (mapped == MAP_FAILED) {
		e = -errno;
		snprintf(err, errlen, "cannot map mount_slots: %s", strerror(-e));
		munmap(p->active_form, FN_MAX * ACTIVE_STRIDE * sizeof(uint32_t));
		munmap(p->layout, sizeof(*p->layout));
		goto out;
	}
	p->slots = mapped;
out:
	if (e) {
		free(p);
		return e;
	}
	*result = p;
	return 0;
}

void probes_close(struct probes *p)
{
	if (!p)
		return;
	for (unsigned int slot = 0; slot < HOLD_SLOTS; slot++)
		p->holder.drop(p->holder.ctx, slot);
	for (int form = 0; form < FORM_MAX; form++)
		program_set_close(&p->set[form]);
	for (int i = 0; i < SWEEP_TRIES && tracefs_sweep(&p->tracefs, true, false) == -EBUSY; i++)
		usleep(SWEEP_PAUSE_US);
	munmap(p->active_form, FN_MAX * ACTIVE_STRIDE * sizeof(uint32_t));
	munmap(p->layout, sizeof(*p->layout));
	munmap((void *)p->slots, MOUNT_SLOTS * sizeof(*p->slots));
	free(p);
}
