# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the scripts share: messages, the cache, the toolchain. Sourced, not run.

set -euo pipefail

UB_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Kernels and tools are kept outside the clone, so that a new clone on the same
# machine finds them.
UB_CACHE=${UB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ub-urma}
UB_LLVM=19
UB_BINDGEN_VERSION=0.72.1
UB_BINDGEN_MIN=0.71.1

# The tools of the system, not those that a version manager put before them: the
# kernel needs a compiler and its library source from the same build.
export PATH="$UB_CACHE/tools/bin:/usr/lib/llvm-$UB_LLVM/bin:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
export LIBCLANG_PATH=/usr/lib/llvm-$UB_LLVM/lib
export RUSTC=/usr/bin/rustc
# A build directory of the caller's must not leak into ours.
unset KBUILD_OUTPUT O RUSTFLAGS CARGO_BUILD_TARGET RUSTUP_TOOLCHAIN
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# say TEXT: one line of progress.
say() {
	printf '[ub] %s\n' "$*"
}

# die TEXT: the reason, and out.
die() {
	printf '[ub] error: %s\n' "$*" >&2
	exit 1
}

# as_root COMMAND...: runs it as root, by sudo if need be.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root: run it as root, or install sudo"
	fi
}

# tool_version TOOL: the first version number it tells, or nothing.
tool_version() {
	"$1" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true
}

# version_ge A B: whether version A is there and not older than B.
version_ge() {
	[ -n "$1" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# duration SECONDS: in a form that people read.
duration() {
	if [ "$1" -lt 90 ]; then
		printf '%d s' "$1"
	else
		printf '%d min' $((($1 + 30) / 60))
	fi
}

# count_progress WHAT TOTAL LOG COMMAND...: runs a command into a log file and
# tells every 10 seconds how many of its TOTAL expected lines it has written.
count_progress() {
	local what=$1 total=$2 log=$3 start=$SECONDS pid lines spent left status=0
	shift 3
	"$@" >"$log" 2>&1 &
	pid=$!
	while sleep 1 && kill -0 "$pid" 2>/dev/null; do
		spent=$((SECONDS - start))
		[ $((spent % 10)) -eq 0 ] || continue
		lines=$(wc -l <"$log")
		# TOTAL is what it took elsewhere: never tell that all is done.
		[ "$lines" -lt "$total" ] || lines=$((total - 1))
		if [ "$lines" -eq $((total - 1)) ]; then
			left="nearly done"
		elif [ "$lines" -gt $((total / 50)) ]; then
			left="about $(duration $((spent * (total - lines) / lines))) left"
		else
			left="estimating"
		fi
		say "$what: $((100 * lines / total)) %, $(duration "$spent") so far, $left"
	done
	wait "$pid" || status=$?
	return "$status"
}

# wait_progress WHAT ESTIMATE LOG COMMAND...: the same for a command that does
# not tell how far it is; ESTIMATE is in words.
wait_progress() {
	local what=$1 estimate=$2 log=$3 start=$SECONDS pid status=0
	shift 3
	"$@" >"$log" 2>&1 &
	pid=$!
	while sleep 1 && kill -0 "$pid" 2>/dev/null; do
		[ $(((SECONDS - start) % 10)) -eq 0 ] || continue
		say "$what: $(duration $((SECONDS - start))) so far, usually $estimate"
	done
	wait "$pid" || status=$?
	return "$status"
}
