#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Installs what building, testing and the demo need on Debian 12 or 13, as root
# or through sudo. Does nothing, and asks apt nothing, when all of it is there.
#
#   setup.sh          for builds, tests and the demo
#   setup.sh check    the formatters and linters of 'make check' too
#   setup.sh bench    what the comparison with rdma_rxe in 'make bench' takes too

. "$(dirname "$0")/lib.sh"

COMMON=(clang-19 lld-19 llvm-19 libclang-19-dev make flex bison bc libelf-dev
	libssl-dev cpio kmod rsync zstd xz-utils gcc g++ libc6-dev binutils python3
	qemu-system-x86 busybox-static file ca-certificates debian-archive-keyring)

# The static libraries of rdma-core.
BENCH=(libibverbs-dev)

# The compiler and its library source must be a matched pair, so these are
# installed and upgraded together.
select_packages() {
	local codename
	[ "$(uname -m)" = x86_64 ] || die "only x86_64 machines can build and run this"
	codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
	case $codename in
	bookworm)
		RUST=(rustc-web rust-web-src cargo-web)
		LINT=(rustfmt-web rust-web-clippy)
		REPLACED=(rustc cargo rustc-mozilla cargo-mozilla)
		;;
	trixie)
		RUST=(rustc rust-src cargo)
		COMMON+=(bindgen)
		LINT=(rustfmt rust-clippy)
		REPLACED=(rustc-web cargo-web)
		;;
	*)
		die "this is neither Debian 12 nor Debian 13. By hand, install what provides: ${COMMON[*]}," \
			"rustc 1.85 or later in /usr/bin with its library source, cargo, and bindgen 0.71.1 or later"
		;;
	esac
}

# Fills VERSIONS with the versions of those packages that are installed.
declare -A VERSIONS
read_versions() {
	local name status version
	VERSIONS=()
	while read -r name status version; do
		[ "$status" != ii ] || VERSIONS[$name]=$version
	done < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev} ${Version}\n' "$@" 2>/dev/null)
}

# Fills MISSING with the packages to be installed.
find_missing() {
	local name
	MISSING=()
	read_versions "${COMMON[@]}" "${RUST[@]}" "${LINT[@]}" "${BENCH[@]}" "${REPLACED[@]}" rustup
	for name in "${WANTED[@]}"; do
		[ -n "${VERSIONS[$name]:-}" ] || MISSING+=("$name")
	done
	for name in "${RUST[@]}"; do
		if [ "${VERSIONS[$name]:-}" != "${VERSIONS[${RUST[0]}]:-}" ] || [ -z "${VERSIONS[$name]:-}" ]; then
			MISSING+=("${RUST[@]}")
			break
		fi
	done
	mapfile -t MISSING < <(printf '%s\n' "${MISSING[@]}" | awk 'NF && !seen[$0]++')
}

# What apt will take away is said before it does, and a version manager that
# somebody chose is not taken away at all.
announce_conflicts() {
	local name
	if [ -n "${VERSIONS[rustup]:-}" ]; then
		die "Debian's package 'rustup' excludes '${RUST[0]}', which the kernel build needs:" \
			"remove it with 'apt-get remove rustup' (your toolchains stay in ~/.rustup), then run this again"
	fi
	for name in "${REPLACED[@]}"; do
		[ -z "${VERSIONS[$name]:-}" ] ||
			say "the package $name ${VERSIONS[$name]} gives way to ${RUST[0]}, which provides the same commands"
	done
}

# apt COMMAND...: without questions, waiting for another apt to finish.
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
	local log=$UB_CACHE/setup.log
	announce_conflicts
	mkdir -p "$UB_CACHE"
	say "to install: ${MISSING[*]}"
	# Asks for the password, if one is needed, before the output goes to a file.
	as_root true
	wait_progress "reading the package lists" "20 s" "$log" apt update ||
		say "warning: 'apt-get update' failed (see $log): going on with the lists that are here"
	wait_progress "installing ${#MISSING[@]} packages" "1 to 6 minutes" "$log" \
		apt install --no-install-recommends "${MISSING[@]}" || {
		tail -n 15 "$log" >&2
		die "apt could not install the packages above, see $log"
	}
	find_missing
	[ ${#MISSING[@]} -eq 0 ] || die "still missing after the installation: ${MISSING[*]}"
}

# The kernel source is fetched from the archive that the package lists name.
ensure_lists() {
	compgen -G "$UB_CACHE/source/linux-source-*" >/dev/null && return
	compgen -G "/var/lib/apt/lists/*Release" >/dev/null && return
	mkdir -p "$UB_CACHE"
	as_root true
	wait_progress "reading the package lists" "20 s" "$UB_CACHE/setup.log" apt update ||
		die "'apt-get update' failed, see $UB_CACHE/setup.log"
}

ensure_bindgen() {
	local log=$UB_CACHE/bindgen.log version
	version=$(tool_version bindgen)
	if version_ge "$version" "$UB_BINDGEN_MIN"; then
		return
	fi
	CHANGED=1
	mkdir -p "$UB_CACHE"
	count_progress "building bindgen $UB_BINDGEN_VERSION" 102 "$log" \
		/usr/bin/cargo install bindgen-cli --version "$UB_BINDGEN_VERSION" --locked --force \
		--root "$UB_CACHE/tools" || {
		tail -n 15 "$log" >&2
		die "cargo could not build bindgen, see $log"
	}
	say "bindgen $UB_BINDGEN_VERSION is ready"
}

CHANGED=0
select_packages
case ${1:-build} in
build) WANTED=("${COMMON[@]}" "${RUST[@]}") ;;
check) WANTED=("${COMMON[@]}" "${RUST[@]}" "${LINT[@]}") ;;
bench) WANTED=("${COMMON[@]}" "${RUST[@]}" "${BENCH[@]}") ;;
*) die "usage: setup.sh [check|bench]" ;;
esac
find_missing
if [ ${#MISSING[@]} -ne 0 ]; then
	CHANGED=1
	install_packages
fi
ensure_lists
ensure_bindgen
if [ "$CHANGED" -eq 0 ]; then
	say "set-up: everything needed is installed"
else
	say "set-up: done"
fi
