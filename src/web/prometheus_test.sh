#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Prometheus scrapes the server over TLS with a password and must have recorded
# what is served: once as it comes (OpenMetrics), once with native histograms (protobuf).
#
# prometheus_test.sh SERVE_TESTING PROMETHEUS
set -eu
serve=$1 prometheus=$2

dir=$(mktemp -d)
pids=
cleanup() {
	exec 9>&- || true
	for pid in $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap cleanup EXIT

fail() {
	echo "FAILED: $*" >&2
	tail -n 5 "$dir"/prometheus.log "$dir"/serve.log >&2 || true
	exit 1
}

# The password is "secret".
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
	-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$dir/key" -out "$dir/cert" 2>/dev/null
cat >"$dir/web.yml" <<EOF
tls_server_config: {cert_file: cert, key_file: key}
basic_auth_users:
  prom: \$2b\$04\$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW
EOF

mkfifo "$dir/stdin" "$dir/port"
"$serve" "$dir/web.yml" <"$dir/stdin" >"$dir/port" 2>"$dir/serve.log" &
pids=$!
exec 9>"$dir/stdin"
read -r port <"$dir/port"

cat >"$dir/prometheus.yml" <<EOF
scrape_configs:
  - job_name: lustre
    scrape_interval: 1s
    scheme: https
    tls_config: {ca_file: cert}
    basic_auth: {username: prom, password: secret}
    static_configs: [{targets: ["127.0.0.1:$port"]}]
EOF

# The value of an expression, or nothing.
query() {
	curl -sf -G "http://127.0.0.1:$api/api/v1/query" --data-urlencode "query=$1" |
		sed -n 's/.*"value":\[[^,]*,"\([^"]*\)"\].*/\1/p'
}

expect() {
	got=$(query "$1")
	[ "$got" = "$2" ] || fail "$1 is ${got:-nothing}, not $2"
}

# run NAME FLAG: waits until two scrapes have been made, however long that takes.
run() {
	api=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$prometheus" --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/$1" \
		--web.listen-address="127.0.0.1:$api" "$2" >"$dir/prometheus.log" 2>&1 &
	pid=$!
	pids="$pids $pid"
	until [ "$(query 'count_over_time(up[5m]) >= bool 2')" = 1 ]; do
		kill -0 "$pid" 2>/dev/null || fail "prometheus ended"
		sleep 0.2
	done
	expect 'min_over_time(up[5m])' 1
	expect 'lustre_client_access_operations_total{uid="1000",op="read",slurm_job_id="42"}' 3
	expect 'lustre_client_data_bytes_total' 8192
	expect 'lustre_client_operation_errors_total{errno_class="io"}' 1
	expect 'lustre_client_oldest_operation_age_seconds{op="write"}' 3
}

stop() {
	kill "$pid"
	wait "$pid" || true
}

run openmetrics --log.level=warn
expect 'lustre_client_access_duration_seconds_bucket{le="5e-05"}' 2
expect 'lustre_client_access_duration_seconds_count' 3
expect 'lustre_client_access_operations_created > 0' 1700000000.25
stop

run native --enable-feature=native-histograms
expect 'histogram_count(lustre_client_access_duration_seconds)' 3
expect 'histogram_count(lustre_client_io_size_bytes)' 3
expect 'histogram_sum(lustre_client_io_size_bytes)' 12288
expect 'histogram_fraction(2048, 4096, lustre_client_io_size_bytes)' 1
stop
echo "what is served is what Prometheus recorded"
