#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All tests, from nothing. The last line is "N passed, N failed", over everything;
# the exit status is 0 only if something ran and nothing failed.
#
#   test.sh           'make test'
#   test.sh soak      the long hostile runs alone, on the debug kernel
#   test.sh kobject   the short run on the kernel with delayed releases

. "$(dirname "$0")/lib.sh"

BUILD=$UB_ROOT/build
SCRIPTS=$UB_ROOT/scripts
PROGRAMS=$BUILD/user/x86_64-unknown-linux-gnu/release
PASSED=0
FAILED=0
FAILURES=()
# The process of the virtual machine, while there is one.
VM=

# failure TEXT: counts one, to be repeated at the end.
failure() {
	FAILED=$((FAILED + 1))
	FAILURES+=("$1")
	say "FAILED $1"
}

# The one closing line, whatever happened.
finish() {
	local text
	trap - EXIT
	# What still works beside.
	[ -z "$VM" ] || kill "$VM" 2>/dev/null || true
	wait
	if [ "$PASSED" -eq 0 ] && [ "$FAILED" -eq 0 ]; then
		failure "no test ran"
	fi
	if [ ${#FAILURES[@]} -ne 0 ]; then
		say "what failed:"
		for text in "${FAILURES[@]}"; do
			say "  $text"
		done
	fi
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ] || exit 1
	exit 0
}
trap 'failure "the run was broken off"; finish' EXIT
trap 'exit 1' INT TERM HUP

# needed WHAT COMMAND...: a step without which nothing that follows makes sense.
needed() {
	local what=$1
	shift
	"$@" || {
		failure "$what"
		finish
	}
}

# count_cargo WHAT LOG STATUS: adds up what cargo's test programs reported.
count_cargo() {
	local what=$1 log=$2 status=$3 passed failed name named=0
	read -r passed failed < <(awk '/^test result: / { p += $4; f += $6 } END { print p + 0, f + 0 }' "$log")
	PASSED=$((PASSED + passed))
	while read -r name; do
		failure "$what: $name"
		named=$((named + 1))
	done < <(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log")
	for (( ; named < failed; named++)); do
		failure "$what: a test, see $log"
	done
	if [ "$status" -ne 0 ]; then
		tail -n "${UB_LOG_LINES:-60}" "$log"
		[ "$failed" -ne 0 ] || failure "$what: cargo test ended with status $status, see $log"
	elif [ "$passed" -eq 0 ]; then
		failure "$what: no test ran, see $log"
	fi
	say "$what: $passed of $((passed + failed)) passed"
}

# cargo_test DIRECTORY [OPTION...]: 'cargo test' for a crate or workspace, on this machine.
cargo_test() {
	local dir=$1 locked=()
	shift
	[ ! -e "$UB_ROOT/$dir/Cargo.lock" ] || locked=(--locked)
	CARGO_TARGET_DIR=$BUILD/host-tests CARGO_TERM_COLOR=never CARGO_PROFILE_DEV_DEBUG=0 \
		cargo test --no-fail-fast --workspace --manifest-path "$UB_ROOT/$dir/Cargo.toml" \
		"${locked[@]}" "$@"
}

# cargo_tests WHAT DIRECTORY [OPTION...]: the tests of a crate or workspace.
cargo_tests() {
	local what=$1 dir=$2 log=$BUILD/${2//\//-}.log status=0
	shift 2
	if [ ! -e "$UB_ROOT/$dir/Cargo.toml" ]; then
		failure "$what: there is no $dir/Cargo.toml"
		return
	fi
	wait_progress "$what" "10 to 90 s" "$log" cargo_test "$dir" "$@" || status=$?
	count_cargo "$what" "$log" "$status"
}

# The runner that judges the other tests is tested itself.
runner_tests() {
	local log=$BUILD/test_vm.log status=0 ran failed
	python3 "$SCRIPTS/test_vm.py" >"$log" 2>&1 || status=$?
	ran=$(sed -n 's/^Ran \([0-9]*\) tests\? in .*/\1/p' "$log")
	failed=$(grep -cE '^(FAIL|ERROR): ' "$log" || true)
	if [ "$status" -ne 0 ] || [ "${ran:-0}" -eq 0 ]; then
		tail -n 60 "$log"
		[ "$failed" -ne 0 ] || failed=1
		failure "VM runner: $failed of its own tests, see $log"
	fi
	[ "${ran:-0}" -lt "$failed" ] || PASSED=$((PASSED + ${ran:-0} - failed))
	say "VM runner: $((${ran:-0} - failed)) of ${ran:-0} passed"
}

# count_results WHAT RESULTS STATUS: adds up a results file of vm.py or ktap.py.
count_results() {
	local what=$1 results=$2 status=$3 text passed failed
	if [ ! -e "$results" ]; then
		failure "$what: ended with status $status and no results"
		return
	fi
	read -r passed failed < <(python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); print(r["passed"], r["failed"])' "$results")
	PASSED=$((PASSED + passed))
	while read -r text; do
		[ -z "$text" ] || failure "$what: $text"
	done < <(python3 -c 'import json, sys
print("\n".join(json.load(open(sys.argv[1]))["failures"]))' "$results")
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		failure "$what: ended with status $status"
	fi
}

# ktap_test NAME FILE: a KTAP program in Python, on this machine.
ktap_test() {
	local results=$BUILD/$1.json status=0
	rm -f "$results"
	"$SCRIPTS/ktap.py" "$1" "$results" python3 -B "$UB_ROOT/$2" || status=$?
	count_results host "$results" "$status"
}

# A test program that nobody lists would never run, and nobody would notice.
check_listed() {
	local source name
	for source in "$UB_ROOT"/user/*/src/bin/t-*.rs; do
		name=$(basename "$source" .rs)
		[ ! -e "$source" ] || grep -qE "^[^#]*\b$name\b" "$UB_ROOT/selftests/vm/tests.list" ||
			failure "$name is in user/ and not in selftests/vm/tests.list"
	done
	for source in $(grep -rl '#\[test\]' "$UB_ROOT"/user/ub-tests/src/bin "$UB_ROOT"/user/ub-bench/src); do
		failure "$source has tests, and programs are not tested on this machine"
	done
}

# start_vm FLAVOUR SUITE [OPTION...]: begins with the list's programs of a suite.
start_vm() {
	local flavour=$1 suite=$2 kernel
	shift 2
	VM_RESULTS=$BUILD/vm-$suite.json
	kernel=$("$SCRIPTS/kernel.sh" dir "$flavour")
	rm -f "$VM_RESULTS"
	"$SCRIPTS/vm.py" run --kernel "$kernel" --modules "$BUILD/$flavour" --programs "$PROGRAMS" \
		--suite "$suite" --console "$BUILD/vm-$suite-console.log" --results "$VM_RESULTS" "$@" &
	VM=$!
}

# finish_vm: waits for their end.
finish_vm() {
	local status=0
	wait "$VM" || status=$?
	VM=
	count_results VM "$VM_RESULTS" "$status"
}

# build_for FLAVOUR [COMMAND...]: kernel, modules and programs; then COMMAND. The crates of
# the modules wait for each other, so a CPU is left for the others.
build_for() {
	local flavour=$1 modules
	shift
	say "== kernel ($flavour) =="
	needed "the $flavour kernel could not be built" "$SCRIPTS/kernel.sh" build "$flavour"
	say "== modules and programs =="
	"$SCRIPTS/modules.sh" build "$flavour" &
	modules=$!
	needed "the user programs do not build" "$SCRIPTS/user.sh"
	[ $# -eq 0 ] || "$@"
	needed "the modules do not build for the $flavour kernel" wait "$modules"
}

# What the tests on this machine are made of; the tests tell of errors.
build_host_tests() {
	wait_progress "building the host tests" "20 to 60 s" "$BUILD/host-tests.log" \
		cargo_test selftests/host --no-run || true
}

host_tests() {
	say "== host tests =="
	runner_tests
	cargo_tests "pure logic" selftests/host
	cargo_tests "user library" user --tests
	ktap_test abi-c selftests/abi/check_c.py
	ktap_test operations selftests/abi/check_operations.py
	cargo_tests "ABI in Rust" selftests/abi/rust
}

mkdir -p "$BUILD"
suite=${1:-test}
say "== set-up =="
needed "the set-up failed" "$SCRIPTS/setup.sh"
case $suite in
test)
	check_listed
	build_for debug build_host_tests
	say "== tests in the virtual machine, and beside it =="
	start_vm debug test --kmemleak=one-cpu
	# The machine waits often enough for this.
	host_tests
	finish_vm
	;;
soak)
	build_for debug
	say "== soak in the virtual machine =="
	start_vm debug soak --kmemleak
	finish_vm
	;;
kobject)
	build_for kobject
	say "== delayed releases in the virtual machine =="
	start_vm kobject kobject
	finish_vm
	;;
*) die "usage: test.sh [soak|kobject]" ;;
esac
finish
