# SPDX-License-Identifier: Apache-2.0
# What the scenarios share. A scenario is a bash script that sources this file
# and prints "ok WHAT" or "not ok WHAT: reason" for each thing it shows.
#
# They hold on any Lustre mount; where the simulated client is present its own
# counts are the judge. From the environment:
#   MOUNT            mount point under test (/mnt/lustre)
#   EXPORTER         the binary (build/src/lustre-ebpf-exporter)
#   WORKLOAD         folder of opgen, hammer, metrics-check (build/tests/workload)
#   EXPORTER_FLAGS   more flags for every start, separated by blanks
#   VM_MODULES_DIR   modules of the simulated client, set by tests/vm/run
# shellcheck disable=SC2034,SC2119,SC2120 # variables are for the scenarios, flags are optional
set -u

scenarios=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
repo=$(realpath "$scenarios/../..")
MOUNT=${MOUNT:-/mnt/lustre}
EXPORTER=${EXPORTER:-$repo/build/src/lustre-ebpf-exporter}
WORKLOAD=${WORKLOAD:-$repo/build/tests/workload}
base_url=http://127.0.0.1:9108
url=$base_url/metrics
sim=/sys/kernel/debug/lustre_sim
tracefs=/sys/kernel/tracing
probe_group=lustre_ebpf_exporter
tmp=$(mktemp -d /tmp/scenario.XXXXXX)
exporter_pid=''
patience=180 # seconds for what takes one or two on an idle machine

opgen=$WORKLOAD/opgen
hammer=$WORKLOAD/hammer
metrics_check=$WORKLOAD/metrics-check

have_sim()
{
	[[ -r $sim/operations ]]
}

ok()
{
	echo "ok $1"
}

not_ok()
{
	echo "not ok $1: ${2:-}"
}

# Not shown here, and why.
skip()
{
	echo "skipped $1: $2"
}

# check WHAT COMMAND...: ok if the command succeeds, else its first line of output is the reason.
check()
{
	local what=$1 output rc=0

	shift
	output=$("$@" 2>&1) || rc=$?
	if ((rc == 0)); then
		ok "$what"
		return
	fi
	not_ok "$what" "${output%%$'\n'*} (exit status $rc)"
	# shellcheck disable=SC2001 # every line gets the blanks
	sed 's/^/    /' <<<"$output"
	return 1
}

# equal WHAT GOT EXPECTED
equal()
{
	if [[ $2 == "$3" ]]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', expected '$3'"
		return 1
	fi
}

# until_true SECONDS COMMAND...: repeats until it succeeds. 1 when the time is over.
until_true()
{
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || return 1
		sleep 0.2
	done
}

# The exporter's total of a family, with matchers: total METRIC [LABEL=VALUE]...
total()
{
	"$metrics_check" sum "$url" "$@"
}

# Calls that no probe saw and operations that were lost, as the exporter says; "unknown" if it does not.
missed()
{
	local family sum=0

	for family in lustre_ebpf_exporter_{probe_missed,operations_lost}_total; do
		(($("$metrics_check" count "$url" "$family"))) || { echo unknown; return; }
		sum=$((sum + $(total "$family")))
	done
	echo $sum
}

# launch FLAG...: the exporter in the background, its words in $tmp/log.
launch()
{
	# shellcheck disable=SC2086 # flags are words
	"$EXPORTER" ${EXPORTER_FLAGS:-} "$@" >"$tmp/out" 2>"$tmp/log" &
	exporter_pid=$!
}

serving()
{
	"$metrics_check" get "$base_url/-/healthy"
}

ready()
{
	"$metrics_check" get "$base_url/-/ready"
}

show_log()
{
	sed 's/^/    log: /' "$tmp/log" | tail -20
}

# start_exporter FLAG...: returns when it observes what there is; ends the scenario if it cannot.
start_exporter()
{
	launch "$@"
	until_true $patience ready && return
	not_ok "start" "the exporter was not ready within $patience s"
	show_log
	exit 1
}

# A process that has ended, reaped or not.
ended()
{
	! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# Ends it as an administrator would; its exit status is part of what is shown.
stop_exporter()
{
	local rc=0

	[[ $exporter_pid ]] || return 0
	kill -TERM "$exporter_pid" 2>/dev/null
	if ! until_true $patience ended "$exporter_pid"; then
		not_ok "end on SIGTERM" "still there after $patience s"
		show_log
		kill -KILL "$exporter_pid"
	fi
	wait "$exporter_pid" || rc=$?
	exporter_pid=''
	((rc == 0)) && return
	not_ok "end on SIGTERM" "exit status $rc"
	show_log
	return 1
}

# snapshot NAME: what the exporter and the client have counted now.
snapshot()
{
	"$metrics_check" get "$url" >"$tmp/$1.metrics" || return
	if have_sim; then
		cat "$sim/operations" >"$tmp/$1.operations"
	else
		lctl get_param -n 'llite.*.stats' >"$tmp/$1.operations"
	fi
}

# exact WHAT BEFORE AFTER: both counted the same between two snapshots.
exact()
{
	local how=llite

	have_sim && how=same
	check "$1" "$metrics_check" $how "$tmp/$2.metrics" "$tmp/$2.operations" \
		"$tmp/$3.metrics" "$tmp/$3.operations"
}

# The counts that opgen and hammer compare with: --watch arguments.
watches=(--watch "$url")
if have_sim; then
	watches+=(--watch "$sim/operations" )
	injects=(--inject "$sim/inject")
else
	injects=()
fi

# inject TEXT: into the simulated client.
inject()
{
	echo "$*" >"$sim/inject"
}

# A work directory below the mount, for everybody.
make_dir()
{
	local dir=$1/scenario.$$

	mkdir -p "$dir" && chmod 0777 "$dir" && echo "$dir"
}

# Source of a mount point: what it was mounted from.
mount_source()
{
	awk -v point="$1" '$5 == point { for (i = 7; i <= NF; i++) if ($i == "-") print $(i + 2) }' \
		/proc/self/mountinfo | tail -1
}

# Unloads the client; all of its mounts must be gone.
lustre_unload()
{
	if [[ ${VM_MODULES_DIR:-} ]]; then
		rmmod lustre && rmmod ptlrpc
	else
		lustre_rmmod
	fi
}

lustre_load()
{
	if [[ ${VM_MODULES_DIR:-} ]]; then
		insmod "$VM_MODULES_DIR/ptlrpc.ko" && insmod "$VM_MODULES_DIR/lustre.ko"
	else
		modprobe lustre
	fi
}

# Probes of ours that fire: by kprobe or by the function tracer.
armed_probes()
{
	grep -h '\[lustre\]' /sys/kernel/debug/kprobes/list 2>/dev/null | grep -v DISABLED
	grep -h '\[lustre\]' "$tracefs/enabled_functions" 2>/dev/null
	return 0
}

# Definitions of ours in tracefs.
definitions()
{
	grep -hE ":${probe_group}(_[0-9_]+)?/" "$tracefs/kprobe_events" 2>/dev/null
	return 0
}

no_armed_probes()
{
	[[ -z $(armed_probes) ]]
}

no_definitions()
{
	[[ -z $(definitions) ]]
}

cleanup()
{
	local job

	for job in $(jobs -p); do
		kill -KILL "$job" 2>/dev/null
	done
	have_sim && echo clear >"$sim/inject"
	rm -rf "$tmp" "$MOUNT/scenario.$$"
}
trap cleanup EXIT
