# SPDX-License-Identifier: Apache-2.0
# Messages, the cache directory and "make it once" for the guest harness.
# Relies on the caller's `set -eEuo pipefail`; every failure here is a failure
# of the harness, never of the command under test: exit status 125.

# shellcheck disable=SC2034 # used by the files that source this one
cache=${VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lustre-ebpf-exporter}

say()
{
	printf 'vm: %s\n' "$*" >&2
}

die()
{
	trap - ERR
	say "$@"
	exit 125
}

# cached DIR FUNCTION [ARG]...: unless DIR exists, let `FUNCTION ARG... NEW` fill
# the empty directory NEW and call it DIR when it is complete. A run that comes
# second waits; what a killed run left is thrown away.
cached()
{
	local dir=$1 lock
	shift
	[[ ! -d $dir ]] || return 0
	mkdir -p "${dir%/*}"
	exec {lock}>"$dir.lock"
	flock "$lock"
	if [[ ! -d $dir ]]; then
		rm -rf "$dir.new"
		mkdir "$dir.new"
		"$@" "$dir.new"
		mv -T "$dir.new" "$dir"
	fi
	exec {lock}>&-
}

# need COMMAND...: the programs that must be installed.
need()
{
	local program
	for program; do
		command -v "$program" >/dev/null ||
			die "$program is not installed: run tests/vm/install-deps"
	done
}
