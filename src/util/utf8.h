/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes in, valid UTF-8 out. Process names are cut by the kernel at 15
 * bytes, in the middle of a character if need be, and every string that a user
 * can choose may hold anything; one invalid byte in a label value makes
 * Prometheus reject the whole scrape.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Room for the result of any n bytes: a bad byte becomes three (U+FFFD), and the final NUL. */
#define UTF8_SANITIZED_MAX(n) (3 * (n) + 1)

/*
 * Length of the character at s (1 to 4), of which avail bytes can be read.
 * 0: not a character (overlong, surrogate, above U+10FFFF, stray byte).
 * -1: the beginning of one that needs more than avail bytes.
 */
int utf8_char_len(const char *s, size_t avail);

/* The code point of a valid character of len bytes. */
uint32_t utf8_decode(const char *s, int len);

/*
 * Copies src, up to len bytes or a NUL, to dst, which holds size > 0 bytes.
 * Each byte that is not part of a character becomes U+FFFD, an incomplete
 * character at the end is dropped. When dst is too small the result ends after
 * the last whole character. Always terminates dst; returns its length.
 */
size_t utf8_sanitize(char *dst, size_t size, const char *src, size_t len);

#endif
