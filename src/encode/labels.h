/* SPDX-License-Identifier: Apache-2.0 */
/* Label sets and escapes of the two text formats. */
#ifndef ENCODE_LABELS_H
#define ENCODE_LABELS_H

#include "encode/out.h"
#include "series/family.h"

/* Backslash, newline and, if quotes, the quotation mark are escaped; nothing else is. */
void out_escaped(struct out *o, const char *text, bool quotes);

/* a="1",b="2", without braces. */
void out_labels(struct out *o, const struct sample *s);

/* name, suffix and {labels}: what precedes the value of a sample that is not a histogram. */
void out_series(struct out *o, const char *name, size_t name_len, const char *suffix,
		const struct sample *s);

/*
 * The lines of a histogram: name_bucket for each classic bound and +Inf, name_sum,
 * name_count. point: bounds have a decimal point (OpenMetrics).
 */
void out_histogram(struct out *o, const char *name, const struct sample *s, bool point);

#endif
