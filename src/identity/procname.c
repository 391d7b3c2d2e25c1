// SPDX-License-Identifier: Apache-2.0
/* Each rule returns the length that it would leave, len if it does not apply. */
#include "procname.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_separator(char c)
{
	return c && strchr(" -_:/", c);
}

static size_t without_digits(const char *name, size_t len)
{
	while (len && is_digit(name[len - 1]))
		len--;
	return len;
}

static size_t without_separators(const char *name, size_t len)
{
	while (len && is_separator(name[len - 1]))
		len--;
	return len;
}

static size_t drop_token(const char *name, size_t len)
{
	size_t rest = without_digits(name, len);

	if (rest == len && len && is_letter(name[len - 1]))
		rest = len - 1;
	if (rest == len || !rest || !is_separator(name[rest - 1]))
		return len;
	return without_separators(name, rest);
}

static size_t drop_bracket(const char *name, size_t len)
{
	size_t rest;
	char open;

	if (len < 3 || (name[len - 1] != ')' && name[len - 1] != ']'))
		return len;
	open = name[len - 1] == ')' ? '(' : '[';
	rest = without_digits(name, len - 1);
	if (rest == len - 1 || !rest || name[rest - 1] != open)
		return len;
	return without_separators(name, rest - 1);
}

static size_t drop_component_digits(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);
	size_t rest = without_digits(name, len);

	if (!dot || dot + 1 >= name + rest || is_digit(dot[1]))
		return len;
	return rest;
}

size_t procname_fold(char *name, size_t len)
{
	static size_t (*const rules[])(const char *name, size_t len) = {drop_token, drop_bracket,
									drop_component_digits};
	size_t i = 0, before = len;

	while (i < sizeof(rules) / sizeof(rules[0])) {
		size_t rest = rules[i](name, len);

		i = rest && rest < len ? 0 : i + 1;
		if (rest)
			len = rest;
	}
	if (len < before)
		name[len] = '\0';
	return len;
}
