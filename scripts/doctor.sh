#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Looks at what building, testing and the demo need, and says in plain words what
# is missing and which command mends it. The exit status is 1 if something is.
#
# KDIR, if set, is a kernel's build directory to look at beside the test kernels.

. "$(dirname "$0")/lib.sh"

MISSING=0
NOTES=0

ok() {
	printf '  ok       %s\n' "$1"
}

# missing WHAT REMEDY
missing() {
	MISSING=$((MISSING + 1))
	printf '  MISSING  %s\n           -> %s\n' "$1" "$2"
}

# note WHAT: not as it could be, and nothing depends on it.
note() {
	NOTES=$((NOTES + 1))
	printf '  note     %s\n' "$1"
}

# tool NAME MINIMUM WHAT-FOR: in the PATH, and recent enough ("-": any version).
tool() {
	local version
	if ! command -v "$1" >/dev/null; then
		missing "$1 ($3)" "make setup"
		return
	fi
	[ "$2" != - ] || {
		ok "$1"
		return
	}
	version=$(tool_version "$1")
	if version_ge "$version" "$2"; then
		ok "$1 $version"
	else
		missing "$1 is ${version:-of an unknown version}, but $3 needs $2 or later" "make setup"
	fi
}

present() {
	if [ -e "$1" ]; then
		ok "$2"
	else
		missing "$2 ($1)" "make setup"
	fi
}

look_at_system() {
	local codename
	echo "The system"
	codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
	if [ "$(uname -m)" = x86_64 ]; then ok "x86_64"; else
		missing "an x86_64 machine (this is $(uname -m))" "use another machine"
	fi
	case $codename in
	bookworm | trixie) ok "Debian $codename" ;;
	*) note "this is not Debian 12 or 13: 'make setup' cannot install the tools here" ;;
	esac
	if [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; then ok "root, or sudo"; else
		note "neither root nor sudo: 'make setup' can install nothing"
	fi
}

look_at_rust() {
	local sysroot version kinds=(rustc-web rust-web-src rustc rust-src) name
	echo "Rust"
	tool "$RUSTC" 1.85.0 "the kernel"
	tool /usr/bin/cargo 1.85.0 "the user programs"
	tool bindgen "$UB_BINDGEN_MIN" "the kernel"
	[ -x "$RUSTC" ] || return 0
	sysroot=$("$RUSTC" --print sysroot)
	present "$sysroot/lib/rustlib/src/rust/library/core/src/lib.rs" "the source of Rust's library"
	# A pair that does not match builds a kernel that cannot be told from a broken one.
	declare -A versions
	while read -r name version; do versions[$name]=$version; done < <(
		dpkg-query -W -f '${Package} ${Version}\n' "${kinds[@]}" 2>/dev/null)
	for name in "rustc-web rust-web-src" "rustc rust-src"; do
		set -- $name
		[ -n "${versions[$1]:-}" ] && [ -n "${versions[$2]:-}" ] || continue
		if [ "${versions[$1]}" = "${versions[$2]}" ]; then ok "$1 and $2 match"; else
			missing "$1 ${versions[$1]} and $2 ${versions[$2]} of the same version" "make setup"
		fi
	done
}

look_at_tools() {
	echo "Compilers and tools"
	tool clang-$UB_LLVM 19 "the kernel with KASAN and Rust"
	tool ld.lld-$UB_LLVM 19 "the kernel"
	tool llvm-ar-$UB_LLVM - "the kernel"
	if compgen -G "/usr/lib/llvm-$UB_LLVM/lib/libclang*.so*" >/dev/null; then ok "libclang"; else
		missing "libclang (bindgen)" "make setup"
	fi
	local name
	for name in make flex bison bc cpio rsync zstd xz gcc g++ python3 flock depmod; do
		tool "$name" - "the kernel build"
	done
	present /usr/include/libelf.h "the headers of libelf"
	present /usr/include/openssl/ssl.h "the headers of OpenSSL"
	tool busybox - "the test machine"
	for name in rustfmt clippy-driver; do
		command -v "$name" >/dev/null || note "$name is not here: 'scripts/setup.sh check' installs it for 'make check'"
	done
	compgen -G "/usr/lib/x86_64-linux-gnu/librxe-rdmav*.a" >/dev/null ||
		note "the static libraries of rdma-core are not here: 'make bench' installs them"
}

look_at_space() {
	local free need=12 dir=$UB_CACHE
	echo "Disk"
	while [ ! -d "$dir" ]; do dir=$(dirname "$dir"); done
	free=$(($(df -Pk "$dir" | awk 'NR == 2 { print $4 }') / 1048576))
	if [ "$free" -ge "$need" ] || { compgen -G "$UB_CACHE/linux-*-debug-*/.complete" >/dev/null && [ "$free" -ge 2 ]; }; then
		ok "$free GiB are free for kernels in $UB_CACHE"
	else
		missing "$need GiB for the kernel source and two kernels in $UB_CACHE (free: $free GiB)" \
			"free some space, or set UB_CACHE to a directory on another disk"
	fi
	free=$(($(df -Pk "$UB_ROOT" | awk 'NR == 2 { print $4 }') / 1048576))
	[ "$free" -ge 1 ] || missing "1 GiB for build results in $UB_ROOT/build" "free some space"
}

look_at_memory() {
	local available need=4
	available=$(($(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo) / 1048576))
	echo "Memory"
	if [ "$available" -ge "$need" ]; then ok "$available GiB are available"; else
		note "$available GiB of memory are available: two test machines take 1.5 GiB each, a kernel build as much"
	fi
}

# option KERNEL NAME WHAT-FOR: whether the kernel has CONFIG_NAME=y.
option() {
	if grep -qx "CONFIG_$2=y" "$1/.config"; then
		return 0
	fi
	missing "CONFIG_$2=y ($3)" "set it in that kernel's configuration and build it again"
	return 1
}

look_at_kernel() {
	local dir=$1 name good=1 theirs
	echo "The kernel in $dir"
	if [ ! -r "$dir/.config" ]; then
		missing "a configured kernel's build directory" "give the right one: make doctor KDIR=DIRECTORY"
		return
	fi
	for name in "MODULES:modules" "RUST:modules in Rust" "NET:namespaces, netlink" \
		"CONFIGFS_FS:making software devices; m is not enough" "MEMCG:accounting of pinned memory" \
		"CGROUP_RDMA:limits on devices and objects" "TRANSPARENT_HUGEPAGE:huge pages" \
		"DEVTMPFS:device nodes"; do
		option "$dir" "${name%%:*}" "${name#*:}" || good=0
	done
	for name in "VETH:tests with two hosts" "IA32_EMULATION:tests with 32-bit programs"; do
		grep -qE "^CONFIG_${name%%:*}=[ym]$" "$dir/.config" ||
			note "without CONFIG_${name%%:*}: ${name#*:} cannot run on it"
	done
	if [ ! -e "$dir/rust/libkernel.rmeta" ] || [ ! -e "$dir/rust/libcore.rmeta" ]; then
		good=0
		missing "Rust metadata (rust/*.rmeta)" "point KDIR at the directory where this kernel was built, not at a header package"
	fi
	theirs=$(sed -n 's/^CONFIG_RUSTC_VERSION_TEXT="\(.*\)"$/\1/p' "$dir/.config")
	if [ -n "$theirs" ] && [ -x "$RUSTC" ] && [ "$theirs" != "$("$RUSTC" --version)" ]; then
		good=0
		missing "the compiler that built it: $theirs (here: $("$RUSTC" --version))" "build the kernel again with $RUSTC"
	fi
	[ -e "$dir/Module.symvers" ] || {
		good=0
		missing "Module.symvers" "finish the build of this kernel"
	}
	[ "$good" -eq 0 ] || ok "modules in Rust can be built and used"
}

look_at_kernels() {
	local dir none=1 probe=
	for dir in "$UB_CACHE"/linux-*/; do
		[ -e "$dir/.complete" ] && [ ! -L "${dir%/}" ] || continue
		none=0
		probe=${dir%/}
		look_at_kernel "${dir%/}"
	done
	[ -z "${KDIR:-}" ] || look_at_kernel "$KDIR"
	[ "$none" -eq 0 ] || { echo "The test kernels" && note "none is built yet: 'make demo' and 'make test' build what they need (20 to 30 minutes, once)"; }
	echo "The virtual machine"
	tool qemu-system-x86_64 7.0 "the test machine"
	if [ ! -e /dev/kvm ]; then
		note "no /dev/kvm: QEMU emulates, which is slower and works all the same"
	elif [ ! -w /dev/kvm ]; then
		note "/dev/kvm is not accessible to you: QEMU emulates ('adduser $(id -un) kvm' might change that)"
	elif [ -z "$probe" ]; then
		note "/dev/kvm is there; whether it works shows when a kernel is built"
	elif "$UB_ROOT/scripts/vm.py" kvm --kernel "$probe" >/dev/null 2>&1; then
		ok "KVM works here"
	else
		note "/dev/kvm is there, but does not run the test kernel: QEMU emulates instead"
	fi
}

look_at_system
look_at_rust
look_at_tools
look_at_space
look_at_memory
look_at_kernels
if [ "$MISSING" -ne 0 ]; then
	echo "$MISSING missing, see the arrows above."
	exit 1
fi
echo "Nothing is missing."
