// SPDX-License-Identifier: GPL-2.0
/*
 * Injection into single functions: delay, error, hang, VM_FAULT_RETRY, for all
 * callers or one fsuid, for ever or for the next N calls. One rule per
 * function. While there is no rule at all a call costs a patched jump.
 */
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "base/base.h"

#define ANY_UID	  ((u32)-1)
#define ALL_CALLS U64_MAX

struct rule {
	u64 delay_us;
	u64 left;  /* calls it still applies to; ALL_CALLS: no end */
	u32 uid;   /* ANY_UID: every caller's */
	int error; /* positive errno */
	bool retry;
	bool hang;
	bool set;
};

DEFINE_STATIC_KEY_FALSE(sim_inject_key);
EXPORT_SYMBOL_GPL(sim_inject_key);

static struct rule rules[SIM_FN_MAX];
static DEFINE_SPINLOCK(rules_lock); /* the rules' fields */
static DEFINE_MUTEX(rules_mutex);   /* writers, and the key */
static DECLARE_WAIT_QUEUE_HEAD(released);

static int sleep_us(u64 us)
{
	ktime_t left = ns_to_ktime(us * NSEC_PER_USEC);

	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout_range(&left, 0, HRTIMER_MODE_REL);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

int sim_inject_apply(unsigned int fn)
{
	struct rule *rule = &rules[fn], r;
	int rc = 0;

	spin_lock(&rules_lock);
	r = *rule;
	if (r.uid != ANY_UID && r.uid != from_kuid(&init_user_ns, current_fsuid()))
		r.set = false;
	if (r.left == 0)
		r.set = false;
	if (r.set && r.left != ALL_CALLS)
		rule->left--;
	spin_unlock(&rules_lock);
	if (!r.set)
		return 0;

	if (r.hang && wait_event_killable(released, !READ_ONCE(rule->hang)))
		rc = -EINTR;
	if (!rc && r.delay_us)
		rc = sleep_us(r.delay_us);
	if (rc)
		return rc;
	if (r.retry)
		return SIM_RETRY;
	return -r.error;
}
EXPORT_SYMBOL_GPL(sim_inject_apply);

static void update_key(void)
{
	bool any = false;
	int i;

	for (i = 0; i < SIM_FN_MAX; i++)
		any |= rules[i].set;
	if (any)
		static_branch_enable(&sim_inject_key);
	else
		static_branch_disable(&sim_inject_key);
}

void sim_inject_clear(void)
{
	mutex_lock(&rules_mutex);
	spin_lock(&rules_lock);
	memset(rules, 0, sizeof(rules));
	spin_unlock(&rules_lock);
	update_key();
	mutex_unlock(&rules_mutex);
	wake_up_all(&released);
}

static int find_function(const char *symbol)
{
	int fn, length;

	for (fn = 0; fn < SIM_FN_MAX; fn++) {
		const char *name = sim_fn_name(fn, &length);

		if (strlen(symbol) == length && !strncmp(symbol, name, length))
			return fn;
	}
	return -ENOENT;
}

static int parse_setting(struct rule *r, int fn, const char *key, const char *value)
{
	u64 n;
	int rc = kstrtou64(value, 0, &n);

	if (rc)
		return rc;
	if (!strcmp(key, "delay_us") && n <= 3600ULL * USEC_PER_SEC) {
		r->delay_us = n;
	} else if (!strcmp(key, "errno") && n <= MAX_ERRNO) {
		r->error = n;
	} else if (!strcmp(key, "hang") && n <= 1) {
		r->hang = n;
	} else if (!strcmp(key, "count")) {
		r->left = n;
	} else if (!strcmp(key, "uid") && n < ANY_UID) {
		r->uid = n;
	} else if (!strcmp(key, "retry") && (fn == FN_FAULT || fn == FN_PAGE_MKWRITE)) {
		r->retry = true;
		r->left = n;
	} else {
		return -EINVAL;
	}
	return 0;
}

static int write_line(char *line)
{
	struct rule r = {.uid = ANY_UID, .left = ALL_CALLS};
	char *word = strsep(&line, " \t");
	int fn, rc;

	if (!strcmp(word, "clear") && !line) {
		sim_inject_clear();
		return 0;
	}
	fn = find_function(word);
	if (fn < 0)
		return fn;
	while ((word = strsep(&line, " \t"))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		rc = parse_setting(&r, fn, word, value);
		if (rc)
			return rc;
	}
	r.set = r.delay_us || r.error || r.hang || r.retry;
	mutex_lock(&rules_mutex);
	spin_lock(&rules_lock);
	rules[fn] = r;
	spin_unlock(&rules_lock);
	update_key();
	mutex_unlock(&rules_mutex);
	wake_up_all(&released);
	return 0;
}

int sim_inject_write(char *text)
{
	char *line;
	int rc = 0;

	while (!rc && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (*line)
			rc = write_line(line);
	}
	return rc;
}

int sim_inject_show(struct seq_file *m, void *unused)
{
	int fn, length;

	spin_lock(&rules_lock);
	for (fn = 0; fn < SIM_FN_MAX; fn++) {
		const char *name = sim_fn_name(fn, &length);
		struct rule *r = &rules[fn];

		if (!r->set)
			continue;
		seq_printf(m, "%.*s", length, name);
		if (r->delay_us)
			seq_printf(m, " delay_us=%llu", r->delay_us);
		if (r->error)
			seq_printf(m, " errno=%d", r->error);
		if (r->hang)
			seq_puts(m, " hang=1");
		if (r->left != ALL_CALLS)
			seq_printf(m, " %s=%llu", r->retry ? "retry" : "count", r->left);
		if (r->uid != ANY_UID)
			seq_printf(m, " uid=%u", r->uid);
		seq_putc(m, '\n');
	}
	spin_unlock(&rules_lock);
	return 0;
}
