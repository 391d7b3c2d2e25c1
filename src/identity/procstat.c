// SPDX-License-Identifier: Apache-2.0
/*
 * The name stands in parentheses and may hold any bytes, ") (" too: it ends at
 * the last one, as only numbers follow. Fields are counted from 1, as in proc(5).
 */
#include "procstat.h"

#include <errno.h>
#include <string.h>

#include "util/parse.h"

#define FIELD_STATE 3
#define FIELD_PPID  4
#define FIELD_FLAGS 9
#define FIELD_START 22

#define PF_KTHREAD 0x00200000

struct field {
	const char *text;
	size_t len;
};

/* Splits the fields behind the name, up to the last one needed. */
static int split(struct field field[FIELD_START + 1], const char *p, const char *end)
{
	size_t i;

	for (i = FIELD_STATE; i <= FIELD_START; i++) {
		const char *stop = p;

		while (stop < end && *stop != ' ' && *stop != '\n')
			stop++;
		/* What stands at the very end may have been cut off. */
		if (stop == end || stop == p)
			return -EINVAL;
		field[i] = (struct field){p, stop - p};
		p = stop + 1;
	}
	return 0;
}

int procstat_parse(struct procstat *stat, const char *text, size_t len)
{
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	struct field f[FIELD_START + 1];
	uint64_t pid, ppid, flags;
	size_t n;

	memset(stat, 0, sizeof(*stat));
	if (!open || close < open || open == text || open[-1] != ' ')
		return -EINVAL;
	n = close - open - 1;
	if (n >= sizeof(stat->comm) || close + 1 == text + len || close[1] != ' ' ||
	    split(f, close + 2, text + len) || f[FIELD_STATE].len != 1 ||
	    parse_digits(text, open - text - 1, INT32_MAX, &pid) ||
	    parse_digits(f[FIELD_PPID].text, f[FIELD_PPID].len, INT32_MAX, &ppid) ||
	    parse_digits(f[FIELD_FLAGS].text, f[FIELD_FLAGS].len, UINT32_MAX, &flags) ||
	    parse_digits(f[FIELD_START].text, f[FIELD_START].len, UINT64_MAX, &stat->start_ticks))
		return -EINVAL;
	memcpy(stat->comm, open + 1, n);
	stat->pid = pid;
	stat->ppid = ppid;
	stat->state = *f[FIELD_STATE].text;
	stat->is_kthread = flags & PF_KTHREAD;
	return 0;
}
