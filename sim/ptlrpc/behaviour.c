// SPDX-License-Identifier: GPL-2.0
/*
 * The rules behind debugfs "servers": per target, for all mounts, and a few
 * for all requests.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "base/base.h"
#include "ptlrpc/behaviour.h"
#include "ptlrpc/client.h"

/* Keys of a target; all but the first two count down requests. */
enum rule_key { DELAY_US, ERRNO, COUNT, DROP, NET_ERROR, INPROGRESS, NOTCONN, EVICT, RULE_KEYS };

static const char *const rule_keys[RULE_KEYS] = {
	"delay_us", "errno", "count", "drop", "neterr", "inprogress", "notconn", "evict",
};

enum setting_key { TIMEOUT_MS, POOL, LOST_FREE, COMMIT_LAG, SETTING_KEYS };

static const char *const setting_keys[SETTING_KEYS] = {
	"timeout_ms",
	"pool",
	"lost_free",
	"commit_lag",
};

static const char *const targets[] = {"MDT0000", "OST0000", "OST0001"};
static_assert(ARRAY_SIZE(targets) == 1 + SIM_OSTS);

#define DEFAULT_SETTINGS                                 \
	{                                                \
		[TIMEOUT_MS] = 100000, [COMMIT_LAG] = 16 \
	}

static u64 rules[ARRAY_SIZE(targets)][RULE_KEYS];
static u64 settings[SETTING_KEYS] = DEFAULT_SETTINGS;
static DEFINE_SPINLOCK(lock);

unsigned int sim_behaviour_rule(const char *target)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		if (!strcmp(targets[i], target))
			return i;
	}
	return 0;
}

static bool use_up(u64 *left)
{
	if (!*left)
		return false;
	--*left;
	return true;
}

struct sim_answer sim_behaviour_next(unsigned int rule)
{
	struct sim_answer answer = {.fate = FATE_ANSWER};
	u64 *r = rules[rule];

	spin_lock(&lock);
	answer.delay_us = r[DELAY_US];
	if (use_up(&r[DROP])) {
		answer.fate = FATE_DROP;
	} else if (use_up(&r[NET_ERROR])) {
		answer.fate = FATE_NET_ERROR;
	} else if (use_up(&r[INPROGRESS])) {
		answer.status = -EINPROGRESS;
	} else if (use_up(&r[NOTCONN])) {
		answer.status = -ENOTCONN;
	} else if (use_up(&r[EVICT])) {
		answer.status = -ENOTCONN;
		answer.evict = true;
	} else if (r[ERRNO] && use_up(&r[COUNT])) {
		answer.status = -(int)r[ERRNO];
	}
	spin_unlock(&lock);
	return answer;
}

unsigned long sim_timeout_jiffies(void)
{
	return msecs_to_jiffies(READ_ONCE(settings[TIMEOUT_MS]));
}

bool sim_from_pool(void)
{
	return READ_ONCE(settings[POOL]);
}

bool sim_lose_free(void)
{
	bool lose;

	if (likely(!READ_ONCE(settings[LOST_FREE])))
		return false;
	spin_lock(&lock);
	lose = use_up(&settings[LOST_FREE]);
	spin_unlock(&lock);
	return lose;
}

u64 sim_commit_lag(void)
{
	return READ_ONCE(settings[COMMIT_LAG]);
}

static int find(const char *const *names, int n, const char *name)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	return -EINVAL;
}

static int write_line(char *line)
{
	static const u64 defaults[SETTING_KEYS] = DEFAULT_SETTINGS;
	char *word = strsep(&line, " \t");
	int target = find(targets, ARRAY_SIZE(targets), word), key, rc;
	const char *const *names = target < 0 ? setting_keys : rule_keys;
	u64 *values = target < 0 ? settings : rules[target], n;

	if (!strcmp(word, "clear") && !line) {
		spin_lock(&lock);
		memset(rules, 0, sizeof(rules));
		memcpy(settings, defaults, sizeof(settings));
		spin_unlock(&lock);
		return 0;
	}
	if (target < 0 && strcmp(word, "all"))
		return -EINVAL;
	while ((word = strsep(&line, " \t"))) {
		char *value = strchr(word, '=');

		if (!value)
			return -EINVAL;
		*value++ = '\0';
		key = find(names, target < 0 ? SETTING_KEYS : RULE_KEYS, word);
		rc = key < 0 ? key : kstrtou64(value, 0, &n);
		if (rc)
			return rc;
		spin_lock(&lock);
		values[key] = n;
		if (names == rule_keys && key == ERRNO)
			values[COUNT] = U64_MAX; /* until a count is given */
		spin_unlock(&lock);
	}
	return 0;
}

int sim_behaviour_write(char *text)
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

static void show_values(struct seq_file *m, const char *name, const char *const *names,
			const u64 *values, int n)
{
	int i;

	seq_puts(m, name);
	for (i = 0; i < n; i++)
		seq_printf(m, " %s=%llu", names[i], values[i]);
	seq_putc(m, '\n');
}

int sim_behaviour_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	spin_lock(&lock);
	show_values(m, "all", setting_keys, settings, SETTING_KEYS);
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		show_values(m, targets[i], rule_keys, rules[i], RULE_KEYS);
	spin_unlock(&lock);
	return 0;
}
