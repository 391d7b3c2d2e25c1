// SPDX-License-Identifier: Apache-2.0
/* lustre-ebpf-exporter: the command line, and the exit status. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config/options.h"
#include "exporter/check.h"
#include "exporter/exporter.h"
#include "util/log.h"
#include "version.h"

#define EXIT_USAGE 2

/* Attached probes are held by descriptor, beside the connections: as many as are allowed. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	struct options options;
	char err[512] = "";
	int status = 0;

	switch (options_parse(&options, argc, argv, err, sizeof(err))) {
	case OPTIONS_RUN:
		/* A reader that goes away is an error of one write, never the end of the process.
		 */
		signal(SIGPIPE, SIG_IGN);
		raise_descriptor_limit();
		log_init(options.log_level, options.log_format, STDERR_FILENO);
		status = options.check ? check_run(&options) : exporter_run(&options);
		break;
	case OPTIONS_HELP:
		options_help(stdout);
		break;
	case OPTIONS_VERSION:
		printf("lustre-ebpf-exporter %s (commit: %s)\n", EXPORTER_VERSION, EXPORTER_COMMIT);
		break;
	default:
		fprintf(stderr, "lustre-ebpf-exporter: %s\nTry --help for the flags.\n", err);
		status = EXIT_USAGE;
	}
	options_free(&options);
	return status;
}
