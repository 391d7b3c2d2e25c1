// SPDX-License-Identifier: Apache-2.0
/* The attach plan at work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "mount/mountinfo.h"
#include "ops/table.h"
#include "probe/attach.h"
#include "probe/module.h"
#include "probe/tracefs.h"

struct probes {
	struct object *object;
	struct attach_options options;
	struct probe_holder holder;
	struct probe_report *report;
	struct tracefs tracefs;
	struct module_state module;
	char symbol[FN_MAX][64];   /* the alternative that the module has, empty if none */
	struct program_set fentry; /* skel NULL: not loaded */
	bool started;
	bool put_super;
	bool defined[FN_MAX];	 /* tracefs definitions exist and are attached */
	uint64_t missed[FN_MAX]; /* of forms that were given up */
	uint32_t *active_form;	 /* mapped; FN_MAX entries, 8 bytes apart */
};

#define SWEEP_TRIES    600
#define SWEEP_PAUSE_US 50000

#define ACTIVE_STRIDE 2 /* an array map rounds its elements up to 8 bytes */

static const enum fn_id required[] = {FN_LOOKUP_ND, FN_FILE_OPEN, FN_FILE_READ_ITER,
				      FN_FILE_WRITE_ITER, FN_FSYNC};

const char *probe_form_name(enum probe_form form)
{
	static const char *const names[FORM_MAX] = {
		[FORM_NONE] = "none", [FORM_FENTRY] = "fentry", [FORM_KPROBE] = "kprobe"};

	return names[form];
}

static void event_name(char *name, size_t size, const char *id, enum probe_half half)
{
	/* kprobe_profile lists events without their group: the pid tells ours from others. */
	snprintf(name, size, "%s_%s_%d", id, half == HALF_ENTER ? "enter" : "exit", getpid());
}

static void row_set(struct probes *p, enum fn_id fn, enum probe_form form, const char *reason)
{
	struct probe_row *row = &p->report->row[fn];

	row->form = form;
	snprintf(row->reason, sizeof(row->reason), "%s", reason);
	snprintf(row->symbol, sizeof(row->symbol), "%s", p->symbol[fn]);
}

static void set_active(struct probes *p, enum fn_id fn, enum probe_form form)
{
	__atomic_store_n(&p->active_form[fn * ACTIVE_STRIDE], form, __ATOMIC_RELEASE);
}

/*
 * Defines and attaches one half of a kprobe pair. Attached by descriptor and not
 * through a libbpf link, which would stay in this process.
 */
static int attach_kprobe_half(struct probes *p, const struct bpf_program *prog, const char *id,
			      const char *symbol, unsigned int slot, enum probe_half half)
{
	char event[96];
	int event_id, fd, err;

	event_name(event, sizeof(event), id, half);
	event_id = tracefs_define(&p->tracefs, event, LLITE_MODULE, symbol,
				  half == HALF_EXIT ? p->options.sleepers : 0);
	if (event_id < 0)
		return event_id;
	fd = tracefs_perf_open(event_id, bpf_program__fd(prog));
	err = fd < 0 ? fd : p->holder.hold(p->holder.ctx, slot, fd);
	if (err)
		tracefs_remove(&p->tracefs, event);
	return err;
}

static void drop_kprobe_half(struct probes *p, const char *id, unsigned int slot,
			     enum probe_half half)
{
	char event[96];

	p->holder.drop(p->holder.ctx, slot);
	event_name(event, sizeof(event), id, half);
	tracefs_remove(&p->tracefs, event);
}

static uint64_t kprobe_missed(const struct probes *p, enum fn_id fn)
{
	uint64_t missed = 0;
	char event[96];

	for (int half = 0; half < HALVES; half++) {
		event_name(event, sizeof(event), fn_table[fn].id, half);
		missed += tracefs_missed(&p->tracefs, event);
	}
	return missed;
}

static void drop_kprobe(struct probes *p, enum fn_id fn)
{
	if (!p->defined[fn])
		return;
	p->missed[fn] += kprobe_missed(p, fn);
	drop_kprobe_half(p, fn_table[fn].id, HOLD_SLOT(fn, FORM_KPROBE, HALF_ENTER), HALF_ENTER);
	drop_kprobe_half(p, fn_table[fn].id, HOLD_SLOT(fn, FORM_KPROBE, HALF_EXIT), HALF_EXIT);
	p->defined[fn] = false;
}

/* The exit half first: an entry without its exit would leave a frame behind. */
static int attach_kprobe(struct probes *p, enum fn_id fn)
{
	const struct program_set *set = object_kprobes(p->object);
	const struct fn_info *info = &fn_table[fn];
	const char *symbol = p->symbol[fn];
	int err;

	err = attach_kprobe_half(p, set->exit[fn], info->id, symbol,
				 HOLD_SLOT(fn, FORM_KPROBE, HALF_EXIT), HALF_EXIT);
	if (err)
		return err;
	err = attach_kprobe_half(p, set->enter[fn], info->id, symbol,
				 HOLD_SLOT(fn, FORM_KPROBE, HALF_ENTER), HALF_ENTER);
	if (err) {
		drop_kprobe_half(p, info->id, HOLD_SLOT(fn, FORM_KPROBE, HALF_EXIT), HALF_EXIT);
		return err;
	}
	p->defined[fn] = true;
	return 0;
}

/* Attaches the kprobe pair of a function, or writes into its row why not. */
static void use_kprobe(struct probes *p, enum fn_id fn)
{
	const struct program_set *set = object_kprobes(p->object);
	char reason[160] = "";
	int err;

	if (p->defined[fn]) {
		set_active(p, fn, FORM_KPROBE);
		row_set(p, fn, FORM_KPROBE, "");
		return;
	}
	err = object_prototype_error(p->object, fn);
	if (err) {
		snprintf(reason, sizeof(reason),
			 err == -ENOENT ? "this kernel has no %s.%s" : "no known argument in %s.%s",
			 fn_table[fn].table, fn_table[fn].method);
	} else if (set->error[fn]) {
		snprintf(reason, sizeof(reason), "the kernel refuses the program: %s",
			 strerror(-set->error[fn]));
	} else if (!p->symbol[fn][0]) {
		snprintf(reason, sizeof(reason), "no such function in the module: %s",
			 fn_table[fn].symbols);
	} else {
		err = attach_kprobe(p, fn);
		if (err)
			snprintf(reason, sizeof(reason), "cannot attach to %s: %s", p->symbol[fn],
				 strerror(-err));
	}
	set_active(p, fn, reason[0] ? FORM_NONE : FORM_KPROBE);
	row_set(p, fn, reason[0] ? FORM_NONE : FORM_KPROBE, reason);
}

static int attach_fentry_half(struct probes *p, const struct bpf_program *prog, unsigned int slot)
{
	int fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(prog));

	return fd < 0 ? fd : p->holder.hold(p->holder.ctx, slot, fd);
}

static int attach_fentry(struct probes *p, enum fn_id fn)
{
	unsigned int exit_slot = HOLD_SLOT(fn, FORM_FENTRY, HALF_EXIT);
	int err;

	err = attach_fentry_half(p, p->fentry.exit[fn], exit_slot);
	if (err)
		return err;
	err = attach_fentry_half(p, p->fentry.enter[fn], HOLD_SLOT(fn, FORM_FENTRY, HALF_ENTER));
	if (err)
		p->holder.drop(p->holder.ctx, exit_slot);
	return err;
}

static uint64_t fentry_missed(const struct program_set *set, enum fn_id fn)
{
	const struct bpf_program *halves[] = {set->enter[fn], set->exit[fn]};
	uint64_t missed = 0;

	for (int i = 0; i < HALVES; i++) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(halves[i]), &info, &len))
			missed += info.recursion_misses;
	}
	return missed;
}

/* fentry where it can be had; the rest is left to kprobes. */
static void use_fentry(struct probes *p)
{
	const char *symbols[FN_MAX];

	for (int fn = 0; fn < FN_MAX; fn++)
		symbols[fn] = p->symbol[fn][0] ? p->symbol[fn] : NULL;
	if (object_load_fentry(p->object, LLITE_MODULE, symbols, &p->fentry))
		return;
	for (int fn = 0; fn < FN_MAX; fn++) {
		if (p->fentry.error[fn] || p->defined[fn])
			continue;
		if (attach_fentry(p, fn))
			continue;
		set_active(p, fn, FORM_FENTRY);
		row_set(p, fn, FORM_FENTRY, "");
	}
}

/* Lets go of the module. No operation can be under way when the last mount is gone. */
static void leave_fentry(struct probes *p)
{
	if (!p->fentry.skel)
		return;
	for (int fn = 0; fn < FN_MAX; fn++) {
		if (p->report->row[fn].form != FORM_FENTRY)
			continue;
		use_kprobe(p, fn);
		p->missed[fn] += fentry_missed(&p->fentry, fn);
		p->holder.drop(p->holder.ctx, HOLD_SLOT(fn, FORM_FENTRY, HALF_ENTER));
		p->holder.drop(p->holder.ctx, HOLD_SLOT(fn, FORM_FENTRY, HALF_EXIT));
	}
	program_set_close(&p->fentry);
}

/*
 * The first of the function's names that the module has. While it is not loaded
 * that cannot be told, and the first name of all is taken: a probe on it arms
 * itself when the module comes.
 */
static void choose_symbol(struct probes *p, enum fn_id fn)
{
	const char *alternatives = fn_table[fn].symbols;
	char symbol[64] = "";

	do {
		size_t n = strcspn(alternatives, " ");

		snprintf(symbol, sizeof(symbol), "%.*s", (int)n, alternatives);
		if (!p->module.live || tracefs_function_exists(&p->tracefs, LLITE_MODULE, symbol))
			break;
		symbol[0] = '\0';
		alternatives += n + strspn(alternatives + n, " ");
	} while (*alternatives);

	if (p->defined[fn] && strcmp(symbol, p->symbol[fn]))
		drop_kprobe(p, fn);
	snprintf(p->symbol[fn], sizeof(p->symbol[fn]), "%s", symbol);
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

/* The umount probe tells when a super block's address may be used again. */
static void use_put_super(struct probes *p)
{
	const struct program_set *set = object_kprobes(p->object);

	if (!p->put_super)
		p->put_super = !attach_kprobe_half(p, set->put_super, "PUT_SUPER", "ll_put_super",
						   HOLD_PUT_SUPER, HALF_ENTER);
}

int probes_update(struct probes *p, char *err, size_t errlen)
{
	struct module_state module;
	bool wants_fentry;

	module_read(p->options.sysfs, LLITE_MODULE, &module);
	p->report->mounts = count_mounts(p);
	if (p->fentry.skel && !p->report->mounts)
		leave_fentry(p);
	if (p->started && module.identity == p->module.identity)
		return 0;

	/* Another module: functions may have gone, come, or changed their names. */
	p->module = module;
	if (module.live || !p->started)
		for (int fn = 0; fn < FN_MAX; fn++)
			choose_symbol(p, fn);
	wants_fentry =
		module.live && module.has_btf && p->report->mounts && kernel_is_preemptible() == 0;
	if (wants_fentry && !p->fentry.skel)
		use_fentry(p);
	for (int fn = 0; fn < FN_MAX; fn++)
		if (p->report->row[fn].wanted && p->report->row[fn].form != FORM_FENTRY)
			use_kprobe(p, fn);
	use_put_super(p);
	p->report->module_loaded = module.live;
	p->started = true;
	__atomic_fetch_add(&p->report->settled, 1, __ATOMIC_RELEASE);

	if (!module.live || p->options.allow_missing)
		return 0;
	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (p->report->row[required[i]].form != FORM_NONE)
			return 0;
	snprintf(err, errlen,
		 "none of the required functions can be probed (%s: %s): see --check, or start "
		 "anyway with --legacy-symbol-allow-missing",
		 fn_table[FN_LOOKUP_ND].symbols, p->report->row[FN_LOOKUP_ND].reason);
	return -ENOENT;
}

void probes_read_missed(struct probes *p)
{
	for (int fn = 0; fn < FN_MAX; fn++) {
		struct probe_row *row = &p->report->row[fn];
		uint64_t missed = p->missed[fn];

		if (row->form == FORM_KPROBE)
			missed += kprobe_missed(p, fn);
		else if (row->form == FORM_FENTRY)
			missed += fentry_missed(&p->fentry, fn);
		row->missed = missed;
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
	program_set_close(&p->fentry);
	/* A holder that was killed closes its descriptors one by one, in the kernel's own time. */
	for (int i = 0; i < SWEEP_TRIES && tracefs_sweep(&p->tracefs, true, false) == -EBUSY; i++)
		usleep(SWEEP_PAUSE_US);
	munmap(p->active_form, FN_MAX * ACTIVE_STRIDE * sizeof(uint32_t));
	free(p);
}
