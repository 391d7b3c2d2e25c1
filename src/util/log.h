/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines with a level, in logfmt or JSON:
 *
 *	ts=2026-01-02T03:04:05.678Z level=info msg="mount found" mount=/lus
 *
 * One logger for the process, set once before threads start and read-only from
 * then on: libbpf's print callback carries no context, so a logger that is
 * handed around could not be reached from it. A line is one write() of at most
 * LOG_LINE_MAX bytes, which a pipe takes as a whole: no lock is needed.
 *
 * Values may hold any bytes (see quote.h). errno is kept.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_LINE_MAX 4096 /* PIPE_BUF */

enum log_level {
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_INFO,
	LOG_LEVEL_WARN,
	LOG_LEVEL_ERROR,
};

enum log_format {
	LOG_FORMAT_LOGFMT,
	LOG_FORMAT_JSON,
};

/* A key and its value. Keys are identifiers of the program's own. */
struct log_field {
	const char *key;
	const char *string; /* NULL: the number */
	int64_t number;
};

#define LOG_S(k, v) ((struct log_field){.key = (k), .string = (v)})
#define LOG_N(k, v) ((struct log_field){.key = (k), .number = (v)})

/* Not called: level info, logfmt, standard error. */
void log_init(enum log_level level, enum log_format format, int fd);

bool log_enabled(enum log_level level);

/* A message made as by printf. */
void log_printf(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A fixed message and n fields. */
void log_fields(enum log_level level, const char *msg, const struct log_field *fields, int n);

#define log_debug(...) log_printf(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...)  log_printf(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warn(...)  log_printf(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_error(...) log_printf(LOG_LEVEL_ERROR, __VA_ARGS__)

/* log_kv(LOG_LEVEL_INFO, "mount found", LOG_S("mount", path), LOG_N("id", id)) */
#define log_kv(level, msg, ...)                                         \
	log_fields(level, msg, (const struct log_field[]){__VA_ARGS__}, \
		   sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))

#endif
