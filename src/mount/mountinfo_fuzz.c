// SPDX-License-Identifier: Apache-2.0
/* Any text as mountinfo: no more entries than lines, every one with a name. */
#include <assert.h>
#include <string.h>

#include "mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mountinfo info;
	size_t i, lines = 1;

	if (mountinfo_parse(&info, (const char *)data, size))
		return 0;
	for (i = 0; i < size; i++)
		lines += data[i] == '\n';
	assert(info.count + info.skipped <= lines);
	for (i = 0; i < info.count; i++) {
		const struct mountinfo_entry *e = &info.entries[i];

		assert(*e->fsname && !strchr(e->fsname, '/') && strstr(e->source, ":/"));
		assert(strlen(e->mount_point) < size && strlen(e->root) < size);
	}
	mountinfo_free(&info);
	return 0;
}
