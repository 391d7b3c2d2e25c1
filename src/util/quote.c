// SPDX-License-Identifier: Apache-2.0
/* JSON string escapes, which logfmt readers and people understand as well. */
#include "quote.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

/* The longest escape, "\u009f". */
#define ESCAPE_MAX 6

static size_t escape(char out[ESCAPE_MAX + 1], const char *s, int len)
{
	static const char plain[] = "\"\\\n\t\r", letter[] = "\"\\ntr";
	const char *p = len == 1 ? memchr(plain, s[0], sizeof(plain) - 1) : NULL;
	uint32_t c = utf8_decode(s, len);

	if (p)
		return snprintf(out, ESCAPE_MAX + 1, "\\%c", letter[p - plain]);
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return snprintf(out, ESCAPE_MAX + 1, "\\u%04x", c);
	memcpy(out, s, len);
	return len;
}

size_t quote(char *dst, size_t size, const char *src)
{
	size_t in = 0, out = 0, len = strlen(src), cut;

	dst[out++] = '"';
	/* Where "..." can replace what follows. */
	cut = out;
	while (in < len) {
		char piece[ESCAPE_MAX + 1];
		int n = utf8_char_len(src + in, len - in);
		size_t count;

		if (n < 0)
			break;
		count = n ? escape(piece, src + in, n) : escape(piece, "\xef\xbf\xbd", 3);
		/* Behind it: quote and NUL. */
		if (out + count + 2 > size) {
			memcpy(dst + cut, "...", 3);
			out = cut + 3;
			break;
		}
		memcpy(dst + out, piece, count);
		out += count;
		if (out + 3 + 2 <= size)
			cut = out;
		in += n ? n : 1;
	}
	dst[out++] = '"';
	dst[out] = '\0';
	return out;
}
