#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demo, from nothing: kernel, modules and programs are built if they are not
# there, then a VM loads the modules and runs ub-demo. Also 'vm' for a shell in
# that VM and 'bench' for the measurements, those of rdma_rxe beside them unless
# FLAVOUR asks for a kernel that has no such module.
#
#   demo.sh demo|vm|bench [ARGUMENT...]

. "$(dirname "$0")/lib.sh"

what=${1:-demo}
shift || true
case $what in
bench) flavour=${FLAVOUR:-bench} ;;
*) flavour=${FLAVOUR:-release} ;;
esac
scripts=$UB_ROOT/scripts
tools=() features=()
if [ "$flavour" = bench ]; then
	tools=(bench) features=(--features ub-bench/rxe)
fi

"$scripts/setup.sh" "${tools[@]}"
say "== kernel ($flavour) =="
"$scripts/kernel.sh" build "$flavour"
kernel=$("$scripts/kernel.sh" dir "$flavour")
say "== modules =="
"$scripts/modules.sh" build "$flavour"
say "== user programs =="
"$scripts/user.sh" "${features[@]}"
say "== virtual machine =="
case $what in
vm) command=shell ;;
demo)
	command=demo
	# The clock of the machine counts instructions: figures that can be repeated.
	[ "$flavour" = debug ] || set -- --icount "$@" -- --icount
	;;
bench)
	command=bench
	[ "$flavour" != bench ] || set -- --kernel-module ib_uverbs --kernel-module rdma_rxe "$@"
	;;
*) die "usage: demo.sh demo|vm|bench" ;;
esac
status=0
"$scripts/vm.py" "$command" --kernel "$kernel" --modules "$UB_ROOT/build/$flavour" \
	--programs "$UB_ROOT/build/user/x86_64-unknown-linux-gnu/release" \
	--console "$UB_ROOT/build/$what-console.log" "$@" || status=$?
if [ "$what" = bench ] &&
	"$scripts/bench_chart.py" "$UB_ROOT/build/bench-console.log" "$UB_ROOT/build/bench.svg"; then
	say "a picture of the figures: build/bench.svg"
fi
exit "$status"
