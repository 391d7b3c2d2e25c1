# SPDX-License-Identifier: Apache-2.0
# Packages of other Debian suites, without touching the machine's own apt: a
# configuration of our own whose source is the mirror that the machine uses.
# shellcheck disable=SC2154,SC2034 # variables shared with tests/vm/run

# The mirrors of the machine's own release, as apt itself reads them, so that
# .sources and .list files, mirror lists and proxies all work.
apt_mirrors()
{
	local codename
	codename=$(. /etc/os-release && printf %s "$VERSION_CODENAME")
	apt-get update --print-uris |
		sed -n "s|^'\\(.*\\)/dists/$codename/InRelease'.*|\\1|p"
}

# apt_configure DIR SUITE URI
apt_configure()
{
	local dir=$1 suite=$2 uri=$3 keyring=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$dir"/{lists,cache/archives/partial}
	[[ -e $dir/status ]] || : >"$dir/status"
	[[ -e $keyring ]] || keyring=
	echo "deb ${keyring:+[signed-by=$keyring]} $uri $suite main" >"$dir/sources.list"
	# The machine's hooks are cleared: they clean or index its own state.
	cat >"$dir/apt.conf" <<-EOF
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Pre-Install-Pkgs;
		#clear DPkg::Post-Invoke;
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
	EOF
}

# apt_open DIR SUITE: make DIR an apt configuration for SUITE with fresh lists.
# A suite that left the main archive is looked for in the archive layout of the
# same mirror host.
apt_open()
{
	local dir=$1 suite=$2 uri mirrors tried=
	mirrors=$(apt_mirrors)
	[[ $mirrors ]] || die "no mirror found in this machine's apt configuration"
	for uri in $mirrors ${mirrors//\/debian//debian-archive/debian}; do
		apt_configure "$dir" "$suite" "$uri"
		if apt-get -c "$dir/apt.conf" -qq update >"$dir/log" 2>&1 &&
		   apt-cache -c "$dir/apt.conf" show linux-image-amd64 >>"$dir/log" 2>&1; then
			return
		fi
		tried+=$'\n'"  $uri $suite: $(tail -n 1 "$dir/log")"
	done
	die "suite $suite is not to be had from this machine's mirrors:$tried"
}

# apt_field DIR PACKAGE FIELD: of the newest version; empty if there is none.
apt_field()
{
	apt-cache -c "$1/apt.conf" show --no-all-versions "$2" 2>/dev/null |
		sed -n "s/^$3: //p" || true
}
