/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attach plan: for each function of the table the best form of probe that
 * this kernel, this module and this moment allow.
 *
 *   fentry/fexit   where the module has BTF, kernel code is not preempted (its
 *                  recursion guard would lose calls) and Lustre is mounted
 *                  (it pins the module)
 *   kprobe.multi   where its returns need no pool and Lustre is mounted
 *   kprobe         through tracefs, with the module named and a pool of its own
 *                  for the returns: everywhere else, also before the module is
 *                  loaded
 *
 * A form that turns out to miss calls is not used again. In an exchange the new
 * form is attached first, then told to count, then the old one's entries go; its
 * exits stay as long as a call is under way that it saw enter.
 *
 * Attached probes are held by the serving process, not by the one that attaches
 * them: they go with it, whatever ends it.
 */
#ifndef PROBE_ATTACH_H
#define PROBE_ATTACH_H

#include <stdbool.h>

#include "probe/object.h"
#include "probe/report.h"

struct log;

/* Places where attached probes are held; one for each half of each form. */
enum probe_half { HALF_ENTER, HALF_EXIT, HALVES };
#define HOLD_SLOT(fn, form, half)    (((fn)*FORM_MAX + (form)) * HALVES + (half))
#define HOLD_POINT_SLOT(point, half) HOLD_SLOT(FN_MAX + (point), FORM_KPROBE, half)
#define HOLD_SLOTS		     HOLD_SLOT(FN_MAX + POINT_MAX, FORM_NONE, HALF_ENTER)

/* Who holds the descriptors; hold() passes ownership, drop() returns when it is closed. */
struct probe_holder {
	int (*hold)(void *ctx, unsigned int slot, int fd);
	int (*drop)(void *ctx, unsigned int slot);
	void *ctx;
};

struct attach_options {
	const char *procfs, *sysfs;
	bool allow_missing;    /* --legacy-symbol-allow-missing */
	unsigned int sleepers; /* calls of one function that may be under way at once */
};

struct probes;

int probes_open(struct probes **probes, struct object *object, const struct attach_options *options,
		const struct probe_holder *holder, struct probe_report *report, char *err,
		size_t errlen);

/*
 * Brings the probes in line with the module and the mounts as they are now.
 * Cheap when nothing changed. Returns 0, or -ENOENT when the module is loaded
 * and none of the five functions can be attached that nothing goes without.
 */
int probes_update(struct probes *probes, char *err, size_t errlen);

/* Reads how many calls were missed into the report; a form that misses loses its trust. */
void probes_read_missed(struct probes *probes);

/* Drops what is attached and removes the definitions, whoever still holds them. */
void probes_close(struct probes *probes);

#endif
