// SPDX-License-Identifier: Apache-2.0
/* Numbers, truth values and durations as text. */
#include "parse.h"

#include <errno.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads the base off the front; *s then stands behind it. */
static int parse_base(const char **s)
{
	static const struct {
		char letter;
		int base;
	} bases[] = {{'x', 16}, {'o', 8}, {'b', 2}};
	size_t i;

	if ((*s)[0] != '0' || !(*s)[1])
		return 10;
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		if (((*s)[1] | 0x20) == bases[i].letter) {
			*s += 2;
			return bases[i].base;
		}
	}
	*s += 1;
	return 8;
}

int parse_int(const char *s, int64_t *out)
{
	/* A base counts as a digit before the first `_`. */
	bool negative, after_digit, any = false, overflow = false;
	uint64_t value = 0, limit;
	const char *start;
	int base;

	negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	start = s;
	base = parse_base(&s);
	after_digit = s != start;

	for (; *s; s++) {
		int d = digit_value(*s);

		if (*s == '_') {
			if (!after_digit)
				return -EINVAL;
			after_digit = false;
			continue;
		}
		if (d >= base)
			return -EINVAL;
		if (value > (limit - d) / base)
			overflow = true;
		if (!overflow)
			value = value * base + d;
		after_digit = any = true;
	}
	if (!any || !after_digit)
		return -EINVAL;
	if (overflow)
		return -ERANGE;
	*out = negative ? -(int64_t)(value - 1) - 1 : (int64_t)value;
	return 0;
}

int parse_digits(const char *s, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	bool overflow = false;
	size_t i;

	if (!len)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		unsigned int d = (unsigned char)s[i] - '0';

		if (d > 9)
			return -EINVAL;
		if (d > max || value > (max - d) / 10)
			overflow = true;
		if (!overflow)
			value = value * 10 + d;
	}
	if (overflow)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_bool(const char *s, bool *out)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{"1", true},	{"t", true},	  {"T", true},	    {"true", true},
		{"TRUE", true}, {"True", true},	  {"0", false},	    {"f", false},
		{"F", false},	{"false", false}, {"FALSE", false}, {"False", false},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(s, words[i].word)) {
			*out = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

/* The longer unit stands before the one that it begins with. */
static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{"ns", 1},
	{"us", 1000},
	{"\xc2\xb5s", 1000}, /* micro sign */
	{"\xce\xbcs", 1000}, /* Greek mu */
	{"ms", 1000000},
	{"s", NSEC_PER_SEC},
	{"m", 60 * NSEC_PER_SEC},
	{"h", 3600 * NSEC_PER_SEC},
	{"d", 86400 * NSEC_PER_SEC},
	{"w", 7 * 86400 * NSEC_PER_SEC},
	{"y", 365 * 86400 * NSEC_PER_SEC},
};

/* One number with its unit; *s then stands behind it. */
static int parse_duration_part(const char **s, int64_t *ns)
{
	size_t whole = strspn(*s, "0123456789"), fraction = 0, i;
	const char *unit = *s + whole, *decimals = NULL;
	uint64_t value = 0;
	int64_t step;
	int err;

	if (*unit == '.') {
		decimals = unit + 1;
		fraction = strspn(decimals, "0123456789");
		unit = decimals + fraction;
	}
	if (!whole && !fraction)
		return -EINVAL;
	err = whole ? parse_digits(*s, whole, INT64_MAX, &value) : 0;
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strncmp(unit, units[i].name, strlen(units[i].name)))
			break;
	if (i == ARRAY_SIZE(units))
		return -EINVAL;
	if (__builtin_mul_overflow((int64_t)value, units[i].ns, ns))
		return -ERANGE;
	step = units[i].ns;
	for (; fraction; fraction--, decimals++) {
		step /= 10;
		if (__builtin_add_overflow(*ns, (*decimals - '0') * step, ns))
			return -ERANGE;
	}
	*s = unit + strlen(units[i].name);
	return 0;
}

int parse_duration(const char *s, int64_t *ns)
{
	bool negative = *s == '-';
	int64_t sum = 0, part;
	int err;

	if (*s == '-' || *s == '+')
		s++;
	if (!strcmp(s, "0")) {
		*ns = 0;
		return 0;
	}
	do {
		err = parse_duration_part(&s, &part);
		if (err)
			return err;
		if (__builtin_add_overflow(sum, part, &sum))
			return -ERANGE;
	} while (*s);
	*ns = negative ? -sum : sum;
	return 0;
}
