#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the user programs (user/) as static binaries for the VM, into
# build/user/x86_64-unknown-linux-gnu/release, and beside them the provider of
# liburma with its test, which cannot be static.
#
#   user.sh [OPTION...]   options for cargo

. "$(dirname "$0")/lib.sh"

export CARGO_TARGET_DIR=$UB_ROOT/build/user
TARGET=x86_64-unknown-linux-gnu
LOG=$UB_ROOT/build/user.log

mkdir -p "$UB_ROOT/build"
# A program whose source is gone must not be found here again.
rm -f "$CARGO_TARGET_DIR/$TARGET"/release/{t-,ub-,liburma}*
locked=()
[ ! -e "$UB_ROOT/user/Cargo.lock" ] || locked=(--locked)
# Dozens of static programs: the linker that the kernel needs anyway is the faster one.
RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-fuse-ld=lld" \
	wait_progress "building the user programs" "20 to 90 s" "$LOG" \
	cargo build --manifest-path "$UB_ROOT/user/Cargo.toml" --workspace --exclude ub-liburma \
	--bins --release \
	--target "$TARGET" "${locked[@]}" "$@" || {
	tail -n "${UB_LOG_LINES:-60}" "$LOG" >&2
	die "building the user programs failed; all of the output is in $LOG"
}
# The test programs are one, by many names.
for source in "$UB_ROOT"/user/ub-tests/src/bin/t-*.rs; do
	ln -sf ub-tests "$CARGO_TARGET_DIR/$TARGET/release/$(basename "$source" .rs)"
done
grep -A 12 '^warning: ' "$LOG" | head -n 100 || true
"$UB_ROOT/scripts/provider.sh" "$CARGO_TARGET_DIR/$TARGET/release"
