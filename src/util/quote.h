/* SPDX-License-Identifier: Apache-2.0 */
/* A foreign string as one harmless quoted word: for log lines and error messages. */
#ifndef QUOTE_H
#define QUOTE_H

#include <stddef.h>

/* The smallest buffer that quote() can use. */
#define QUOTE_MIN 8

/*
 * Writes src as a JSON string, quotes included, to dst of size >= QUOTE_MIN
 * bytes: valid UTF-8, control characters (C1 and DEL too, which terminals
 * obey) escaped, cut short with "..." if it does not fit. Always terminates
 * dst; returns its length.
 */
size_t quote(char *dst, size_t size, const char *src);

#endif
