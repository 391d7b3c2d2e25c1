/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line. One table (option_table.c) holds every flag with its
 * default, its limits and its help; parsing, --help and the manual page are
 * made from it. Adding a flag is adding a field here and a row there.
 */
#ifndef CONFIG_OPTIONS_H
#define CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/address.h"
#include "ops/ops.h"
#include "util/log.h"

/* Strings of lists are owned by the list or by argv, see options_free(). */
struct string_list {
	const char **items;
	size_t n;
	char *text; /* what the items point into, NULL: argv */
};

struct address_list {
	struct address *items;
	size_t n;
};

enum process_name_source {
	PROCESS_NAME_LEADER,
	PROCESS_NAME_THREAD,
};

/*
 * Plain strings point into argv or to constants; an optional one that was not
 * given, or given as "", is NULL. Seconds are whole seconds, *_ns nanoseconds.
 */
struct options {
	/* what is watched */
	struct string_list mounts; /* --mount as given; empty: every Lustre mount */
	bool ops[OP_MAX];
	int64_t drain_interval;
	bool legacy_symbol_allow_missing;
	const char *btf;
	const char *lustre_btf;

	/* labels */
	bool uid_labels;
	bool process_labels;
	bool histogram_process_labels;
	int process_name_source; /* enum process_name_source */
	bool process_name_strip_suffix;
	struct string_list process_allowlist; /* empty: every name is kept */

	/* jobs */
	bool slurm_jobid;
	int64_t slurm_jobid_ttl;
	int64_t slurm_jobid_negative_ttl;
	int64_t slurm_jobid_verify_ttl;
	int64_t slurm_jobid_cache_size;

	/* limits */
	int64_t max_series;
	int64_t series_ttl_ns; /* 0: for ever */
	int64_t stuck_threshold_ns;

	/* serving */
	struct address_list listen; /* at least one */
	const char *telemetry_path;
	const char *web_config_file;
	bool web_systemd_socket;
	bool web_disable_exporter_metrics;

	/* other ways out */
	const char *otlp_endpoint;
	bool once;
	bool dry_run;
	int64_t window_seconds;
	bool check;

	/* run */
	int64_t duration; /* 0: until interrupted */
	int log_level;	  /* enum log_level */
	int log_format;	  /* enum log_format */
	const char *procfs;
	const char *sysfs;
};

/* What the command line asks for. */
enum {
	OPTIONS_RUN = 0,
	OPTIONS_HELP = 1,
	OPTIONS_VERSION = 2,
};

/*
 * Parses argv[1..], which must outlive *options. Returns OPTIONS_*, or -EINVAL
 * (or -ENOMEM) with one line in err that names flag and value. After
 * OPTIONS_RUN everything in *options is valid; in every case it is to be
 * handed to options_free().
 */
int options_parse(struct options *options, int argc, char **argv, char *err, size_t errlen);

void options_free(struct options *options);

/* Usage, and every flag with its default, in groups. */
void options_help(FILE *out);

#endif
