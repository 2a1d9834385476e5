#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs test programs, the demo or a shell in a QEMU machine with the modules.

    vm.py run    the tests of selftests/vm/tests.list, or those named by --test
    vm.py shell  a shell in the machine, the modules loaded
    vm.py demo   the demo program, its output alone
    vm.py bench  the measuring program; time is counted in guest instructions
    vm.py kvm    tells whether KVM is of use here
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from ubvm import guest, ktap, qemu, runner, testlist
from ubvm.runner import say

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.environ.get("UB_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ub-urma")
LOAD = ["ubcore", "uburma", "ubsoft"]


class Show:
    """What a person sees of a run of tests."""

    def __init__(self, verbose):
        self.verbose = verbose
        # When the test before the one that is shown ended.
        self.last = time.monotonic()

    def event(self, event):
        """A program began, ended, printed something or completed a result."""
        kind, what = event
        if kind == "end":
            self._ended(what)
        elif self.verbose and kind == "output" and what:
            print(f"    {what}", flush=True)
        elif self.verbose and kind == "result":
            now = time.monotonic()
            print(f"    {what.status}: {what.name} ({now - self.last:.1f} s) {what.why}".rstrip(),
                  flush=True)
        if kind in ("begin", "result"):
            self.last = time.monotonic()

    @staticmethod
    def _ended(program):
        taken = (program.ended or 0) - (program.began or 0)
        text = f"vm: {program.name}: {program.count(ktap.PASS)} of {len(program.results)} passed"
        skipped = program.count(ktap.SKIP)
        if skipped:
            text += f", {skipped} skipped as the list allows"
        # The second number tells the same on a busy host as on an idle one.
        cpu = f", {program.cpu:.1f} s of CPUs" if program.cpu is not None else ""
        say(f"{text} ({taken:.1f} s{cpu})")
        for result in program.results:
            if result.status == ktap.FAIL:
                why = f" ({result.why.splitlines()[-1]})" if result.why else ""
                say(f"vm:   FAILED {result.name or program.name}{why}")

    @staticmethod
    def splat(line):
        """The kernel reported a fault."""
        say(f"vm: KERNEL FAULT: {line.strip()}")

    @staticmethod
    def waiting(judge, now, steps):
        """Nothing was to be told for a while."""
        if judge.current is None:
            say(f"vm: booting for {now:.0f} s")
            return
        step = steps.get(judge.current.name)
        limit = f" of at most {step.limit} s" if step else ""
        spent = now - judge.current.began
        say(f"vm: {judge.current.name}: running for {spent:.0f} s{limit}, "
            f"{len(judge.current.output)} lines so far")


class Stream(Show):
    """What a person sees of the demo: the program's own words."""

    def __init__(self, name):
        super().__init__(False)
        self.name = name
        self.inside = False
        self.blank = 0

    def event(self, event):
        kind, what = event
        if kind == "begin":
            self.inside = what.name == self.name
        elif kind == "end":
            self.inside = False
            if what.name != self.name and what.count(ktap.FAIL):
                self._ended(what)
        elif kind == "output" and self.inside and not what:
            # The mark that ends a program has an empty line before it.
            self.blank += 1
        elif kind == "output" and self.inside:
            print("\n" * self.blank + what, flush=True)
            self.blank = 0
        elif kind == "result" and self.inside:
            print(f"{'ok' if what.status == ktap.PASS else what.status}: {what.name}", flush=True)

    @staticmethod
    def waiting(judge, now, steps):
        if judge.current is None:
            say(f"booting for {now:.0f} s")


def kernel_args(options):
    """Kernel arguments beyond those that every machine has."""
    args = ["loglevel=5"]
    if options.command == "run":
        args += ["panic_on_warn=1", "kunit.enable=1", "kunit.autorun=1"]
    return args + options.arg


def has_kasan(kernel):
    """Whether this is a debug kernel, which needs more memory."""
    try:
        with open(os.path.join(kernel, ".config"), encoding="utf-8") as file:
            return "CONFIG_KASAN=y\n" in file.read()
    except OSError:
        return False


def prepare(options):
    """Checks what the options name and fills in what they leave open."""
    if shutil.which(qemu.QEMU) is None:
        sys.exit(f"[ub] error: {qemu.QEMU} is missing: run 'make setup'")
    image = os.path.join(options.kernel, "arch/x86/boot/bzImage")
    if not os.path.exists(image):
        sys.exit(f"[ub] error: {image} is missing: build the kernel with 'scripts/kernel.sh build'")
    if options.memory is None:
        # Where less than 512 MiB are left, the kernel makes no huge pages.
        options.memory = 1536 if has_kasan(options.kernel) else 1024
    if options.load is None:
        options.load = LOAD if options.modules else []
    options.load = [entry for entry in options.load if entry]
    accel = options.accel
    if options.icount or options.command == "bench":
        accel = "icount"
    elif accel == "auto":
        accel = "kvm" if qemu.kvm_usable(options.kernel, CACHE) else "tcg"
    if options.console is None:
        options.console = os.path.join(ROOT, "build", "console.log")
    os.makedirs(os.path.dirname(os.path.abspath(options.console)), exist_ok=True)
    return runner.Setup(options, accel, kernel_args(options))


def chosen_tests(options):
    """The entries of the list that this run is to take."""
    with open(options.list, encoding="utf-8") as file:
        entries = testlist.parse(file.read())
    if options.test:
        names = {entry.name: entry for entry in entries}
        return [names.get(name) or testlist.Entry(name, options.timeout or 60)
                for name in options.test]
    # A soak looks for leaks in what 'make test' runs without.
    return [entry for entry in entries if options.suite in entry.suites
            or (options.suite == "soak" and "test" in entry.suites and not entry.one_cpu)]


def run(options):
    """Runs tests; the exit status tells whether all passed."""
    setup = prepare(options)
    entries = chosen_tests(options)
    if options.timeout:
        for entry in entries:
            entry.timeout = options.timeout
    say(f"vm: {len(entries)} programs, {setup.accel}, {setup.memory} MiB; "
        f"console in {setup.console}")
    show = Show(options.verbose)
    if options.test:
        outcome = runner.run(setup, entries, options.kmemleak is not None, show)
    else:
        outcome = runner.run_machines(setup, entries, options.kmemleak, show)
    failures = outcome.failures()
    for what, why in failures:
        say(f"FAILED {what}")
        for line in why.splitlines():
            print(f"       {line}")
    counts = {status: outcome.count(status) for status in (ktap.PASS, ktap.FAIL, ktap.SKIP)}
    say(f"vm: {counts[ktap.PASS]} of {sum(counts.values())} passed"
        + (f", {counts[ktap.SKIP]} skipped as the list allows" if counts[ktap.SKIP] else ""))
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            json.dump({"passed": counts[ktap.PASS], "failed": counts[ktap.FAIL],
                       "skipped": counts[ktap.SKIP], "failures": [what for what, _ in failures],
                       "seconds": {program.name: [round((program.ended or 0)
                                                        - (program.began or 0), 1), program.cpu]
                                   for program in outcome.programs}},
                      file, indent=1)
    return 0 if counts[ktap.FAIL] == 0 and counts[ktap.PASS] > 0 else 1


def stream(options):
    """Runs one program and shows its output as it comes."""
    setup = prepare(options)
    program = {"demo": "ub-demo", "bench": "ub-bench"}[options.command]
    if options.test:
        program = options.test[0]
    entry = testlist.Entry(program, options.timeout or 1800)
    entry.command += options.arguments
    say(f"booting ({setup.accel}); what the kernel says goes to {setup.console}")
    outcome = runner.run(setup, [entry], False, Stream(program))
    # Such a program need not speak KTAP: its exit status tells.
    bad = [(what, why) for what, why in outcome.failures()
           if why != "the program printed no plan (1..N)"]
    for what, why in bad:
        say(f"FAILED {what}: {why}")
    return 1 if bad else 0


def shell(options):
    """Boots a machine whose console is this terminal."""
    setup = prepare(options)
    scratch = tempfile.mkdtemp(prefix="ub-vm-")
    try:
        initrd = os.path.join(scratch, "initrd.gz")
        programs = {}
        if setup.programs and os.path.isdir(setup.programs):
            for name in sorted(os.listdir(setup.programs)):
                path = os.path.join(setup.programs, name)
                if (os.path.isfile(path) and os.access(path, os.X_OK) and "." not in name
                        and guest.is_static(path)):
                    programs[name] = path
        guest.build(initrd, [], programs, setup.modules, setup.load, setup.files, setup.own)
        args = setup.kernel_args + ["ub.shell", f"TERM={os.environ.get('TERM', 'linux')}"]
        machine = qemu.Machine(setup.kernel, initrd, setup.accel, setup.memory, setup.cpus, args)
        say("booting; Ctrl-A X ends the machine")
        return subprocess.call(machine.command(["-serial", "mon:stdio"]))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def kvm(options):
    """Tells whether KVM is of use; the exit status too."""
    usable = qemu.kvm_usable(options.kernel, CACHE)
    print("KVM works here" if usable else "KVM does not run this kernel here: QEMU emulates")
    return 0 if usable else 1


def parse_options():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "shell", "demo", "bench", "kvm"))
    add = parser.add_argument
    add("--kernel", required=True, metavar="DIR", help="a kernel's build directory")
    add("--modules", metavar="DIR", help="where the .ko files are; none: load nothing")
    add("--programs", default="", metavar="DIR", help="where the static programs are")
    add("--list", default=os.path.join(ROOT, "selftests/vm/tests.list"), metavar="FILE")
    add("--suite", default="test", choices=("test", "soak", "kobject"))
    add("--test", action="append", metavar="NAME", help="run this one; may be repeated")
    add("--timeout", type=int, metavar="S", help="for each test, instead of the list's")
    add("--load", action="append", metavar="'MODULE [PARAM=VALUE]'",
        help="module to load, in order (default: ubcore, uburma, ubsoft); '' for none")
    add("--kernel-module", action="append", default=[], metavar="NAME",
        help="a module of the kernel itself to load first, with all that it needs")
    add("--file", action="append", default=[], metavar="HOST:GUEST", help="put a file into it")
    add("--arg", action="append", default=[], metavar="ARG", help="kernel argument")
    add("--memory", type=int, metavar="MIB")
    add("--cpus", type=int, default=2)
    add("--accel", default="auto", choices=("auto", "tcg", "kvm"))
    add("--icount", action="store_true", help="guest time counts instructions")
    add("--kmemleak", nargs="?", const="all", choices=("all", "one-cpu"),
        help="look for leaks at the end (debug kernel): in all machines unless told otherwise")
    add("--console", metavar="FILE", help="all that the machine says")
    add("--results", metavar="FILE", help="the counts, as JSON")
    add("--verbose", "-v", action="store_true", help="show what the programs print")
    parser.epilog = "What follows '--' are arguments for the demo or bench program."
    ours, theirs = sys.argv[1:], []
    if "--" in ours:
        cut = ours.index("--")
        ours, theirs = ours[:cut], ours[cut + 1:]
    options = parser.parse_args(ours)
    options.arguments = theirs
    return options


def main():
    """Runs a command; what is missing is told in a sentence."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse_options()
    actions = {"run": run, "shell": shell, "demo": stream, "bench": stream, "kvm": kvm}
    try:
        return actions[options.command](options)
    except (guest.Missing, testlist.BadList, OSError) as error:
        say(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
