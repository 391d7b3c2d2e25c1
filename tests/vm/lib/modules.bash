# SPDX-License-Identifier: Apache-2.0
# Builds the simulated client's modules for a kernel of the cache.
#
# Every kernel is built for inside an unpacked root of its own suite: the
# packaged headers name that suite's compiler, and their tools its C library.
# shellcheck disable=SC2154,SC2034 # variables shared with tests/vm/run

# How the modules of a kernel come by BTF: from pahole with the kernel as base,
# from the build itself (newer headers carry a vmlinux), or not at all.
declare -A module_btf=([5.10]=none [6.1]=pahole [6.12]=build [sid]=build)

# What the modules are made of; they share the table of operations with src/.
module_trees=(sim src/ops src/bpf/shared.h)
module_files=(-name '*.[ch]' -o -name '*.def' -o -name Kbuild)

# root_ready NAME: sets root_dir, the build root for the kernel of kernel_ready.
root_ready()
{
	root_dir=$cache/root/${kernel_release}_$kernel_version
	[[ ! -d $root_dir ]] || return 0
	say "fetching the build tools of Debian ${kernel_suite[$1]}"
	cached "$root_dir" root_unpack "$1"
}

# root_unpack NAME NEW
root_unpack()
{
	local name=$1 new=$2 apt=$tmp/apt-root-$1 dir deb
	local packages=("linux-headers-$kernel_release" make gawk coreutils dash sed grep findutils
			binutils)
	[[ ${module_btf[$name]} == none ]] || packages+=(pahole)

	mkdir -p "$apt"
	# Some headers depend on the image, which is in the cache already.
	cat >"$apt/status" <<-EOF
		Package: linux-image-$kernel_release
		Status: install ok installed
		Architecture: amd64
		Maintainer: none
		Version: $kernel_version
		Description: unpacked elsewhere
	EOF
	apt_open "$apt" "${kernel_suite[$name]}"
	[[ $(apt_field "$apt" "linux-headers-$kernel_release" Version) == "$kernel_version" ]] ||
		die "${kernel_suite[$name]} has no headers for $kernel_release $kernel_version any more:" \
		    "remove $cache/kernel/$name to take its present kernel"
	apt-get -c "$apt/apt.conf" -qq --download-only install "${packages[@]}" >"$apt/log" 2>&1 ||
		die "cannot download the build tools: $(tail -n 1 "$apt/log")"

	mkdir -p "$new"/{usr/{bin,sbin,lib,lib64},proc,dev,build,tmp}
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$new/$dir"
	done
	for deb in "$apt"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$new"
	done
	# What the packages' scripts would have linked.
	[[ -e $new/usr/bin/awk ]] || ln -s gawk "$new/usr/bin/awk"
	[[ -e $new/usr/bin/sh ]] || ln -s dash "$new/usr/bin/sh"
	rm -r "$apt"
}

# modules_ready NAME BTF: sets modules_dir; BTF is 1 or 0.
modules_ready()
{
	local name=$1 btf=$2 build=$tmp/build hash
	# Copied, then hashed: what is built is what was hashed, whoever edits meanwhile.
	mkdir "$build"
	(cd "$repo" && find "${module_trees[@]}" -type f \( "${module_files[@]}" \) -print0 |
		xargs -0 cp --parents -t "$build")
	hash=$(cd "$build" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
	modules_dir=$cache/modules/${kernel_release}_$kernel_version/${hash:0:16}-btf$btf
	if [[ ! -d $modules_dir ]]; then
		root_ready "$name"
		say "building the simulated client for $kernel_release"
		cached "$modules_dir" modules_build "$name" "$btf" "$build"
	fi
	rm -r "$build"
}

# modules_build NAME BTF BUILD NEW
modules_build()
{
	local name=$1 btf=$2 build=$3 new=$4 module
	local how=${module_btf[$name]}
	((btf)) || how='strip'

	cat >"$build/build.sh" <<-EOF
		set -e
		make -s -j2 -C /lib/modules/$kernel_release/build M=/build/sim modules
		for module in /build/sim/*.ko; do
			case $how in
			pahole) LLVM_OBJCOPY=objcopy pahole -J --btf_base /build/vmlinux \$module ;;
			strip) objcopy -R .BTF -R .BTF.base \$module ;;
			esac
			strip -g \$module
		done
	EOF
	ln "$kernel_dir/vmlinux" "$build/vmlinux" 2>/dev/null ||
		cp "$kernel_dir/vmlinux" "$build/vmlinux"
	# The mounts are private to the build and end with it.
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --pid --fork --kill-child bash -c '
		set -e
		mount --bind "$2" "$1/build"
		mount --rbind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin LC_ALL=C sh /build/build.sh
	' - "$root_dir" "$build" >"$tmp/build.log" 2>&1 || {
		cat "$tmp/build.log" >&2
		die "the simulated client does not build for $kernel_release"
	}
	for module in "$build"/sim/*.ko; do
		[[ $how == none || $how == strip ]] || objdump -h "$module" | grep -q ' \.BTF ' ||
			die "${module##*/} was built without BTF for $kernel_release"
		cp "$module" "$new/"
	done
}
