#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes the documentation of the modules' Rust code, into build/doc. The kernel has
# a rustdoc target only for its own tree: this takes the compiler's command lines
# that the build left behind and gives them to rustdoc.

. "$(dirname "$0")/lib.sh"

FLAVOUR=${FLAVOUR:-release}
OUT=$UB_ROOT/build/$FLAVOUR
DOC=$UB_ROOT/build/doc

"$UB_ROOT/scripts/setup.sh"
"$UB_ROOT/scripts/kernel.sh" build "$FLAVOUR"
"$UB_ROOT/scripts/modules.sh" build "$FLAVOUR"
kernel=$("$UB_ROOT/scripts/kernel.sh" dir "$FLAVOUR")

mkdir -p "$DOC"
for crate in ubcore uburma ubsoft; do
	cmd=$OUT/$crate/.$crate.o.cmd
	[ -r "$cmd" ] || die "the build left no $cmd"
	line=$(sed -n 's/^savedcmd_[^ ]* := //p' "$cmd")
	line=${line%% ; *}
	# In make's file a dollar is doubled and a hash escaped.
	line=${line//\$\$/\$}
	line=${line//\\#/#}
	line=$(sed -E "s#(^| )$RUSTC #\1/usr/bin/rustdoc #
		s# --emit=[^ ]+##g; s# --out-dir [^ ]+##g; s# --remap-path-scope=[^ ]+##g
		s# -o [^ ]+##g" <<<"$line")
	say "documenting $crate"
	(
		cd "$OUT"
		export RUSTC_BOOTSTRAP=1 OBJTREE=$kernel UB_GEN=$OUT/gen RUST_MODFILE=$crate
		eval "$line --document-private-items -Cunsafe-allow-abi-mismatch=fixed-x18 --output $DOC"
	) >"$DOC/$crate.log" 2>&1 || {
		tail -n 30 "$DOC/$crate.log" >&2
		die "rustdoc failed on $crate, see $DOC/$crate.log"
	}
done
say "read build/doc/ubcore/index.html"
