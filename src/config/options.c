// SPDX-License-Identifier: Apache-2.0
/*
 * Parsing of the command line by the table of flags. What a single value
 * violates by itself is told at once; limits and conflicts are looked at when
 * all has been read, since the last flag of a name wins.
 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "option_table.h"
#include "ops/table.h"
#include "util/parse.h"
#include "util/quote.h"

#define BLANKS	   " \t\r\n\v\f"
#define QUOTED_MAX 160

struct parser {
	struct options *options;
	const char **given; /* last value of each row, NULL: not given */
	char *err;
	size_t errlen;
};

static const char *given_or_initial(const struct parser *p, const struct option_row *row)
{
	const char *given = p->given[row - option_table];

	return given ? given : row->initial;
}

/* "--flag must be so and so, got "value"" */
static int fail(struct parser *p, const struct option_row *row, const char *rule, const char *value)
{
	char quoted[QUOTED_MAX];

	quote(quoted, sizeof(quoted), value);
	snprintf(p->err, p->errlen, "--%s %s, got %s", row->name, rule, quoted);
	return -EINVAL;
}

/* An error about an argument that is no flag of ours. */
static int fail_argument(struct parser *p, const char *what, const char *argument)
{
	char quoted[QUOTED_MAX];

	quote(quoted, sizeof(quoted), argument);
	snprintf(p->err, p->errlen, "%s %s", what, quoted);
	return -EINVAL;
}

static int fail_memory(struct parser *p)
{
	snprintf(p->err, p->errlen, "out of memory");
	return -ENOMEM;
}

static int set_bool(struct parser *p, const struct option_row *row, void *field, const char *value)
{
	return parse_bool(value, field) ? fail(p, row, "must be true or false", value) : 0;
}

static int fail_max(struct parser *p, const struct option_row *row, const char *value)
{
	char rule[64];

	snprintf(rule, sizeof(rule), "must be less than or equal to %" PRId64, row->max);
	return fail(p, row, rule, value);
}

static int set_int(struct parser *p, const struct option_row *row, void *field, const char *value)
{
	switch (parse_int(value, field)) {
	case 0:
		return 0;
	case -ERANGE:
		if (value[0] != '-')
			return fail_max(p, row, value);
		*(int64_t *)field = INT64_MIN;
		return 0;
	default:
		return fail(p, row, "must be a whole number", value);
	}
}

static int set_duration(struct parser *p, const struct option_row *row, void *field,
			const char *value)
{
	switch (parse_duration(value, field)) {
	case 0:
		return 0;
	case -ERANGE:
		return fail(p, row, "must be a shorter time", value);
	default:
		return fail(p, row, "must be a duration such as 90s or 1h30m", value);
	}
}

static int set_choice(struct parser *p, const struct option_row *row, void *field,
		      const char *value)
{
	char rule[128];
	int i, n;

	for (i = 0; row->choices[i]; i++) {
		if (!strcmp(value, row->choices[i])) {
			*(int *)field = i;
			return 0;
		}
	}
	n = snprintf(rule, sizeof(rule), "must be one of");
	for (i = 0; row->choices[i]; i++)
		n += snprintf(rule + n, sizeof(rule) - n, " %s", row->choices[i]);
	return fail(p, row, rule, value);
}

static int check_string(struct parser *p, const struct option_row *row, const char *value)
{
	const char *rule = row->check ? row->check(value) : NULL;

	return rule ? fail(p, row, rule, value) : 0;
}

static int set_string(struct parser *p, const struct option_row *row, void *field,
		      const char *value)
{
	*(const char **)field = *value ? value : NULL;
	return check_string(p, row, value);
}

static int set_strings(struct parser *p, const struct option_row *row, void *field,
		       const char *value)
{
	struct string_list *list = field;
	const char **items;

	if (check_string(p, row, value))
		return -EINVAL;
	items = reallocarray(list->items, list->n + 1, sizeof(*items));
	if (!items)
		return fail_memory(p);
	list->items = items;
	list->items[list->n++] = value;
	return 0;
}

static void string_list_free(struct string_list *list)
{
	free(list->items);
	free(list->text);
	*list = (struct string_list){0};
}

/* The next item of a list separated by commas, blanks around it cut off; empty ones are skipped. */
static char *next_item(char **rest)
{
	char *item;

	while ((item = strsep(rest, ","))) {
		size_t len;

		item += strspn(item, BLANKS);
		len = strlen(item);
		while (len && strchr(BLANKS, item[len - 1]))
			len--;
		item[len] = '\0';
		if (len)
			return item;
	}
	return NULL;
}

static int set_names(struct parser *p, const struct option_row *row, void *field, const char *value)
{
	struct string_list *list = field;
	char *rest, *item;

	string_list_free(list);
	list->text = strdup(value);
	/* One item more than there are commas, at most. */
	list->items = calloc(strlen(value) / 2 + 1, sizeof(*list->items));
	if (!list->text || !list->items)
		return fail_memory(p);
	rest = list->text;
	while ((item = next_item(&rest)))
		list->items[list->n++] = item;
	return 0;
}

static int set_addresses(struct parser *p, const struct option_row *row, void *field,
			 const char *value)
{
	struct address_list *list = field;
	struct address *items;
	const char *why;

	/* The first one given replaces the default. */
	if (!p->given[row - option_table])
		list->n = 0;
	items = reallocarray(list->items, list->n + 1, sizeof(*items));
	if (!items)
		return fail_memory(p);
	list->items = items;
	if (address_parse(&list->items[list->n], value, &why))
		return fail(p, row, why, value);
	list->n++;
	return 0;
}

/* Switches one operation, or a group of them. -EINVAL: there is no such. */
static int ops_switch(bool *ops, const char *name, bool on)
{
	int err = -EINVAL;
	size_t op;

	for (op = 0; op < OP_MAX; op++) {
		if (!strcmp(name, "all") || !strcmp(name, op_table[op].name) ||
		    (!strcmp(name, "default") && !(op_table[op].flags & OPF_HOT))) {
			ops[op] = on;
			err = 0;
		}
	}
	return err;
}

static int set_ops(struct parser *p, const struct option_row *row, void *field, const char *value)
{
	char *text = strdup(value), *rest = text, *item;
	bool *ops = field, any = false, first = true;
	int err = 0;
	size_t op;

	if (!text)
		return fail_memory(p);
	memset(ops, 0, sizeof(p->options->ops));
	for (; (item = next_item(&rest)); first = false) {
		bool has_sign = *item == '+' || *item == '-', on = *item != '-';

		if (first && has_sign)
			ops_switch(ops, "default", true);
		if (ops_switch(ops, item + has_sign, on)) {
			err = fail(p, row, "must name operations", item);
			goto out;
		}
	}
	for (op = 0; op < OP_MAX; op++)
		any |= ops[op];
	if (!any)
		err = fail(p, row, "must leave an operation to watch", value);
out:
	free(text);
	return err;
}

static int (*const setters[])(struct parser *p, const struct option_row *row, void *field,
			      const char *value) = {
	[OPTION_BOOL] = set_bool,	    [OPTION_INT] = set_int,
	[OPTION_DURATION] = set_duration,   [OPTION_CHOICE] = set_choice,
	[OPTION_STRING] = set_string,	    [OPTION_STRINGS] = set_strings,
	[OPTION_NAMES] = set_names,	    [OPTION_OPS] = set_ops,
	[OPTION_ADDRESSES] = set_addresses,
};

static int set(struct parser *p, const struct option_row *row, const char *value)
{
	return setters[row->kind](p, row, (char *)p->options + row->field, value);
}

static int set_initial(struct parser *p)
{
	size_t i;

	for (i = 0; i < option_count; i++) {
		int err = option_table[i].initial
				  ? set(p, &option_table[i], option_table[i].initial)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

static const struct option_row *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < option_count; i++)
		if (strlen(option_table[i].name) == len && !memcmp(option_table[i].name, name, len))
			return &option_table[i];
	return NULL;
}

/*
 * One flag, argv[*i], and the value behind it if it needs one; *i then stands
 * on the last argument used. Returns OPTIONS_* or an error.
 */
static int parse_flag(struct parser *p, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1);
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct option_row *row = find(name, len);
	int err;

	if (!row && len > 3 && !strncmp(name, "no-", 3)) {
		row = find(name + 3, len - 3);
		if (row && row->kind != OPTION_BOOL)
			row = NULL;
		if (row && value)
			return fail_argument(p, "a --no- flag takes no value:", argv[*i]);
		value = "false";
	}
	if (!row && len == 1 && *name == 'h')
		row = find("help", 4);
	if (!row)
		return fail_argument(p, "unknown flag", argv[*i]);
	if (row->kind == OPTION_FLAG) {
		if (value)
			return fail_argument(p, "this flag takes no value:", argv[*i]);
		return !strcmp(row->name, "help") ? OPTIONS_HELP : OPTIONS_VERSION;
	}
	if (!value && row->kind == OPTION_BOOL)
		value = "true";
	if (!value) {
		if (*i + 1 >= argc) {
			snprintf(p->err, p->errlen, "--%s needs a value", row->name);
			return -EINVAL;
		}
		value = argv[++*i];
	}
	err = set(p, row, value);
	p->given[row - option_table] = value;
	return err;
}

/* Limits of one number; 0 becomes the default where it stands for that. */
static int validate_number(struct parser *p, const struct option_row *row)
{
	int64_t *field = (int64_t *)((char *)p->options + row->field);
	const char *value = given_or_initial(p, row);

	if (row->limit == LIMIT_POSITIVE && *field <= 0)
		return fail(p, row, "must be greater than zero", value);
	if (*field < 0)
		return fail(p, row, "must be greater than or equal to zero", value);
	if (*field > row->max)
		return fail_max(p, row, value);
	if (!*field && row->zero_is_default)
		return set(p, row, row->initial);
	return 0;
}

static bool is_on(const struct parser *p, const char *name)
{
	const struct option_row *row = find(name, strlen(name));

	return *(bool *)((char *)p->options + row->field);
}

static int validate(struct parser *p)
{
	size_t i;

	for (i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];

		if ((row->kind == OPTION_INT || row->kind == OPTION_DURATION) &&
		    validate_number(p, row))
			return -EINVAL;
	}
	for (i = 0; i < option_conflict_count; i++) {
		const struct option_conflict *c = &option_conflicts[i];

		if (is_on(p, c->a) && is_on(p, c->b)) {
			snprintf(p->err, p->errlen, "--%s cannot be used together with --%s", c->a,
				 c->b);
			return -EINVAL;
		}
	}
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, char *err, size_t errlen)
{
	struct parser p = {.options = options, .err = err, .errlen = errlen};
	bool version = false;
	int i, ret;

	memset(options, 0, sizeof(*options));
	p.given = calloc(option_count, sizeof(*p.given));
	if (!p.given)
		return fail_memory(&p);
	ret = set_initial(&p);
	for (i = 1; i < argc && !ret; i++) {
		bool flags_end = !strcmp(argv[i], "--");

		if (flags_end && ++i == argc)
			break;
		if (flags_end || argv[i][0] != '-' || !argv[i][1]) {
			ret = fail_argument(&p, "unexpected argument", argv[i]);
			break;
		}
		ret = parse_flag(&p, argc, argv, &i);
		if (ret == OPTIONS_VERSION) {
			version = true;
			ret = 0;
		}
	}
	if (!ret)
		ret = version ? OPTIONS_VERSION : validate(&p);
	free(p.given);
	return ret;
}

void options_free(struct options *options)
{
	string_list_free(&options->mounts);
	string_list_free(&options->process_allowlist);
	free(options->listen.items);
	options->listen = (struct address_list){0};
}
