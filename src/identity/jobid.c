// SPDX-License-Identifier: Apache-2.0
#include "jobid.h"

#include <stdint.h>

#include "util/parse.h"

#define DIGITS	  "0123456789"
#define CROCKFORD DIGITS "ABCDEFGHJKMNPQRSTVWXYZ" /* no I, L, O, U */
#define PBS_CHARS DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-_[]"

static bool consists_of(const char *s, size_t len, const char *set)
{
	size_t i;
	const char *c;

	for (i = 0; i < len; i++) {
		for (c = set; *c && *c != s[i]; c++)
			;
		if (!*c)
			return false;
	}
	return true;
}

bool jobid_is_number(const char *s, size_t len)
{
	uint64_t number;

	return len && s[0] != '0' && len < JOB_NUMBER_MAX &&
	       !parse_digits(s, len, UINT32_MAX, &number);
}

bool jobid_is_sluid(const char *s, size_t len)
{
	return len == SLUID_MAX - 1 && s[0] == 's' && consists_of(s + 1, len - 1, CROCKFORD);
}

bool jobid_is_pbs(const char *s, size_t len)
{
	return len && len < JOB_ID_MAX && consists_of(s, 1, DIGITS) &&
	       consists_of(s, len, PBS_CHARS);
}
