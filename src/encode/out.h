/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer that encoders append to. It grows as needed and is emptied after each
 * sample or so, which bounds it by the longest one. Want of memory is remembered
 * and drops what is appended from then on; who drains the buffer asks for it.
 */
#ifndef ENCODE_OUT_H
#define ENCODE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out {
	char *base;
	size_t len;
	size_t room;
	bool failed;
	unsigned long items; /* written so far, for formats that separate them */
};

void out_free(struct out *o);

/* Room for n bytes more at the returned place, NULL: no memory. Advance o->len by what was used. */
char *out_reserve(struct out *o, size_t n);

void out_bytes(struct out *o, const void *bytes, size_t n);

/* Appends n bytes of the buffer itself, from offset on. */
void out_repeat(struct out *o, size_t offset, size_t n);

static inline void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

static inline void out_char(struct out *o, char c)
{
	out_bytes(o, &c, 1);
}

/* Decimal. */
void out_u64(struct out *o, uint64_t v);

/*
 * v * 10^-decimals, exactly, in as few characters as it takes and in the form that
 * %g has: 0.00025, 1e-05, 2.5, 10. point: with ".0" where it would look like an
 * integer (OpenMetrics).
 */
void out_scaled(struct out *o, uint64_t v, unsigned int decimals, bool point);

/* The shortest text that reads back as the same double; integers plain; NaN, +Inf, -Inf. */
void out_double(struct out *o, double v);

#endif
