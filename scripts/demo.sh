#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demo, from nothing: kernel, modules and programs are built if they are not
# there, then a VM loads the modules and runs ub-demo. Also 'vm' for a shell in
# that VM and 'bench' for the measurements.
#
#   demo.sh demo|vm|bench [ARGUMENT...]

. "$(dirname "$0")/lib.sh"

what=${1:-demo}
shift || true
flavour=${FLAVOUR:-release}
scripts=$UB_ROOT/scripts

"$scripts/setup.sh"
say "== kernel ($flavour) =="
"$scripts/kernel.sh" build "$flavour"
kernel=$("$scripts/kernel.sh" dir "$flavour")
say "== modules =="
"$scripts/modules.sh" build "$flavour"
say "== user programs =="
"$scripts/user.sh"
say "== virtual machine =="
case $what in
vm) command=shell ;;
demo)
	command=demo
	# The clock of the machine counts instructions: figures that can be repeated.
	[ "$flavour" = debug ] || set -- --icount "$@" -- --icount
	;;
bench) command=bench ;;
*) die "usage: demo.sh demo|vm|bench" ;;
esac
exec "$scripts/vm.py" "$command" --kernel "$kernel" --modules "$UB_ROOT/build/$flavour" \
	--programs "$UB_ROOT/build/user/x86_64-unknown-linux-gnu/release" \
	--console "$UB_ROOT/build/$what-console.log" "$@"
