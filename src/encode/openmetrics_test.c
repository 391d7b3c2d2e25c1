// SPDX-License-Identifier: Apache-2.0
/* OpenMetrics, character by character. --print: the exposition for another parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "encode/sample_world.h"

#define PLACE "fs=\"lus\",mount=\"/mnt/my fs\",access_intent=\"data_read\",op=\"read\""
#define USER  PLACE ",uid=\"1000\",username=\"user1000\""
#define WHO                                                                                    \
	USER ",process=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\",actor_type=\"batch_job\",slurm_job_id=" \
	     "\"42\""
#define HIST	USER ",actor_type=\"batch_job\",slurm_job_id=\"42\""
#define D	"lustre_client_access_duration_seconds"
#define S	"lustre_client_io_size_bytes"
#define CREATED "1700000000.25\n"

static const char expected[] =
	"# HELP lustre_client_access_operations Operations of the Lustre client that have ended.\n"
	"# TYPE lustre_client_access_operations counter\n"
	"lustre_client_access_operations_total{" WHO "} 3\n"
	"lustre_client_access_operations_created{" WHO "} " CREATED
	"# HELP lustre_client_data_bytes Bytes moved by reads and writes.\n"
	"# TYPE lustre_client_data_bytes counter\n"
	"# UNIT lustre_client_data_bytes bytes\n"
	"lustre_client_data_bytes_total{" WHO "} 8192\n"
	"lustre_client_data_bytes_created{" WHO "} " CREATED
	"# HELP lustre_client_operation_errors Operations that have failed, by class of error.\n"
	"# TYPE lustre_client_operation_errors counter\n"
	"lustre_client_operation_errors_total{" WHO ",errno_class=\"io\"} 1\n"
	"lustre_client_operation_errors_created{" WHO ",errno_class=\"io\"} " CREATED "# HELP " D
	" Time operations spent inside the Lustre client.\n"
	"# TYPE " D " histogram\n"
	"# UNIT " D " seconds\n" D "_bucket{" HIST ",le=\"1e-05\"} 1\n" D "_bucket{" HIST
	",le=\"5e-05\"} 2\n" D "_bucket{" HIST ",le=\"0.00025\"} 2\n" D "_bucket{" HIST
	",le=\"0.001\"} 2\n" D "_bucket{" HIST ",le=\"0.0025\"} 2\n" D "_bucket{" HIST
	",le=\"0.01\"} 2\n" D "_bucket{" HIST ",le=\"0.025\"} 2\n" D "_bucket{" HIST
	",le=\"0.1\"} 2\n" D "_bucket{" HIST ",le=\"0.25\"} 2\n" D "_bucket{" HIST
	",le=\"1.0\"} 2\n" D "_bucket{" HIST ",le=\"2.5\"} 2\n" D "_bucket{" HIST
	",le=\"10.0\"} 2\n" D "_bucket{" HIST ",le=\"+Inf\"} 3\n" D "_sum{" HIST
	"} 200.000020001\n" D "_count{" HIST "} 3\n" D "_created{" HIST "} " CREATED
	"# HELP lustre_client_fs_operations All operations per mount, exact whatever happens to "
	"the detailed labels.\n"
	"# TYPE lustre_client_fs_operations counter\n"
	"lustre_client_fs_operations_total{" PLACE "} 3\n"
	"lustre_client_fs_operations_created{" PLACE "} " CREATED
	"# HELP lustre_client_fs_data_bytes All bytes moved per mount, exact whatever happens to "
	"the detailed labels.\n"
	"# TYPE lustre_client_fs_data_bytes counter\n"
	"# UNIT lustre_client_fs_data_bytes bytes\n"
	"lustre_client_fs_data_bytes_total{" PLACE "} 8192\n"
	"lustre_client_fs_data_bytes_created{" PLACE "} " CREATED "# HELP " S
	" Sizes asked for by reads and writes.\n"
	"# TYPE " S " histogram\n"
	"# UNIT " S " bytes\n" S "_bucket{" PLACE ",le=\"64.0\"} 0\n" S "_bucket{" PLACE
	",le=\"256.0\"} 0\n" S "_bucket{" PLACE ",le=\"1024.0\"} 0\n" S "_bucket{" PLACE
	",le=\"4096.0\"} 3\n" S "_bucket{" PLACE ",le=\"16384.0\"} 3\n" S "_bucket{" PLACE
	",le=\"65536.0\"} 3\n" S "_bucket{" PLACE ",le=\"262144.0\"} 3\n" S "_bucket{" PLACE
	",le=\"1048576.0\"} 3\n" S "_bucket{" PLACE ",le=\"4194304.0\"} 3\n" S "_bucket{" PLACE
	",le=\"16777216.0\"} 3\n" S "_bucket{" PLACE ",le=\"67108864.0\"} 3\n" S "_bucket{" PLACE
	",le=\"268435456.0\"} 3\n" S "_bucket{" PLACE ",le=\"1073741824.0\"} 3\n" S "_bucket{" PLACE
	",le=\"+Inf\"} 3\n" S "_sum{" PLACE "} 12288.0\n" S "_count{" PLACE "} 3\n" S
	"_created{" PLACE "} " CREATED
	"# HELP lustre_ebpf_exporter_build What \\\"this\\\" is: \\\\ and\\nmore.\n"
	"# TYPE lustre_ebpf_exporter_build info\n"
	"lustre_ebpf_exporter_build_info{version=\"0.1.0\",revision=\"\xc3\xa9\"} 1\n"
	"# HELP process_cpu_seconds CPU time.\n"
	"# TYPE process_cpu_seconds counter\n"
	"# UNIT process_cpu_seconds seconds\n"
	"process_cpu_seconds_total 0.25\n"
	"process_cpu_seconds_created 1699999990.5\n"
	"# HELP lustre_client_oldest_operation_age_seconds Age.\n"
	"# TYPE lustre_client_oldest_operation_age_seconds gauge\n"
	"# UNIT lustre_client_oldest_operation_age_seconds seconds\n"
	"lustre_client_oldest_operation_age_seconds{op=\"read\"} 1e-07\n"
	"lustre_client_oldest_operation_age_seconds{op=\"write\"} 3\n"
	"# EOF\n";

static void test_exposition(void **state)
{
	struct snapshot *s = sample_world();
	size_t len;
	char *text = world_encode(s, &openmetrics_encoder, 4096, &len);

	assert_string_equal(text, expected);
	assert_int_equal(len, sizeof(expected) - 1);
	free(text);
	snapshot_put(s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_exposition)};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		struct snapshot *s = sample_world();
		int err = exposition_write(s, &openmetrics_encoder, STDOUT_FILENO);

		snapshot_put(s);
		return err ? 1 : 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
