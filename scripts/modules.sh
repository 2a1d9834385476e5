#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the modules, out of the source tree.
#
#   modules.sh build FLAVOUR   against a test kernel, into build/FLAVOUR
#   modules.sh clippy FLAVOUR  the same under clippy, into build/clippy
#   modules.sh kdir            against the kernel of $KDIR, into build/kdir, and the
#                              provider of liburma
#   modules.sh install         installs both, for that kernel (as root)
#   modules.sh uninstall       removes what install installed (as root)
#
# KDIR is the build directory of a kernel; that of the running kernel unless set.
# INSTALL_MOD_PATH is a directory that stands for / in an installation.

. "$(dirname "$0")/lib.sh"

MODULES=(ubcore uburma ubsoft)
# Only in builds for test kernels, and never installed.
TEST_MODULES=(ub_test_client ub_test_driver)
KDIR=${KDIR:-/lib/modules/$(uname -r)/build}

# Refuses, with the reason, a kernel that cannot take modules in Rust.
check_kdir() {
	local conf=$1/include/config/auto.conf theirs ours
	[ -r "$conf" ] ||
		die "$1 is not the build directory of a configured kernel: say which with KDIR=DIRECTORY"
	grep -qx CONFIG_RUST=y "$conf" ||
		die "the kernel in $1 was built without CONFIG_RUST: modules in Rust cannot be built for it"
	if [ ! -e "$1/rust/libkernel.rmeta" ] || [ ! -e "$1/rust/libcore.rmeta" ]; then
		die "the kernel in $1 has CONFIG_RUST, but no rust/*.rmeta files (header packages leave" \
			"them out): KDIR must be the directory in which that kernel was built"
	fi
	theirs=$(sed -n 's/^CONFIG_RUSTC_VERSION_TEXT="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$conf")
	ours=$("$RUSTC" --version)
	[ "$theirs" = "$ours" ] ||
		die "the kernel in $1 was built by '$theirs', but $RUSTC is '$ours': both must be the same"
}

# Fills MAKE with the make command for the kernel in $1 and the output in $2.
kernel_make() {
	MAKE=(make -C "$1" "RUSTC=$RUSTC" "HOSTRUSTC=$RUSTC" "M=$UB_ROOT" "MO=$2")
	if grep -qx CONFIG_CC_IS_CLANG=y "$1/include/config/auto.conf"; then
		MAKE+=("LLVM=-$UB_LLVM")
	fi
}

# build KERNEL OUTPUT WHAT [ARGUMENT...]
build() {
	local kernel=$1 out=$2 what=$3 log=$2.log
	shift 3
	check_kdir "$kernel"
	mkdir -p "$out"
	kernel_make "$kernel" "$out"
	wait_progress "$what" "1 to 2 minutes" "$log" "${MAKE[@]}" "$@" -j"$(nproc)" modules || {
		tail -n "${UB_LOG_LINES:-60}" "$log" >&2
		die "$what failed; all of the output is in $log"
	}
	# Warnings do not hide in a log that nobody reads. But objtool knows only some of the functions
	# of the Rust library that do not return, and takes calls of the others for a way out.
	grep -v 'warning: objtool: .* falls through to next function ' "$log" |
		grep -A 12 '^warning\|: warning: \|^WARNING: ' | head -n 200 || true
}

flavour_dir() {
	local dir
	dir=$("$UB_ROOT/scripts/kernel.sh" dir "$1")
	[ -e "$dir/.complete" ] || die "there is no $1 kernel yet: run 'scripts/kernel.sh build $1'"
	echo "$dir"
}

built_release() {
	[ -r "$KDIR/include/config/kernel.release" ] || die "KDIR=$KDIR is not a kernel's build directory"
	cat "$KDIR/include/config/kernel.release"
}

# Where liburma looks for providers: in the directory 'urma' beside itself.
provider_file() {
	local library
	library=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null |
		awk '$1 == "liburma.so.0" { print $NF; exit }')
	echo "$(dirname "${library:-/usr/lib64/liburma.so.0}")/urma/liburma-ubsoft.so"
}

install_modules() {
	local release provider dest=${INSTALL_MOD_PATH:-}
	release=$(built_release)
	[ -e "$UB_ROOT/build/kdir/ubcore.ko" ] || die "nothing is built for $KDIR yet: run 'make modules' first"
	[ -e "$UB_ROOT/build/provider/liburma-ubsoft.so" ] || die "the provider is not built yet: run 'make modules' first"
	kernel_make "$KDIR" "$UB_ROOT/build/kdir"
	as_root "${MAKE[@]}" INSTALL_MOD_PATH="$dest" INSTALL_MOD_DIR=updates/ub modules_install
	as_root depmod ${dest:+-b "$dest"} "$release"
	say "installed for Linux $release: load them with 'modprobe uburma' and 'modprobe ubsoft'"
	# liburma takes no provider without the execute bit.
	provider=$dest$(provider_file)
	as_root install -D -m 0755 "$UB_ROOT/build/provider/liburma-ubsoft.so" "$provider"
	say "installed $provider"
}

uninstall_modules() {
	local release dir provider
	release=$(built_release)
	provider=${INSTALL_MOD_PATH:-}$(provider_file)
	if [ -e "$provider" ]; then
		as_root rm -f "$provider"
		say "removed $provider"
	fi
	dir=${INSTALL_MOD_PATH:-}/lib/modules/$release/updates/ub
	[ -d "$dir" ] || die "nothing is installed for Linux $release"
	as_root rm -rf "$dir"
	as_root depmod ${INSTALL_MOD_PATH:+-b "$INSTALL_MOD_PATH"} "$release"
	say "removed from Linux $release; loaded modules stay until 'rmmod ubsoft uburma ubcore'"
}

# Every module must have come out: a Kbuild that forgets one is no success.
# check_built OUTPUT NAME...
check_built() {
	local name out=$1
	shift
	for name in "$@"; do
		[ -e "$out/$name.ko" ] || die "the build succeeded, but $out/$name.ko is missing"
	done
}

case ${1:-} in
build)
	kernel=$(flavour_dir "${2:-}")
	build "$kernel" "$UB_ROOT/build/$2" "building the modules for the $2 kernel" UB_TEST_MODULES=1
	check_built "$UB_ROOT/build/$2" "${MODULES[@]}" "${TEST_MODULES[@]}"
	;;
clippy)
	kernel=$(flavour_dir "${2:-}")
	build "$kernel" "$UB_ROOT/build/clippy" "clippy on the modules" CLIPPY=1 UB_TEST_MODULES=1
	;;
kdir)
	# Another kernel's objects are of no use, and make would not notice.
	stamp=$UB_ROOT/build/kdir.for
	[ "$(cat "$stamp" 2>/dev/null)" = "$KDIR" ] || rm -rf "$UB_ROOT/build/kdir"
	build "$KDIR" "$UB_ROOT/build/kdir" "building the modules for $KDIR"
	echo "$KDIR" >"$stamp"
	check_built "$UB_ROOT/build/kdir" "${MODULES[@]}"
	say "the modules are in build/kdir"
	"$UB_ROOT/scripts/provider.sh"
	say "the provider of liburma is in build/provider"
	;;
install) install_modules ;;
uninstall) uninstall_modules ;;
*) die "usage: modules.sh build|clippy FLAVOUR, or modules.sh kdir|install|uninstall" ;;
esac
