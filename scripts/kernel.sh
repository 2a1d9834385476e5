#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fetches and builds the kernels that tests, demo and bench boot.
#
#   kernel.sh build FLAVOUR   builds it unless the cache has it
#   kernel.sh dir FLAVOUR     prints the build directory
#   kernel.sh source          prints the source directory, fetching it if need be
#
# FLAVOUR is debug, release, bench or kobject: scripts/config/<FLAVOUR>.config on
# top of base.config (bench: on top of release too).

. "$(dirname "$0")/lib.sh"

CONFIGS=$UB_ROOT/scripts/config

# Lines that the build prints, for the estimate of the time left.
steps() {
	case $1 in
	debug) echo 1700 ;;
	*) echo 1500 ;;
	esac
}

fragments() {
	case $1 in
	debug | release | kobject) echo base "$1" ;;
	bench) echo base release bench ;;
	*) die "unknown kernel flavour '$1': debug, release, bench or kobject" ;;
	esac
}

fragment_text() {
	local f
	for f in $(fragments "$1"); do
		cat "$CONFIGS/$f.config"
	done
}

# The source package comes from Debian's backports. The system's apt
# configuration stays as it is: a private one names the same archive.
fetch_source() {
	local top=$UB_CACHE/source apt keyring repo options package
	apt=$UB_CACHE/apt
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$keyring" ] || die "Debian's archive keyring is missing: run 'make setup'"
	repo=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' |
		awk '$2 == "bookworm" || $2 == "trixie" { print $1; exit }')
	[ -n "$repo" ] || die "no Debian archive in this system's apt sources"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$top"
	echo "deb [signed-by=$keyring] $repo trixie-backports main" >"$apt/sources.list"
	options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list"
		-o Dir::Etc::sourceparts=/dev/null -o "Dir::State=$apt/state"
		-o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
	say "fetching the kernel source (167 MB; 1 to 5 minutes, then 30 s to unpack)" >&2
	apt-get "${options[@]}" update >"$apt/log" 2>&1 || die "apt-get update failed, see $apt/log"
	package=linux-source-7.3
	if ! apt-cache "${options[@]}" show "$package" >/dev/null 2>&1; then
		package=$(apt-cache "${options[@]}" search '^linux-source-[0-9.]+$' |
			awk '{ print $1 }' | sort -V | tail -n 1)
		[ -n "$package" ] || die "no kernel source package in backports"
		say "Linux 7.3 is no longer offered: taking $package, untested with these modules" >&2
	fi
	(
		cd "$apt" && rm -rf ./*.deb unpacked
		apt-get "${options[@]}" download "$package" >>log 2>&1
		dpkg-deb -x ./"$package"_*.deb unpacked
	) || die "downloading $package failed, see $apt/log"
	rm -rf "$top/tmp" && mkdir "$top/tmp"
	tar -C "$top/tmp" -xJf "$apt"/unpacked/usr/src/"$package".tar.xz
	rm -rf "$apt/unpacked" "$apt"/*.deb
	mv "$top/tmp/$package" "$top/$package"
	rm -rf "$top/tmp"
}

source_dir() {
	local found
	mkdir -p "$UB_CACHE"
	(
		flock 9
		ls -d "$UB_CACHE"/source/linux-source-* >/dev/null 2>&1 || fetch_source
	) 9>"$UB_CACHE/source.lock"
	found=$(ls -d "$UB_CACHE"/source/linux-source-* | sort -V | tail -n 1)
	echo "$found"
}

# A kernel is named by all that makes it what it is.
kernel_dir() {
	local flavour=$1 src version key
	src=$(source_dir)
	version=$(make -s -C "$src" kernelversion)
	key=$({
		echo "$version"
		"$RUSTC" --version
		clang --version | head -n 1
		bindgen --version
		fragment_text "$flavour" | grep '^CONFIG_'
	} | sha256sum | cut -c 1-12)
	echo "$UB_CACHE/linux-$version-$flavour-$key"
}

# What the fragments say last of each option must have survived: Kconfig drops in
# silence what has unmet dependencies.
check_config() {
	local config=$1/.config line lost=0
	while read -r line; do
		case $line in
		*=n) grep -q "^${line%=n}=" "$config" || continue ;;
		*) ! grep -qxF "$line" "$config" || continue ;;
		esac
		say "lost: $line"
		lost=1
	done < <(fragment_text "$2" | grep '^CONFIG_' | tac | sort -u -t = -k 1,1)
	[ "$lost" -eq 0 ] || die "the kernel source does not take the configuration above"
}

# Kbuild knows of each object which options it depends on: on top of a finished
# kernel of like kind, only what the difference touches is compiled.
seed() {
	local base=$1 dir=$2 from
	from=$(kernel_dir "$base")
	[ -e "$from/.complete" ] && [ ! -e "$dir/.config" ] || return 0
	say "starting from the $base kernel"
	cp -a "$from/." "$dir/"
	rm -f "$dir/.complete" "$dir/lock"
}

build_kernel() {
	local flavour=$1 src dir
	for tool in "$RUSTC" clang bindgen make; do
		command -v "$tool" >/dev/null || die "$tool is missing: run 'make setup'"
	done
	src=$(source_dir)
	dir=$(kernel_dir "$flavour")
	[ ! -e "$dir/.complete" ] || return 0
	mkdir -p "$dir"
	case $flavour in
	bench | kobject) seed release "$dir" ;;
	esac
	(
		flock 9
		[ ! -e "$dir/.complete" ] || exit 0
		fragment_text "$flavour" >"$dir/fragment"
		make=(make -C "$src" "LLVM=-$UB_LLVM" "RUSTC=$RUSTC" "HOSTRUSTC=$RUSTC" "O=$dir")
		say "configuring the $flavour kernel"
		"${make[@]}" KCONFIG_ALLCONFIG="$dir/fragment" allnoconfig >"$dir/config.log" 2>&1 ||
			die "configuration failed, see $dir/config.log"
		grep -qx CONFIG_RUST=y "$dir/.config" ||
			die "this toolchain cannot build Rust into the kernel: 'make doctor' says what is missing"
		check_config "$dir" "$flavour"
		count_progress "building the $flavour kernel" "$(steps "$flavour")" "$dir/build.log" \
			"${make[@]}" -j"$(nproc)" bzImage modules || {
			tail -n 20 "$dir/build.log" >&2
			die "building the $flavour kernel failed, see $dir/build.log"
		}
		touch "$dir/.complete"
		say "the $flavour kernel is ready: $(wc -l <"$dir/build.log") steps"
	) 9>"$dir/lock"
}

case ${1:-} in
build) build_kernel "${2:-}" ;;
dir) kernel_dir "${2:-}" ;;
source) source_dir ;;
*) die "usage: kernel.sh build|dir FLAVOUR, or kernel.sh source" ;;
esac
