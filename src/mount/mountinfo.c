// SPDX-License-Identifier: Apache-2.0
/*
 * A line of mountinfo (proc(5)), fields separated by one blank each:
 *
 *	id parent major:minor root mount-point options [tag[:value]]... - type source options
 *
 * Blank, tab, newline and backslash inside a field are written as \ooo.
 */
#include "mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

#include "util/parse.h"

#define LUSTRE_TYPE "lustre"

/* Some ten thousand mounts; a text that is longer is refused. */
#define TEXT_MIN (64 << 10)
#define TEXT_MAX (64 << 20)

struct field {
	const char *text;
	size_t len;
};

/* The next field of a line; false at its end. */
static bool next_field(struct field *line, struct field *out)
{
	const char *blank;

	if (!line->text)
		return false;
	blank = memchr(line->text, ' ', line->len);
	out->text = line->text;
	out->len = blank ? (size_t)(blank - line->text) : line->len;
	line->text = blank ? blank + 1 : NULL;
	line->len -= out->len + !!blank;
	return true;
}

static bool is(const struct field *f, const char *text)
{
	return f->len == strlen(text) && !memcmp(f->text, text, f->len);
}

static int parse_number(const char *text, size_t len, uint32_t *out)
{
	uint64_t value;

	if (parse_digits(text, len, UINT32_MAX, &value))
		return -EINVAL;
	*out = value;
	return 0;
}

static int parse_dev(const struct field *f, struct mountinfo_entry *e)
{
	const char *colon = memchr(f->text, ':', f->len);
	size_t n = colon ? (size_t)(colon - f->text) : 0;

	if (!colon || parse_number(f->text, n, &e->major))
		return -EINVAL;
	return parse_number(colon + 1, f->len - n - 1, &e->minor);
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Decodes each \ooo once, from left to right; returns a string of its own. */
static char *decode(const struct field *f)
{
	char *out = malloc(f->len + 1), *p = out;
	size_t i = 0;

	if (!out)
		return NULL;
	while (i < f->len) {
		const char *s = f->text + i;
		int c = 0;

		if (f->len - i >= 4 && s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) &&
		    is_octal(s[3]))
			c = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
		/* The kernel writes no NUL, and nothing that is not a byte. */
		if (c < 1 || c > 0xff) {
			*p++ = *s;
			i++;
		} else {
			*p++ = (char)c;
			i += 4;
		}
	}
	*p = '\0';
	return out;
}

/* As llite does (lmd_parse): behind the first ":/" and all '/' that follow, up to the next one. */
static struct field find_fsname(const char *source)
{
	const char *p = strstr(source, ":/");
	struct field name = {0};

	if (!p)
		return name;
	p++;
	name.text = p + strspn(p, "/");
	name.len = strcspn(name.text, "/");
	return name;
}

static void entry_free(struct mountinfo_entry *e)
{
	free(e->root);
	free(e->mount_point);
	free(e->source);
	free(e->fsname);
}

/* Returns 1 for a Lustre client mount, 0 for another one, -EINVAL or -ENOMEM. */
static int parse_line(struct mountinfo_entry *e, struct field line)
{
	struct field f[6], type, source, name;
	size_t i;

	*e = (struct mountinfo_entry){0};
	for (i = 0; i < 6; i++)
		if (!next_field(&line, &f[i]))
			return -EINVAL;
	if (parse_number(f[0].text, f[0].len, &e->id) ||
	    parse_number(f[1].text, f[1].len, &e->parent) || parse_dev(&f[2], e))
		return -EINVAL;
	do {
		if (!next_field(&line, &type))
			return -EINVAL;
	} while (!is(&type, "-"));
	if (!next_field(&line, &type) || !next_field(&line, &source))
		return -EINVAL;
	if (!is(&type, LUSTRE_TYPE))
		return 0;

	e->source = decode(&source);
	if (!e->source)
		return -ENOMEM;
	name = find_fsname(e->source);
	if (!name.len) {
		entry_free(e);
		return 0;
	}
	e->fsname = strndup(name.text, name.len);
	e->root = decode(&f[3]);
	e->mount_point = decode(&f[4]);
	if (!e->fsname || !e->root || !e->mount_point) {
		entry_free(e);
		return -ENOMEM;
	}
	return 1;
}

static int append(struct mountinfo *info, struct mountinfo_entry *e)
{
	struct mountinfo_entry *entries =
		reallocarray(info->entries, info->count + 1, sizeof(*entries));

	if (!entries) {
		entry_free(e);
		return -ENOMEM;
	}
	info->entries = entries;
	info->entries[info->count++] = *e;
	return 0;
}

int mountinfo_parse(struct mountinfo *info, const char *text, size_t len)
{
	const char *end = text + len;

	*info = (struct mountinfo){0};
	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);
		struct field line = {text, (newline ? newline : end) - text};
		struct mountinfo_entry e;
		int ret = parse_line(&e, line);

		if (ret == 1)
			ret = append(info, &e);
		if (ret == -ENOMEM) {
			mountinfo_free(info);
			return ret;
		}
		info->skipped += ret == -EINVAL;
		text = newline ? newline + 1 : end;
	}
	return 0;
}

int mountinfo_open(const char *procfs)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/self/mountinfo", procfs) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	free(path);
	return fd;
}

int mountinfo_read_fd(int fd, struct mountinfo *info)
{
	size_t size = TEXT_MIN, len = 0;
	char *text = malloc(size), *larger;
	ssize_t n;
	int ret;

	while (text && (n = pread(fd, text + len, size - len, len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = -errno;
			goto out;
		}
		len += n;
		if (len < size)
			continue;
		ret = -EFBIG;
		if (size >= TEXT_MAX)
			goto out;
		larger = realloc(text, size * 2);
		ret = -ENOMEM;
		if (!larger)
			goto out;
		text = larger;
		size *= 2;
	}
	ret = text ? mountinfo_parse(info, text, len) : -ENOMEM;
out:
	free(text);
	return ret;
}

int mountinfo_read(const char *procfs, struct mountinfo *info)
{
	int fd = mountinfo_open(procfs), ret;

	if (fd < 0)
		return fd;
	ret = mountinfo_read_fd(fd, info);
	close(fd);
	return ret;
}

void mountinfo_free(struct mountinfo *info)
{
	size_t i;

	for (i = 0; i < info->count; i++)
		entry_free(&info->entries[i]);
	free(info->entries);
	*info = (struct mountinfo){0};
}
