#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Formatters and linters. What cannot run here is left out with a sentence; the
# exit status is 1 if anything that ran has found something.

. "$(dirname "$0")/lib.sh"

FOUND=0
SKIPPED=0
BUILD=$UB_ROOT/build

skip() {
	SKIPPED=$((SKIPPED + 1))
	say "left out: $*"
}

# found WHAT: a check that has failed.
found() {
	FOUND=1
	say "FAILED $*"
}

# files PATTERN...: the tracked or new files of these patterns.
files() {
	git -C "$UB_ROOT" ls-files -z --cached --others --exclude-standard -- "$@" |
		xargs -0 -r -n 1 sh -c 'test -e "$0" && printf "%s\n" "$0"' 2>/dev/null || true
}

kernel_source() {
	compgen -G "$UB_CACHE/source/linux-source-*" | sort -V | tail -n 1
}

check_format() {
	local config list
	config=$(kernel_source)/.rustfmt.toml
	if ! command -v rustfmt >/dev/null; then
		skip "formatting: rustfmt is missing, 'scripts/setup.sh check' installs it"
	elif [ ! -e "$config" ]; then
		skip "formatting: the kernel source with its .rustfmt.toml is not here yet, 'scripts/kernel.sh source' fetches it"
	else
		mapfile -t list < <(files '*.rs')
		[ ${#list[@]} -eq 0 ] ||
			rustfmt --edition 2021 --config-path "$config" --check "${list[@]}" || found "formatting"
		say "formatting: looked at ${#list[@]} Rust files"
	fi
}

check_c() {
	local checkpatch list
	checkpatch=$(kernel_source)/scripts/checkpatch.pl
	if [ ! -e "$checkpatch" ] || ! command -v perl >/dev/null; then
		skip "C style: checkpatch.pl comes with the kernel source, 'scripts/kernel.sh source' fetches it"
		return
	fi
	mapfile -t list < <(files '*.c' '*.h')
	[ ${#list[@]} -eq 0 ] ||
		perl "$checkpatch" --no-tree --no-summary --terse -f "${list[@]}" || found "C style"
	say "C style: looked at ${#list[@]} files"
}

check_shell() {
	if ! command -v shellcheck >/dev/null; then
		skip "scripts: shellcheck is missing, 'apt-get install shellcheck' installs it"
		return
	fi
	mapfile -t list < <(files '*.sh')
	(cd "$UB_ROOT" && shellcheck -x -S warning "${list[@]}") || found "scripts"
	say "scripts: looked at ${#list[@]}"
}

# Clippy is the compiler in another coat: its driver must be of the same version.
clippy_matches() {
	[ -x /usr/bin/cargo-clippy ] &&
		[ "$(tool_version /usr/bin/clippy-driver | cut -d. -f3)" = "$(tool_version "$RUSTC" | cut -d. -f2)" ]
}

check_clippy_modules() {
	local flavour=${FLAVOUR:-debug} dir
	dir=$("$UB_ROOT/scripts/kernel.sh" dir "$flavour")
	if ! clippy_matches; then
		skip "clippy on the modules: no clippy of the compiler's version, 'scripts/setup.sh check' installs it"
	elif [ ! -e "$dir/.complete" ]; then
		skip "clippy on the modules: there is no $flavour kernel yet, 'scripts/kernel.sh build $flavour' builds it"
	else
		rm -rf "$BUILD/clippy"
		"$UB_ROOT/scripts/modules.sh" clippy "$flavour" || found "clippy on the modules"
		! grep -q '^warning: ' "$BUILD/clippy.log" || found "clippy on the modules"
		say "clippy on the modules: done"
	fi
}

check_clippy_crates() {
	local dir
	if ! clippy_matches; then
		skip "clippy on user/ and selftests/: no clippy of the compiler's version, 'scripts/setup.sh check' installs it"
		return
	fi
	# By its path: 'cargo clippy' would prefer the one of a version manager.
	for dir in user selftests/host selftests/abi/rust; do
		[ -e "$UB_ROOT/$dir/Cargo.toml" ] || continue
		CARGO=/usr/bin/cargo CARGO_TARGET_DIR=$BUILD/clippy-host /usr/bin/cargo-clippy clippy --quiet --workspace --all-targets \
			--manifest-path "$UB_ROOT/$dir/Cargo.toml" -- -D warnings || found "clippy on $dir"
		say "clippy on $dir: done"
	done
}

# Only these rooms may hold unsafe code; everywhere else the compiler forbids it,
# and this finds the place where somebody forgot to say so.
check_unsafe() {
	local bad
	bad=$(cd "$UB_ROOT" && files 'ubcore/*.rs' 'uburma/*.rs' 'ubsoft/*.rs' 'rust/logic/*.rs' |
		grep -vE '^(ubcore/c_api(/|\.rs)|[a-z]+/(.*/)?fops\.rs|ubsoft/ring(/|\.rs))' |
		xargs -r grep -nE '\bunsafe\b *(\{|impl|fn|extern)' | grep -vE ':[0-9]+: *//' || true)
	if [ -n "$bad" ]; then
		printf '%s\n' "$bad"
		found "unsafe code outside its rooms"
	fi
}

mkdir -p "$BUILD"
cd "$UB_ROOT" || exit 1
"$UB_ROOT/scripts/setup.sh" check || say "going on with the tools that are here"
check_format
check_c
check_shell
check_unsafe
check_clippy_modules
check_clippy_crates
[ "$SKIPPED" -eq 0 ] || say "$SKIPPED checks were left out, as told above"
[ "$FOUND" -eq 0 ] || die "something above is to be mended"
say "all checks that ran are clean"
