#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the user programs (user/) as static binaries for the VM, into
# build/user/x86_64-unknown-linux-gnu/release.
#
#   user.sh [OPTION...]   options for cargo

. "$(dirname "$0")/lib.sh"

export CARGO_TARGET_DIR=$UB_ROOT/build/user
TARGET=x86_64-unknown-linux-gnu
LOG=$UB_ROOT/build/user.log

mkdir -p "$UB_ROOT/build"
# A program whose source is gone must not be found here again; cargo puts the
# others back without building them.
rm -f "$CARGO_TARGET_DIR/$TARGET"/release/{t-,ub-}*
locked=()
[ ! -e "$UB_ROOT/user/Cargo.lock" ] || locked=(--locked)
RUSTFLAGS="-C target-feature=+crt-static" \
	wait_progress "building the user programs" "20 to 90 s" "$LOG" \
	cargo build --manifest-path "$UB_ROOT/user/Cargo.toml" --workspace --bins --release \
	--target "$TARGET" "${locked[@]}" "$@" || {
	tail -n "${UB_LOG_LINES:-60}" "$LOG" >&2
	die "building the user programs failed; all of the output is in $LOG"
}
grep -A 12 '^warning: ' "$LOG" | head -n 100 || true
