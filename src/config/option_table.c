// SPDX-License-Identifier: Apache-2.0
/* Every flag there is. */
#include "option_table.h"

#include <stddef.h>
#include <string.h>

#include "options.h"

#define FIELD(name)   .field = offsetof(struct options, name)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Seconds: more than a lifetime, and far from overflow when turned into nanoseconds. */
#define SECONDS_MAX	INT32_MAX
#define NANOSECONDS_MAX INT64_MAX

static const char *const name_sources[] = {
	[PROCESS_NAME_LEADER] = "leader", [PROCESS_NAME_THREAD] = "thread", NULL};
static const char *const log_levels[] = {[LOG_LEVEL_DEBUG] = "debug",
					 [LOG_LEVEL_INFO] = "info",
					 [LOG_LEVEL_WARN] = "warn",
					 [LOG_LEVEL_ERROR] = "error",
					 NULL};
static const char *const log_formats[] = {
	[LOG_FORMAT_LOGFMT] = "logfmt", [LOG_FORMAT_JSON] = "json", NULL};

static const char *check_absolute(const char *value)
{
	return value[0] == '/' ? NULL : "must be an absolute path";
}

static const char *check_telemetry_path(const char *value)
{
	if (value[0] != '/')
		return "must begin with /";
	return value[strcspn(value, " ?#\"<>\\^`{|}")] ? "must be a plain path" : NULL;
}

static const char *check_url(const char *value)
{
	static const char *const schemes[] = {"http://", "https://"};
	size_t i;

	if (!*value)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(schemes); i++)
		if (!strncmp(value, schemes[i], strlen(schemes[i])) && value[strlen(schemes[i])])
			return NULL;
	return "must be a URL that begins with http:// or https://";
}

const char *const option_group_names[GROUP_MAX] = {
	[GROUP_WATCH] = "What is watched",
	[GROUP_LABELS] = "Labels",
	[GROUP_JOBS] = "Slurm jobs",
	[GROUP_LIMITS] = "Limits",
	[GROUP_WEB] = "Serving",
	[GROUP_OUTPUT] = "Other ways out",
	[GROUP_PROCESS] = "The process itself",
};

const struct option_row option_table[] = {
	{"mount", GROUP_WATCH, OPTION_STRINGS, FIELD(mounts), .arg = "PATH",
	 .check = check_absolute,
	 .help = "Mount point of a Lustre client to watch; may be repeated. Without it every "
		 "Lustre "
		 "mount is watched. A path that is not, or not yet, a Lustre mount is waited for."},
	{"ops", GROUP_WATCH, OPTION_OPS, FIELD(ops), .initial = "default", .arg = "LIST",
	 .help = "Operations to watch, separated by commas: names as in the label op, or all, or "
		 "default (all but the ones that are called for each part of a path: permission, "
		 "revalidate). +NAME adds to and -NAME takes from what stands before it; a list "
		 "that "
		 "begins with one of these begins with the default. read,write - these two; "
		 "+permission - one more; all,-seek - all but one."},
	{"drain-interval", GROUP_WATCH, OPTION_INT, FIELD(drain_interval), .initial = "5",
	 .arg = "SEC", .limit = LIMIT_POSITIVE, .max = SECONDS_MAX,
	 .help = "How often kernel state is read in the background. A scrape always reads it "
		 "anew."},
	{"legacy-symbol-allow-missing", GROUP_WATCH, OPTION_BOOL,
	 FIELD(legacy_symbol_allow_missing), .initial = "false",
	 .help = "Start even if none of the functions ll_lookup_nd, ll_file_open, "
		 "ll_file_read_iter, ll_file_write_iter, ll_fsync can be observed although the "
		 "module is loaded."},
	{"btf", GROUP_WATCH, OPTION_STRING, FIELD(btf), .arg = "PATH",
	 .help = "BTF of the running kernel, if it does not bring its own."},
	{"lustre-btf", GROUP_WATCH, OPTION_STRING, FIELD(lustre_btf), .arg = "PATH",
	 .help = "BTF of the Lustre modules, for the names of server targets."},

	{"uid-labels", GROUP_LABELS, OPTION_BOOL, FIELD(uid_labels), .initial = "true",
	 .help = "Labels uid and username. If switched off, the kernel side does not collect the "
		 "uid at all."},
	{"process-labels", GROUP_LABELS, OPTION_BOOL, FIELD(process_labels), .initial = "true",
	 .help = "Label process. If switched off, it is left out everywhere."},
	{"histogram-process-labels", GROUP_LABELS, OPTION_BOOL, FIELD(histogram_process_labels),
	 .initial = "false", .help = "Keep the label process on histograms."},
	{"process-name-source", GROUP_LABELS, OPTION_CHOICE, FIELD(process_name_source),
	 .initial = "leader", .arg = "leader|thread", .choices = name_sources,
	 .help = "Take the name of the process or of the thread that did the operation."},
	{"process-name-strip-suffix", GROUP_LABELS, OPTION_BOOL, FIELD(process_name_strip_suffix),
	 .initial = "false",
	 .help = "Fold instances of a program into one name: worker-3 becomes worker."},
	{"process-allowlist", GROUP_LABELS, OPTION_NAMES, FIELD(process_allowlist), .arg = "A,B",
	 .help = "Process names to keep, compared after folding; every other becomes other."},

	{"slurm-jobid", GROUP_JOBS, OPTION_BOOL, FIELD(slurm_jobid), .initial = "false",
	 .help = "Label slurm_job_id on every family that says who."},
	{"slurm-jobid-ttl", GROUP_JOBS, OPTION_INT, FIELD(slurm_jobid_ttl), .initial = "30",
	 .arg = "SEC", .limit = LIMIT_POSITIVE, .max = SECONDS_MAX,
	 .help = "Life of an answer that was found."},
	{"slurm-jobid-negative-ttl", GROUP_JOBS, OPTION_INT, FIELD(slurm_jobid_negative_ttl),
	 .initial = "5", .arg = "SEC", .limit = LIMIT_NOT_NEGATIVE, .max = SECONDS_MAX,
	 .zero_is_default = 1, .help = "Life of an answer that was not found; 0: the default."},
	{"slurm-jobid-verify-ttl", GROUP_JOBS, OPTION_INT, FIELD(slurm_jobid_verify_ttl),
	 .initial = "1", .arg = "SEC", .limit = LIMIT_NOT_NEGATIVE, .max = SECONDS_MAX,
	 .zero_is_default = 1,
	 .help = "Time after which it is checked again that a process id was not reused; 0: the "
		 "default."},
	{"slurm-jobid-cache-size", GROUP_JOBS, OPTION_INT, FIELD(slurm_jobid_cache_size),
	 .initial = "8192", .arg = "N", .limit = LIMIT_POSITIVE, .max = 10000000,
	 .help = "Number of answers kept."},

	{"max-series", GROUP_LIMITS, OPTION_INT, FIELD(max_series), .initial = "20000", .arg = "N",
	 .limit = LIMIT_POSITIVE, .max = 10000000,
	 .help = "Series at most. Beyond it process, then user, then all of who becomes other."},
	{"series-ttl", GROUP_LIMITS, OPTION_DURATION, FIELD(series_ttl_ns), .initial = "1h",
	 .arg = "DUR", .limit = LIMIT_NOT_NEGATIVE, .max = NANOSECONDS_MAX,
	 .help = "A series ends when nothing was added to it for so long; 0: never. Durations "
		 "are written as 90s, 1m30s, 1h."},
	{"stuck-threshold", GROUP_LIMITS, OPTION_DURATION, FIELD(stuck_threshold_ns),
	 .initial = "10s", .arg = "DUR", .limit = LIMIT_POSITIVE, .max = NANOSECONDS_MAX,
	 .help = "An operation that takes longer is shown as stuck, with who is in it."},

	{"web.listen-address", GROUP_WEB, OPTION_ADDRESSES, FIELD(listen), .initial = ":9108",
	 .arg = "ADDR",
	 .help = "Where to listen; may be repeated. :9108, host:9108, [::1]:9108, unix:/path."},
	{"web.telemetry-path", GROUP_WEB, OPTION_STRING, FIELD(telemetry_path),
	 .initial = "/metrics", .arg = "PATH", .check = check_telemetry_path,
	 .help = "Path of the metrics."},
	{"web.config.file", GROUP_WEB, OPTION_STRING, FIELD(web_config_file), .arg = "PATH",
	 .help = "Web configuration as of the Prometheus exporter-toolkit: TLS, basic "
		 "authentication."},
	{"web.systemd-socket", GROUP_WEB, OPTION_BOOL, FIELD(web_systemd_socket),
	 .initial = "false",
	 .help = "Use the sockets that systemd hands over instead of addresses."},
	{"web.disable-exporter-metrics", GROUP_WEB, OPTION_BOOL,
	 FIELD(web_disable_exporter_metrics), .initial = "false",
	 .help = "Leave out the metrics about the exporter itself."},

	{"otlp.endpoint", GROUP_OUTPUT, OPTION_STRING, FIELD(otlp_endpoint), .arg = "URL",
	 .check = check_url,
	 .help = "Push metrics by OTLP over HTTP to this collector. The OTEL_* variables of the "
		 "environment are honoured."},
	{"once", GROUP_OUTPUT, OPTION_BOOL, FIELD(once), .initial = "false",
	 .help = "Wait one drain interval, print the metrics in text format and end."},
	{"dry-run", GROUP_OUTPUT, OPTION_BOOL, FIELD(dry_run), .initial = "false",
	 .help = "Do not serve; print one JSON array per window. Values are sums since the start: "
		 "what happened in a window is the difference of two arrays."},
	{"window-seconds", GROUP_OUTPUT, OPTION_INT, FIELD(window_seconds), .initial = "10",
	 .arg = "N", .limit = LIMIT_POSITIVE, .max = SECONDS_MAX,
	 .help = "Length of a window of --dry-run."},
	{"check", GROUP_OUTPUT, OPTION_BOOL, FIELD(check), .initial = "false",
	 .help = "Say what can be observed on this machine and what not, and why. Exit status 0: "
		 "everything, 1: something is missing, 3: nothing."},

	{"duration", GROUP_PROCESS, OPTION_INT, FIELD(duration), .initial = "0", .arg = "SEC",
	 .limit = LIMIT_NOT_NEGATIVE, .max = SECONDS_MAX,
	 .help = "End after that long; 0: run until interrupted."},
	{"log.level", GROUP_PROCESS, OPTION_CHOICE, FIELD(log_level), .initial = "info",
	 .arg = "debug|info|warn|error", .choices = log_levels,
	 .help = "Lowest level that is logged."},
	{"log.format", GROUP_PROCESS, OPTION_CHOICE, FIELD(log_format), .initial = "logfmt",
	 .arg = "logfmt|json", .choices = log_formats, .help = "Form of the log lines."},
	{"path.procfs", GROUP_PROCESS, OPTION_STRING, FIELD(procfs), .initial = "/proc",
	 .arg = "PATH", .check = check_absolute, .help = "Where procfs is mounted."},
	{"path.sysfs", GROUP_PROCESS, OPTION_STRING, FIELD(sysfs), .initial = "/sys", .arg = "PATH",
	 .check = check_absolute, .help = "Where sysfs is mounted."},
	{"help", GROUP_PROCESS, OPTION_FLAG, .help = "Print this and end."},
	{"version", GROUP_PROCESS, OPTION_FLAG, .help = "Print the version and end."},
};

const size_t option_count = ARRAY_SIZE(option_table);

const struct option_conflict option_conflicts[] = {
	{"once", "dry-run"},
	{"check", "once"},
	{"check", "dry-run"},
};

const size_t option_conflict_count = ARRAY_SIZE(option_conflicts);
