/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, truth values and durations as text. All functions return 0,
 * -EINVAL (not of that form) or -ERANGE (does not fit) and leave *out alone
 * unless they return 0.
 */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC 1000000000LL

/*
 * An integer as people write it: decimal, 0x, 0o, 0b, with `_` between digits
 * and a sign. As in Go, whose flag syntax this follows, a leading 0 is octal
 * and `_` may follow the base.
 */
int parse_int(const char *s, int64_t *out);

/* An integer as machines write it: len decimal digits and nothing else, at most max. */
int parse_digits(const char *s, size_t len, uint64_t max, uint64_t *out);

/* 1 0 t f T F true false TRUE FALSE True False */
int parse_bool(const char *s, bool *out);

/*
 * A duration in nanoseconds: one or more numbers with a unit (y w d h m s ms
 * us ns; a year is 365 days), as 1h30m or 1.5s, with a sign; 0 needs no unit.
 */
int parse_duration(const char *s, int64_t *ns);

#endif
