#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# opgen and hammer must see when somebody else counted something else.
# usage: opgen_test.sh OPGEN HAMMER
set -euo pipefail

opgen=$1 hammer=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect WHAT STATUS LINE COMMAND...: exit status and last line of the output
expect()
{
	local what=$1 status=$2 line=$3 output got=0

	shift 3
	output=$("$@" 2>&1) || got=$?
	if [[ $got != "$status" || ${output##*$'\n'} != "$line" ]]; then
		echo "$what: exit status $got, output:" "$output"
		failed=1
	fi
}

# counts that never move: right only for a case that is no operation
echo 'lustre-ffff888100000000 read 5 0 0 0 0 0 0 0 0' >"$dir/operations"
mkdir "$dir/work"

expect 'nobody to compare with' 0 'ok read' "$opgen" --dir "$dir/work" read
expect 'too few' 1 'not ok read: counts differ' \
	"$opgen" --dir "$dir/work" --watch "$dir/operations" read
expect 'nothing expected' 0 'ok open-enotdir' \
	"$opgen" --dir "$dir/work" --watch "$dir/operations" open-enotdir
expect 'counts cannot be read' 1 'not ok read: counts could not be read or error not injected' \
	"$opgen" --dir "$dir/work" --watch "$dir/missing" read
expect 'wrong result' 1 'not ok rename-einval: call 0 gave 0 (success)' \
	"$opgen" --dir "$dir/work" rename-einval
expect 'unknown case' 2 'nonsense: no such case (--list shows them)' \
	"$opgen" --dir "$dir/work" nonsense
expect 'hammer' 0 'ok hammer' "$hammer" --dir "$dir/work" --processes 2 --threads 2 --rounds 3
expect 'hammer, too few' 1 'not ok hammer: counts differ' "$hammer" --dir "$dir/work" \
	--processes 2 --threads 2 --rounds 3 --watch "$dir/operations"
[[ -z $(ls "$dir/work") ]] || { echo "left behind:" "$dir"/work/*; failed=1; }
exit $failed
