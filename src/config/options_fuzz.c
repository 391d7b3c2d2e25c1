// SPDX-License-Identifier: Apache-2.0
/* A command line of any bytes, one argument a line: an error in one line, or valid options. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define ARGS_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *argv[ARGS_MAX + 1] = {"x"}, err[256] = "";
	struct options options;
	int argc = 1, ret;

	memcpy(text, data, size);
	text[size] = '\0';
	while (argc < ARGS_MAX && rest)
		argv[argc++] = strsep(&rest, "\n");
	ret = options_parse(&options, argc, argv, err, sizeof(err));
	if (ret < 0) {
		assert(*err && !strpbrk(err, "\n\r\x1b"));
	} else if (ret == OPTIONS_RUN) {
		assert(options.drain_interval > 0 && options.listen.n > 0 && options.procfs);
		assert(options.slurm_jobid_negative_ttl > 0 && options.max_series > 0);
		assert(options.process_name_source <= PROCESS_NAME_THREAD);
	}
	options_free(&options);
	free(text);
	return 0;
}
