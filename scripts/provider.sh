#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the provider of liburma, which is a shared library and not static as the
# programs for the VM are.
#
#   provider.sh          the provider alone: build/provider/liburma-ubsoft.so
#   provider.sh DIRECTORY  the same and its test, and the files that this loads, into
#                        DIRECTORY

. "$(dirname "$0")/lib.sh"

DIR=${1:-}
TARGET=x86_64-unknown-linux-gnu
OUT=$UB_ROOT/build/provider
LOG=$UB_ROOT/build/provider.log

mkdir -p "$OUT"
# The directory of the other programs, for what is not built for the target.
export CARGO_TARGET_DIR=$UB_ROOT/build/user
locked=()
[ ! -e "$UB_ROOT/user/Cargo.lock" ] || locked=(--locked)
packages=(--package ub-provider)
[ -z "$DIR" ] || packages+=(--package ub-liburma)
# Nothing may unwind into C.
RUSTFLAGS="-C panic=abort" \
	wait_progress "building the provider" "10 to 40 s" "$LOG" \
	cargo build --manifest-path "$UB_ROOT/user/Cargo.toml" "${packages[@]}" --release \
	--target "$TARGET" "${locked[@]}" || {
	tail -n "${UB_LOG_LINES:-60}" "$LOG" >&2
	die "building the provider failed; all of the output is in $LOG"
}
grep -A 12 '^warning: ' "$LOG" | head -n 100 || true
install -m 0755 "$CARGO_TARGET_DIR/$TARGET/release/liburma_ubsoft.so" "$OUT/liburma-ubsoft.so"
[ -n "$DIR" ] || exit 0
install -m 0755 "$OUT/liburma-ubsoft.so" "$DIR/"
# The provider asks for it by name; the test has what is in it.
cc -shared -Wl,-soname,liburma.so.0 -o "$DIR/liburma.so.0" -x c /dev/null
