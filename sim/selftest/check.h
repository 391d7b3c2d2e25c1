/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparing what was done with what the simulated client's oracle says.
 * A check begins, does things, states what they must have counted, and ends.
 */
#ifndef SIM_SELFTEST_CHECK_H
#define SIM_SELFTEST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/ops.h"

#define N 20 /* calls per check */

/* Prepares to watch the one mount of a file system. */
void check_mount(const char *fsname);

void check_begin(void);
/* count more operations; the bytes they moved; errors of them in a class. */
void want(enum op_id op, uint64_t count);
void want_bytes(enum op_id op, uint64_t count, uint64_t bytes);
void want_errors(enum op_id op, uint64_t count, enum errno_class class, uint64_t errors);
/* Operations that walking a path makes (lookup, permission, ...) are compared only if wanted. */
void check_end(const char *name);
/* Without the operations: for checks of something else. */
void check_end_requests(const char *name);

/* A condition that must hold; failing is reported under the running check's name. */
#define must(condition) must_at(condition, #condition, __FILE__, __LINE__)
void must_at(bool ok, const char *text, const char *file, int line);

/* Writes a line to a file of the simulation's debugfs folder. */
void sim_write(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Raw calls of a function. */
uint64_t sim_calls_of(const char *symbol);
bool sim_has_line(const char *file, const char *line);
/*
 * Sum of a column (0: the first behind the instance) over the lines of the
 * instance that begin with these words; "*" stands for any word.
 */
uint64_t sim_sum(const char *file, const char *words, int column);
void drop_caches(void);

/* Prints the summary; the exit status. */
int check_summary(void);

#endif
