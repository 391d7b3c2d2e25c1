// SPDX-License-Identifier: Apache-2.0
/* Validation of UTF-8 as RFC 3629 and the Unicode standard (table 3-7) define it. */
#include "utf8.h"

#include <string.h>

#define REPLACEMENT	"\xef\xbf\xbd"
#define REPLACEMENT_LEN 3

/* What may follow a lead byte: the second byte is restricted, all others are 80..BF. */
static const struct lead {
	unsigned char first, last; /* lead bytes */
	unsigned char len;
	unsigned char min, max; /* second byte */
} leads[] = {
	{0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

int utf8_char_len(const char *s, size_t avail)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t i, n;

	if (!avail)
		return -1;
	for (i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (u[0] >= leads[i].first && u[0] <= leads[i].last)
			break;
	if (i == sizeof(leads) / sizeof(leads[0]))
		return 0;
	for (n = 1; n < leads[i].len && n < avail; n++) {
		unsigned char min = n == 1 ? leads[i].min : 0x80;
		unsigned char max = n == 1 ? leads[i].max : 0xbf;

		if (u[n] < min || u[n] > max)
			return 0;
	}
	return n == leads[i].len ? (int)n : -1;
}

uint32_t utf8_decode(const char *s, int len)
{
	static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)s[0] & lead_mask[len];
	int i;

	for (i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	return c;
}

size_t utf8_sanitize(char *dst, size_t size, const char *src, size_t len)
{
	size_t in = 0, out = 0;

	len = strnlen(src, len);
	while (in < len) {
		int n = utf8_char_len(src + in, len - in);
		const char *from = n > 0 ? src + in : REPLACEMENT;
		size_t count = n > 0 ? (size_t)n : REPLACEMENT_LEN;

		if (n < 0 || count >= size - out)
			break;
		memcpy(dst + out, from, count);
		out += count;
		in += n > 0 ? n : 1;
	}
	dst[out] = '\0';
	return out;
}
