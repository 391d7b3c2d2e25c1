// SPDX-License-Identifier: Apache-2.0
/* Makes a line in a buffer of fixed size and writes it at once. */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "quote.h"

static struct {
	enum log_level level;
	enum log_format format;
	int fd;
} logger = {.level = LOG_LEVEL_INFO, .format = LOG_FORMAT_LOGFMT, .fd = STDERR_FILENO};

static const char *const level_names[] = {
	[LOG_LEVEL_DEBUG] = "debug",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_ERROR] = "error",
};

/* Parts that do not fit are left out whole: the line stays well-formed. */
struct line {
	char text[LOG_LINE_MAX];
	size_t len;
};

/* What must fit behind the last part: "}\n". */
#define LINE_END 2
/* A value is cut at this length, so that one of them does not push out the others. */
#define VALUE_MAX 1024

/* No quotes are needed in logfmt: there is no blank, quote, '=' or odd byte in it. */
static bool is_plain(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "-_./:@+,%*()[]")];
}

static void line_add(struct line *line, const char *key, const char *value, bool literal)
{
	bool json = logger.format == LOG_FORMAT_JSON;
	size_t room = sizeof(line->text) - LINE_END - line->len;
	char quoted[VALUE_MAX];
	int n;

	if (!(literal || (!json && strlen(value) < sizeof(quoted) && is_plain(value)))) {
		quote(quoted, sizeof(quoted), value);
		value = quoted;
	}
	if (json)
		n = snprintf(line->text + line->len, room, "%s\"%s\":%s", line->len ? "," : "{",
			     key, value);
	else
		n = snprintf(line->text + line->len, room, "%s%s=%s", line->len ? " " : "", key,
			     value);
	if (n > 0 && (size_t)n < room)
		line->len += n;
}

static void line_begin(struct line *line, enum log_level level, const char *msg)
{
	char ts[48];
	struct timespec now;
	struct tm tm;
	size_t n;

	line->len = 0;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	n = strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ts + n, sizeof(ts) - n, ".%03ldZ", now.tv_nsec / 1000000);
	line_add(line, "ts", ts, false);
	line_add(line, "level", level_names[level], false);
	line_add(line, "msg", msg, false);
}

static void line_end(struct line *line)
{
	ssize_t ignored;

	if (logger.format == LOG_FORMAT_JSON)
		line->text[line->len++] = '}';
	line->text[line->len++] = '\n';
	/* Nobody is left to tell that the log cannot be written. */
	ignored = write(logger.fd, line->text, line->len);
	(void)ignored;
}

void log_init(enum log_level level, enum log_format format, int fd)
{
	logger.level = level;
	logger.format = format;
	logger.fd = fd;
}

bool log_enabled(enum log_level level)
{
	return level >= logger.level;
}

void log_fields(enum log_level level, const char *msg, const struct log_field *fields, int n)
{
	int saved = errno;
	struct line line;
	int i;

	if (!log_enabled(level))
		return;
	line_begin(&line, level, msg);
	for (i = 0; i < n; i++) {
		char number[24];

		if (!fields[i].string)
			snprintf(number, sizeof(number), "%" PRId64, fields[i].number);
		line_add(&line, fields[i].key, fields[i].string ? fields[i].string : number,
			 !fields[i].string);
	}
	line_end(&line);
	errno = saved;
}

void log_printf(enum log_level level, const char *format, ...)
{
	char msg[VALUE_MAX];
	va_list args;

	if (!log_enabled(level))
		return;
	va_start(args, format);
	vsnprintf(msg, sizeof(msg), format, args);
	va_end(args);
	log_fields(level, msg, NULL, 0);
}
