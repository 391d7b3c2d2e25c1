// SPDX-License-Identifier: Apache-2.0
/* The buffer of the encoders and its numbers, see out.h. */
#include "encode/out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define U64_DIGITS 20

void out_free(struct out *o)
{
	free(o->base);
	*o = (struct out){0};
}

char *out_reserve(struct out *o, size_t n)
{
	if (o->failed)
		return NULL;
	if (o->room - o->len < n) {
		size_t room = (o->len + n) * 2;
		char *base = realloc(o->base, room);

		if (!base) {
			o->failed = true;
			return NULL;
		}
		o->base = base;
		o->room = room;
	}
	return o->base + o->len;
}

void out_bytes(struct out *o, const void *bytes, size_t n)
{
	char *p = out_reserve(o, n);

	/* Of nothing bytes may be NULL, which memcpy() does not take. */
	if (!p || !n)
		return;
	memcpy(p, bytes, n);
	o->len += n;
}

void out_repeat(struct out *o, size_t offset, size_t n)
{
	char *p = out_reserve(o, n);

	if (!p)
		return;
	memcpy(p, o->base + offset, n);
	o->len += n;
}

/* The digits of v at the end of text; returns the first of them. */
static char *digits(char text[U64_DIGITS], uint64_t v)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char *p = text + U64_DIGITS;

	for (; v >= 100; v /= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v * 2, 2);
	} else {
		*--p = '0' + v;
	}
	return p;
}

void out_u64(struct out *o, uint64_t v)
{
	char text[U64_DIGITS], *first = digits(text, v);

	out_bytes(o, first, text + U64_DIGITS - first);
}

void out_scaled(struct out *o, uint64_t v, unsigned int decimals, bool point)
{
	static const char zeros[] = "0.000";
	char text[U64_DIGITS], *first;
	unsigned int n, whole;

	while (decimals && v % 10 == 0 && v) {
		v /= 10;
		decimals--;
	}
	first = digits(text, v);
	n = text + U64_DIGITS - first;
	if (!v || !decimals) {
		out_bytes(o, first, n);
		if (point)
			out_text(o, ".0");
	} else if (n > decimals) {
		whole = n - decimals;
		out_bytes(o, first, whole);
		out_char(o, '.');
		out_bytes(o, first + whole, decimals);
	} else if (decimals - n < 4) {
		out_bytes(o, zeros, 2 + decimals - n);
		out_bytes(o, first, n);
	} else {
		unsigned int exponent = decimals - n + 1;

		out_char(o, first[0]);
		if (n > 1) {
			out_char(o, '.');
			out_bytes(o, first + 1, n - 1);
		}
		out_text(o, exponent < 10 ? "e-0" : "e-");
		out_u64(o, exponent);
	}
}

void out_double(struct out *o, double v)
{
	char text[32];
	int n = 0;

	if (isnan(v)) {
		out_text(o, "NaN");
		return;
	}
	if (isinf(v)) {
		out_text(o, v > 0 ? "+Inf" : "-Inf");
		return;
	}
	if (v >= 0 && v < 0x1p53 && v == (double)(uint64_t)v) {
		out_u64(o, (uint64_t)v);
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		n = snprintf(text, sizeof(text), "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	out_bytes(o, text, n);
}
