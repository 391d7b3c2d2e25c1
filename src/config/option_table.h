/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table of flags: for the parser, for --help and for the manual page. */
#ifndef CONFIG_OPTION_TABLE_H
#define CONFIG_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The type of a value, and of the field in struct options that takes it. */
enum option_kind {
	OPTION_FLAG,	  /* --help, --version: no value, no field */
	OPTION_BOOL,	  /* bool */
	OPTION_INT,	  /* int64_t */
	OPTION_DURATION,  /* int64_t, nanoseconds */
	OPTION_CHOICE,	  /* int: index into choices */
	OPTION_STRING,	  /* const char *, "" is NULL unless there is a check */
	OPTION_STRINGS,	  /* struct string_list, one more with each flag */
	OPTION_NAMES,	  /* struct string_list, separated by commas */
	OPTION_ADDRESSES, /* struct address_list, one more with each flag */
	OPTION_OPS,	  /* bool[OP_MAX] */
};

enum option_group {
	GROUP_WATCH,
	GROUP_LABELS,
	GROUP_JOBS,
	GROUP_LIMITS,
	GROUP_WEB,
	GROUP_OUTPUT,
	GROUP_PROCESS,
	GROUP_MAX,
};

/* Lower limits of numbers, as the messages word them. */
enum option_limit {
	LIMIT_POSITIVE,	    /* must be greater than zero */
	LIMIT_NOT_NEGATIVE, /* must be greater than or equal to zero */
};

struct option_row {
	const char *name; /* without dashes */
	enum option_group group;
	enum option_kind kind;
	size_t field;	     /* offset in struct options */
	const char *initial; /* default as one would write it; NULL: none */
	const char *arg;     /* the value's name in the help */
	const char *help;
	enum option_limit limit;    /* INT, DURATION */
	int64_t max;		    /* INT, DURATION */
	int zero_is_default;	    /* INT: 0 stands for the default */
	const char *const *choices; /* CHOICE: NULL terminated */
	/* STRING, STRINGS: what is wrong with the value ("must ..."), NULL if nothing. */
	const char *(*check)(const char *value);
};

extern const struct option_row option_table[];
extern const size_t option_count;

/* Two flags that exclude each other, by name. */
struct option_conflict {
	const char *a, *b;
};

extern const struct option_conflict option_conflicts[];
extern const size_t option_conflict_count;

extern const char *const option_group_names[GROUP_MAX];

#endif
