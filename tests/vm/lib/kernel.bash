# SPDX-License-Identifier: Apache-2.0
# Debian's kernels, downloaded and unpacked, never installed.
#
# A kernel in the cache is a directory named by its release and package version:
#   release    what `uname -r` says
#   version    of the package
#   vmlinux    the bare kernel: QEMU boots it faster than the compressed image,
#              and its BTF is the base of the modules' BTF
#   lib/modules/RELEASE
#   base.cpio  the initramfs but for what changes from run to run
# `kernel/NAME` is a link to it, so sid stays what it was until the link goes.
# shellcheck disable=SC2154,SC2034 # variables shared with tests/vm/run

declare -A kernel_suite=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie [sid]=sid)

# What the initramfs must load to get at the root; modprobe adds what they need.
kernel_boot_modules=(virtio_pci virtio_console 9p 9pnet_virtio overlay virtio_net)

# kernel_ready NAME: sets kernel_dir, kernel_release, kernel_version.
kernel_ready()
{
	local link=$cache/kernel/$1
	if [[ ! -e $link/base.cpio ]]; then
		say "fetching kernel $1 (Debian ${kernel_suite[$1]})"
		kernel_fetch "$1"
	fi
	kernel_dir=$(realpath "$link")
	kernel_release=$(<"$kernel_dir/release")
	kernel_version=$(<"$kernel_dir/version")
}

kernel_fetch()
{
	local apt=$tmp/apt-$1 release version depends
	apt_open "$apt" "${kernel_suite[$1]}"
	version=$(apt_field "$apt" linux-image-amd64 Version)
	depends=$(apt_field "$apt" linux-image-amd64 Depends)
	release=$(grep -oP '\blinux-image-\K\S+' <<<"$depends") ||
		die "linux-image-amd64 of ${kernel_suite[$1]} names no kernel: $depends"
	cached "$cache/kernel/${release}_$version" kernel_unpack "$apt" "$release" "$version"
	ln -sfnr "$cache/kernel/${release}_$version" "$cache/kernel/$1"
	rm -rf "$apt"
}

# kernel_unpack APT RELEASE VERSION NEW
kernel_unpack()
{
	local apt=$1 release=$2 version=$3 new=$4 package packages=() deb image

	# Newer suites split the image: base has the lists of what is built in.
	for package in linux-{image,binary,modules,base}-"$release"; do
		[[ -z $(apt_field "$apt" "$package" Version) ]] || packages+=("$package")
	done
	mkdir "$new/debs" "$new/root"
	(cd "$new/debs" && apt-get -c "$apt/apt.conf" -qq download "${packages[@]}") ||
		die "cannot download ${packages[*]}"
	for deb in "$new"/debs/*.deb; do
		dpkg-deb -x "$deb" "$new/root"
	done
	image=$(find "$new/root" -name "vmlinuz-$release" -o -path "*/modules/$release/vmlinuz")
	[[ $image ]] || die "there is no vmlinuz in ${packages[*]}"
	kernel_extract "$image" >"$new/vmlinux"
	mkdir -p "$new/lib/modules"
	mv "$(find "$new/root" -path "*/lib/modules/$release" -prune)" "$new/lib/modules/"
	depmod -b "$new" "$release"
	kernel_initramfs "$new" "$release"
	echo "$release" >"$new/release"
	echo "$version" >"$new/version"
	rm -r "$new/debs" "$new/root"
}

# kernel_extract VMLINUZ: the ELF file inside. The boot protocol's header says
# where the payload is; its last four bytes are the unpacked size.
kernel_extract()
{
	local setup offset length magic unpack
	setup=$(od -An -tu1 -j $((0x1f1)) -N1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N4 "$1")
	offset=$(((setup + 1) * 512 + offset))
	magic=$(od -An -tx1 -j "$offset" -N4 "$1")
	case $magic in
	' fd 37 7a 58') unpack=(xz -dc) ;;
	' 28 b5 2f fd') unpack=(zstd -dc) ;;
	*) die "$1: compressed in an unknown way (magic$magic)" ;;
	esac
	dd if="$1" bs=1M iflag=skip_bytes,count_bytes skip="$offset" count=$((length - 4)) status=none |
		"${unpack[@]}"
}

# kernel_initramfs NEW RELEASE: busybox and the boot modules, in order of loading.
kernel_initramfs()
{
	local new=$1 release=$2 root=$1/initramfs insmods word path name
	mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,rw,root}
	cp "$(command -v busybox)" "$root/bin/busybox"
	insmods=$(modprobe -d "$new" -S "$release" -a --show-depends "${kernel_boot_modules[@]}")
	while read -r word path _; do
		[[ $word == insmod ]] || continue	# "builtin"
		name=${path##*/}
		name=${name%%.*}
		[[ ! -e $root/modules/$name ]] || continue
		case $path in
		*.xz) xz -dc "$path" ;;
		*.zst) zstd -dc "$path" ;;
		*) cat "$path" ;;
		esac >"$root/modules/$name"
		echo "$name" >>"$root/modules/order"
	done <<<"$insmods"
	(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$new/base.cpio"
	rm -r "$root"
}
