// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "option_table.h"
#include "ops/table.h"
#include "util/parse.h"

#define END ((char *)NULL)

static struct options opt;
static char err[256];

/* Parses the arguments, up to END; what they point to stays valid. */
static int parse(char *arg, ...)
{
	char *argv[16] = {"lustre-ebpf-exporter"};
	int argc = 1;
	va_list args;

	va_start(args, arg);
	for (; arg; arg = va_arg(args, char *))
		argv[argc++] = arg;
	va_end(args);
	err[0] = '\0';
	options_free(&opt);
	return options_parse(&opt, argc, argv, err, sizeof(err));
}

#define RUN(...) assert_int_equal(parse(__VA_ARGS__, END), OPTIONS_RUN)
#define BAD(text, ...)                                              \
	do {                                                        \
		assert_int_equal(parse(__VA_ARGS__, END), -EINVAL); \
		assert_string_equal(err, text);                     \
	} while (0)

static int teardown(void **state)
{
	options_free(&opt);
	return 0;
}

static void test_defaults(void **state)
{
	size_t op;

	assert_int_equal(parse(NULL), OPTIONS_RUN);
	assert_int_equal(opt.mounts.n, 0);
	assert_int_equal(opt.drain_interval, 5);
	assert_int_equal(opt.duration, 0);
	assert_false(opt.once);
	assert_false(opt.legacy_symbol_allow_missing);
	assert_false(opt.slurm_jobid);
	assert_int_equal(opt.slurm_jobid_ttl, 30);
	assert_int_equal(opt.slurm_jobid_negative_ttl, 5);
	assert_int_equal(opt.slurm_jobid_verify_ttl, 1);
	assert_int_equal(opt.slurm_jobid_cache_size, 8192);
	assert_int_equal(opt.process_allowlist.n, 0);
	assert_false(opt.process_name_strip_suffix);
	assert_int_equal(opt.process_name_source, PROCESS_NAME_LEADER);
	assert_false(opt.histogram_process_labels);
	assert_true(opt.uid_labels);
	assert_true(opt.process_labels);
	assert_int_equal(opt.listen.n, 1);
	assert_string_equal(opt.listen.items[0].name, "");
	assert_int_equal(opt.listen.items[0].port, 9108);
	assert_string_equal(opt.telemetry_path, "/metrics");
	assert_null(opt.web_config_file);
	assert_false(opt.web_systemd_socket);
	assert_false(opt.web_disable_exporter_metrics);
	assert_int_equal(opt.log_level, LOG_LEVEL_INFO);
	assert_int_equal(opt.log_format, LOG_FORMAT_LOGFMT);
	assert_false(opt.check);
	assert_null(opt.btf);
	assert_null(opt.lustre_btf);
	assert_int_equal(opt.max_series, 20000);
	assert_true(opt.series_ttl_ns == 3600 * NSEC_PER_SEC);
	assert_true(opt.stuck_threshold_ns == 10 * NSEC_PER_SEC);
	assert_string_equal(opt.procfs, "/proc");
	assert_string_equal(opt.sysfs, "/sys");
	assert_null(opt.otlp_endpoint);
	assert_false(opt.dry_run);
	assert_int_equal(opt.window_seconds, 10);
	for (op = 0; op < OP_MAX; op++)
		assert_int_equal(opt.ops[op], op != OP_PERMISSION && op != OP_REVALIDATE);
}

static void test_forms(void **state)
{
	RUN("-drain-interval", "7");
	assert_int_equal(opt.drain_interval, 7);
	RUN("--drain-interval=0x1F");
	assert_int_equal(opt.drain_interval, 31);
	RUN("--drain-interval", "0o17");
	assert_int_equal(opt.drain_interval, 15);
	RUN("-drain-interval=1_0", "--drain-interval=1_2");
	assert_int_equal(opt.drain_interval, 12);
	/* The last one wins, also over a wrong one; limits hold for what remains. */
	RUN("--drain-interval", "0", "--drain-interval", "3");
	assert_int_equal(opt.drain_interval, 3);
	RUN("--log.level=debug", "--log.format", "json", "--process-name-source=thread");
	assert_int_equal(opt.log_level, LOG_LEVEL_DEBUG);
	assert_int_equal(opt.log_format, LOG_FORMAT_JSON);
	assert_int_equal(opt.process_name_source, PROCESS_NAME_THREAD);
	RUN("--series-ttl=0", "--stuck-threshold", "1m30s");
	assert_true(opt.series_ttl_ns == 0);
	assert_true(opt.stuck_threshold_ns == 90 * NSEC_PER_SEC);
	RUN("--btf=/a", "--lustre-btf", "/b", "--web.config.file=", "--");
	assert_string_equal(opt.btf, "/a");
	assert_string_equal(opt.lustre_btf, "/b");
	assert_null(opt.web_config_file);
}

static void test_booleans(void **state)
{
	static char *const yes[] = {"--once",	"-once",       "--once=1",    "--once=t",
				    "--once=T", "--once=true", "--once=TRUE", "--once=True"};
	static char *const no[] = {"--no-once", "-no-once",	"--once=0",	"--once=f",
				   "--once=F",	"--once=false", "--once=FALSE", "--once=False"};
	size_t i;

	for (i = 0; i < 8; i++) {
		RUN(yes[i]);
		assert_true(opt.once);
		RUN("--once", no[i]);
		assert_false(opt.once);
	}
	RUN("--uid-labels=false", "--no-process-labels");
	assert_false(opt.uid_labels);
	assert_false(opt.process_labels);
	BAD("--once must be true or false, got \"yes\"", "--once=yes");
	BAD("--once must be true or false, got \"\"", "--once=");
	BAD("a --no- flag takes no value: \"--no-once=true\"", "--no-once=true");
	BAD("unknown flag \"--no-mount\"", "--no-mount");
	BAD("unknown flag \"--no-help\"", "--no-help");
	/* A boolean takes its value only after a =. */
	BAD("unexpected argument \"true\"", "--once", "true");
}

static void test_lists(void **state)
{
	RUN("--mount", "/a", "--mount=/b b", "-mount", "/a");
	assert_int_equal(opt.mounts.n, 3);
	assert_string_equal(opt.mounts.items[0], "/a");
	assert_string_equal(opt.mounts.items[1], "/b b");
	assert_string_equal(opt.mounts.items[2], "/a");
	RUN("--web.listen-address=[::1]:1", "--web.listen-address", "unix:/s");
	assert_int_equal(opt.listen.n, 2);
	assert_string_equal(opt.listen.items[0].name, "::1");
	assert_int_equal(opt.listen.items[0].port, 1);
	assert_int_equal(opt.listen.items[1].kind, ADDRESS_UNIX);
	assert_string_equal(opt.listen.items[1].name, "/s");
	RUN("--process-allowlist=x", "--process-allowlist", " python3 ,,\tdd,a b, ");
	assert_int_equal(opt.process_allowlist.n, 3);
	assert_string_equal(opt.process_allowlist.items[0], "python3");
	assert_string_equal(opt.process_allowlist.items[1], "dd");
	assert_string_equal(opt.process_allowlist.items[2], "a b");
	RUN("--process-allowlist=,,,");
	assert_int_equal(opt.process_allowlist.n, 0);
	RUN("--process-allowlist=");
	assert_int_equal(opt.process_allowlist.n, 0);
	RUN("--process-allowlist=a,b,c,d");
	assert_int_equal(opt.process_allowlist.n, 4);
}

static int count_ops(void)
{
	int n = 0;
	size_t op;

	for (op = 0; op < OP_MAX; op++)
		n += opt.ops[op];
	return n;
}

static void test_ops(void **state)
{
	RUN("--ops=all");
	assert_int_equal(count_ops(), OP_MAX);
	RUN("--ops", "read, write");
	assert_int_equal(count_ops(), 2);
	assert_true(opt.ops[OP_READ] && opt.ops[OP_WRITE]);
	RUN("--ops=+permission,+revalidate");
	assert_int_equal(count_ops(), OP_MAX);
	RUN("--ops", "-seek");
	assert_int_equal(count_ops(), OP_MAX - 3);
	assert_false(opt.ops[OP_SEEK]);
	RUN("--ops=all,-seek,-read");
	assert_int_equal(count_ops(), OP_MAX - 2);
	RUN("--ops=read,default,-default,seek");
	assert_int_equal(count_ops(), 1);
	assert_true(opt.ops[OP_SEEK]);
	BAD("--ops must name operations, got \"reed\"", "--ops=read,reed");
	BAD("--ops must name operations, got \"+\"", "--ops=+");
	BAD("--ops must leave an operation to watch, got \"\"", "--ops=");
	BAD("--ops must leave an operation to watch, got \"-all\"", "--ops=-all");
}

static void test_values(void **state)
{
	BAD("--drain-interval must be greater than zero, got \"0\"", "--drain-interval", "0");
	BAD("--drain-interval must be greater than zero, got \"-5\"", "--drain-interval", "-5");
	BAD("--drain-interval must be greater than zero, got \"-99999999999999999999\"",
	    "--drain-interval=-99999999999999999999");
	BAD("--drain-interval must be less than or equal to 2147483647, got \"2147483648\"",
	    "--drain-interval=2147483648");
	BAD("--drain-interval must be less than or equal to 2147483647, got "
	    "\"99999999999999999999\"",
	    "--drain-interval=99999999999999999999");
	BAD("--drain-interval must be a whole number, got \"5s\"", "--drain-interval=5s");
	BAD("--drain-interval must be a whole number, got \"\"", "--drain-interval=");
	BAD("--drain-interval needs a value", "--drain-interval");
	BAD("--duration must be greater than or equal to zero, got \"-1\"", "--duration=-1");
	BAD("--slurm-jobid-ttl must be greater than zero, got \"0\"", "--slurm-jobid-ttl=0");
	BAD("--slurm-jobid-negative-ttl must be greater than or equal to zero, got \"-1\"",
	    "--slurm-jobid-negative-ttl=-1");
	BAD("--slurm-jobid-verify-ttl must be greater than or equal to zero, got \"-1\"",
	    "--slurm-jobid-verify-ttl=-1");
	BAD("--slurm-jobid-cache-size must be greater than zero, got \"0\"",
	    "--slurm-jobid-cache-size=0");
	BAD("--max-series must be greater than zero, got \"0\"", "--max-series=0");
	BAD("--window-seconds must be greater than zero, got \"0\"", "--window-seconds=0");
	BAD("--series-ttl must be greater than or equal to zero, got \"-1s\"", "--series-ttl=-1s");
	BAD("--series-ttl must be a duration such as 90s or 1h30m, got \"10\"", "--series-ttl=10");
	BAD("--series-ttl must be a shorter time, got \"400y\"", "--series-ttl=400y");
	BAD("--stuck-threshold must be greater than zero, got \"0s\"", "--stuck-threshold=0s");
	BAD("--log.level must be one of debug info warn error, got \"loud\"", "--log.level=loud");
	BAD("--log.format must be one of logfmt json, got \"\"", "--log.format=");
	BAD("--process-name-source must be one of leader thread, got \"x\"",
	    "--process-name-source", "x");
	BAD("--mount must be an absolute path, got \"lus\"", "--mount=lus");
	BAD("--mount must be an absolute path, got \"\"", "--mount", "");
	BAD("--path.procfs must be an absolute path, got \"\"", "--path.procfs=");
	BAD("--path.sysfs must be an absolute path, got \"sys\"", "--path.sysfs=sys");
	BAD("--web.telemetry-path must begin with /, got \"metrics\"",
	    "--web.telemetry-path=metrics");
	BAD("--web.telemetry-path must be a plain path, got \"/a?b\"", "--web.telemetry-path=/a?b");
	BAD("--web.listen-address has no port, as in :9108, got \"localhost\"",
	    "--web.listen-address", "localhost");
	BAD("--otlp.endpoint must be a URL that begins with http:// or https://, got \"host:4318\"",
	    "--otlp.endpoint=host:4318");
	RUN("--otlp.endpoint=https://h:4318/x");
	assert_string_equal(opt.otlp_endpoint, "https://h:4318/x");
}

static void test_zero_is_default(void **state)
{
	RUN("--slurm-jobid-negative-ttl=0", "--slurm-jobid-verify-ttl=0");
	assert_int_equal(opt.slurm_jobid_negative_ttl, 5);
	assert_int_equal(opt.slurm_jobid_verify_ttl, 1);
}

static void test_conflicts(void **state)
{
	BAD("--once cannot be used together with --dry-run", "--dry-run", "--once");
	BAD("--check cannot be used together with --once", "--check", "--once");
	BAD("--check cannot be used together with --dry-run", "--check", "--dry-run");
	RUN("--check", "--once", "--no-once");
}

static void test_arguments(void **state)
{
	BAD("unexpected argument \"lus\"", "lus");
	BAD("unexpected argument \"\"", "");
	BAD("unexpected argument \"-\"", "-");
	BAD("unexpected argument \"--once\"", "--", "--once");
	BAD("unknown flag \"--frobnicate=1\"", "--frobnicate=1");
	BAD("unknown flag \"---once\"", "---once");
	BAD("unknown flag \"--=x\"", "--=x");
	BAD("unknown flag \"--a\\nb\"", "--a\nb");
	BAD("this flag takes no value: \"--help=false\"", "--help=false");
}

static void test_help_and_version(void **state)
{
	assert_int_equal(parse("--help", END), OPTIONS_HELP);
	assert_int_equal(parse("-help", END), OPTIONS_HELP);
	assert_int_equal(parse("-h", END), OPTIONS_HELP);
	assert_int_equal(parse("--version", END), OPTIONS_VERSION);
	assert_int_equal(parse("--version", "--help", END), OPTIONS_HELP);
	assert_int_equal(parse("--drain-interval=0", "--help", END), OPTIONS_HELP);
	assert_int_equal(parse("--version", "--nonsense", END), -EINVAL);
}

/* Every flag stands in the help, with its default; every default is valid; no line is too long. */
static void test_help_text(void **state)
{
	char *text = NULL, *line, *rest, *blank;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	options_help(out);
	fclose(out);
	for (i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char heading[128];

		snprintf(heading, sizeof(heading), "\n  --%s%s%s%s\n",
			 row->kind == OPTION_BOOL ? "[no-]" : "", row->name, row->arg ? " " : "",
			 row->arg ? row->arg : "");
		assert_non_null(strstr(text, heading));
		assert_true(row->kind == OPTION_BOOL || row->kind == OPTION_FLAG || row->arg);
		assert_true(row->group < GROUP_MAX);
	}
	for (i = 0; i < GROUP_MAX; i++)
		assert_non_null(strstr(text, option_group_names[i]));
	/* Where the lines are broken does not matter. */
	for (blank = text; (blank = strstr(blank, "\n        "));)
		memmove(blank, blank + 8, strlen(blank + 8) + 1);
	for (i = 0; i < option_count; i++) {
		char initial[128];

		assert_non_null(strstr(text, option_table[i].help));
		if (!option_table[i].initial)
			continue;
		snprintf(initial, sizeof(initial), "(default: %s)", option_table[i].initial);
		assert_non_null(strstr(strstr(text, option_table[i].help), initial));
	}
	for (i = 0; i < OP_MAX; i++)
		assert_non_null(strstr(text, op_table[i].name));
	free(text);

	out = open_memstream(&text, &size);
	options_help(out);
	fclose(out);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 80);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_booleans),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_zero_is_default),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_help_text),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
