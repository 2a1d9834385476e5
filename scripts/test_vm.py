#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the VM runner's own judgement: it must not call a bad run good."""

import argparse
import gzip
import os
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from ubvm import console, cpio, guest, ktap, runner, testlist


def parsed(text):
    """The results of a KTAP document."""
    parser = ktap.Parser()
    for line in text.strip("\n").split("\n"):
        parser.feed(line)
    parser.finish()
    return parser.results


def statuses(text):
    """Their statuses alone."""
    return [result.status for result in parsed(text)]


def judged(lines, names=("t",), may_skip=False, kernel=()):
    """A Judge that has seen these lines of programs and kernel."""
    judge = console.Judge([console.Program(name, may_skip) for name in names])
    for line in kernel:
        judge.kernel_line(line)
    for number, line in enumerate(lines):
        judge.user_line(line, float(number))
    judge.finish(99.0, None)
    return judge


def failed(judge, name="t"):
    """How many failures were put down to a program."""
    return judge.plan[name].count(ktap.FAIL)


GOOD = ["@@UB INIT", "@@UB BEGIN t", "KTAP version 1", "1..2", "ok 1 - a", "ok 2 - b", "",
        "@@UB END t 0 -", "@@UB DONE"]


class Ktap(unittest.TestCase):
    """The parser of KTAP."""

    def test_plain(self):
        self.assertEqual(parsed("KTAP version 1\n1..3\nok 1 - a b\nnot ok 2 - c\nok 3 - d # SKIP no"),
                         [ktap.Result("a b", "pass"), ktap.Result("c", "fail"),
                          ktap.Result("d", "skip", "no")])

    def test_no_plan(self):
        self.assertEqual(statuses("KTAP version 1\nok 1 - a"), ["pass", "fail"])

    def test_nothing(self):
        self.assertEqual(statuses("hello"), ["fail"])

    def test_plan_not_fulfilled(self):
        self.assertEqual(statuses("KTAP version 1\n1..3\nok 1 - a\nok 2 - b"),
                         ["pass", "pass", "fail"])

    def test_plan_exceeded(self):
        self.assertEqual(statuses("1..1\nok 1 - a\nok 2 - b"), ["pass", "pass", "fail"])

    def test_plan_at_the_end(self):
        self.assertEqual(statuses("KTAP version 1\nok 1 - a\n1..1"), ["pass"])

    def test_number_missing(self):
        self.assertEqual(statuses("1..3\nok 1 - a\nok 3 - c"), ["pass", "fail", "pass"])

    def test_number_twice(self):
        self.assertIn("fail", statuses("1..2\nok 1 - a\nok 1 - a"))

    def test_skip_all(self):
        self.assertEqual(parsed("KTAP version 1\n1..0 # SKIP no device"),
                         [ktap.Result("all", "skip", "no device")])

    def test_empty_plan(self):
        self.assertIn("fail", statuses("KTAP version 1\n1..0"))

    def test_bail_out(self):
        self.assertIn("fail", statuses("1..1\nok 1 - a\nBail out! broken"))

    def test_notes_explain_a_failure(self):
        self.assertEqual(parsed("1..1\n# got 3\nnot ok 1 - a")[0].why, "# got 3")

    def test_nested(self):
        text = """
KTAP version 1
1..2
    KTAP version 1
    # Subtest: one
    1..2
    ok 1 a
    ok 2 b
# one: pass:2 fail:0 skip:0 total:2
ok 1 one
    KTAP version 1
    # Subtest: two
    1..1
    not ok 1 c
not ok 2 two
"""
        self.assertEqual([(r.name, r.status) for r in parsed(text)],
                         [("a", "pass"), ("b", "pass"), ("c", "fail")])

    def test_parent_fails_alone(self):
        self.assertEqual(statuses("1..1\n    1..1\n    ok 1 a\nnot ok 1 suite"), ["pass", "fail"])

    def test_nested_plan_not_fulfilled(self):
        self.assertEqual(statuses("1..1\n    1..2\n    ok 1 a\nok 1 suite"), ["pass", "fail"])


class Programs(unittest.TestCase):
    """What becomes of programs."""

    def test_good(self):
        judge = judged(GOOD)
        self.assertEqual(failed(judge), 0)
        self.assertEqual(judge.plan["t"].count(ktap.PASS), 2)
        self.assertTrue(judge.done and judge.booted)
        self.assertEqual(judge.unfinished(), [])

    def test_status_counts(self):
        self.assertEqual(failed(judged(GOOD[:-2] + ["@@UB END t 1 -"])), 1)

    def test_status_of_a_failed_test_counts_once(self):
        lines = [line.replace("ok 2", "not ok 2") for line in GOOD]
        lines[-2] = "@@UB END t 1 -"
        self.assertEqual(failed(judged(lines)), 1)

    def test_signal(self):
        judge = judged(["@@UB BEGIN t", "KTAP version 1", "1..2", "ok 1 - a", "@@UB END t 139 -"])
        self.assertEqual(failed(judge), 2)
        self.assertIn("signal 11", judge.plan["t"].results[-1].why)

    def test_timeout(self):
        judge = judged(["@@UB BEGIN t", "1..1", "ok 1 - a", "@@UB END t 137 late"])
        self.assertIn("timed out", judge.plan["t"].results[-1].why)

    def test_silence(self):
        self.assertEqual(failed(judged(["@@UB BEGIN t", "@@UB END t 0 -"])), 1)

    def test_not_started(self):
        self.assertEqual(failed(judged(["@@UB BEGIN t", "not found", "@@UB END t 127 -"])), 1)

    def test_never_came(self):
        self.assertEqual([p.name for p in judged(GOOD, ("t", "u")).unfinished()], ["u"])

    def test_machine_stops_within(self):
        self.assertEqual(failed(judged(GOOD[:5])), 1)

    def test_skip_is_failure(self):
        lines = [line.replace("- b", "- b # SKIP no") for line in GOOD]
        self.assertEqual(failed(judged(lines)), 1)
        judge = judged(lines, may_skip=True)
        self.assertEqual((failed(judge), judge.plan["t"].count(ktap.SKIP)), (0, 1))

    def test_absent(self):
        self.assertEqual(failed(judged(["@@UB ABSENT t /sys/x"])), 1)
        self.assertEqual(failed(judged(["@@UB ABSENT t /sys/x"], may_skip=True)), 0)

    def test_program_may_say_bug(self):
        self.assertEqual(judged(GOOD[:3] + ["BUG: that I print myself"] + GOOD[3:]).splats, [])


class Kernel(unittest.TestCase):
    """What the kernel says."""

    def test_faults(self):
        for text in ("BUG: KASAN: slab-use-after-free in x+0x1/0x2", "WARNING: CPU: 0 PID: 1 at x",
                     "WARNING: possible circular locking dependency detected",
                     "WARNING: suspicious RCU usage", "INFO: task sh:1 blocked for more than 60 s",
                     "rcu: INFO: rcu_preempt self-detected stall on CPU",
                     "refcount_t: underflow; use-after-free.", "Oops: 0000 [#1] SMP KASAN",
                     "Kernel panic - not syncing: x", "watchdog: BUG: soft lockup - CPU#0",
                     "unreferenced object 0xffff (size 8):", "DEBUG_LOCKS_WARN_ON(x)",
                     "general protection fault, probably for non-canonical address",
                     "ODEBUG: free active (active state 0) object", "inconsistent lock state",
                     "rust_kernel: panicked at ubcore/x.rs:1:2:"):
            with self.subTest(text):
                judge = judged([], kernel=["[    1.0] ub-init: begin t", f"[    2.123456] {text}"])
                self.assertEqual([splat.where for splat in judge.splats], ["t"])

    def test_no_faults(self):
        for text in ("t-x: page allocation failure: order:0, mode:0x0", "kasan: initialized",
                     "FAULT_INJECTION: forcing a failure.", "Call Trace:", " kasan_save_stack+0x1/0x2",
                     "Spectre V2 : WARNING: Unprivileged eBPF", "kmemleak: Kernel memory leak detector"):
            with self.subTest(text):
                self.assertEqual(judged([], kernel=[f"[    2.123456] {text}"]).splats, [])

    def test_context(self):
        lines = [f"[    1.{i:06}] line {i}" for i in range(40)]
        lines[10] = "[    1.000010] BUG: it is"
        judge = judged([], kernel=lines)
        self.assertEqual(len(judge.splats), 1)
        self.assertEqual(judge.splats[0].lines, lines[7:26])

    def test_kunit(self):
        kernel = ["[    1.0] ub-init: begin load", "[    1.1] KTAP version 1", "[    1.1] 1..1",
                  "[    1.1]     KTAP version 1", "[    1.1]     # Subtest: s", "[    1.1]     1..2",
                  "[    1.1]     ok 1 a", "[    1.1]     not ok 2 b", "[    1.1] not ok 1 s",
                  "[    1.2] KTAP version 1", "[    1.2] 1..1", "[    1.2]     1..1",
                  "[    1.2]     ok 1 c", "[    1.2] ok 1 r", "[    1.3] ub-init: end load"]
        program = judged([], kernel=kernel).plan["kunit"]
        self.assertEqual([(r.name, r.status) for r in program.results],
                         [("a", "pass"), ("b", "fail"), ("c", "pass")])

    def test_kunit_breaks_off(self):
        judge = judged([], kernel=["[    1.1] KTAP version 1", "[    1.1] 1..1"])
        self.assertEqual(judge.plan["kunit"].count(ktap.FAIL), 1)


class Lists(unittest.TestCase):
    """The list of tests and the archive."""

    def test_list(self):
        text = "# c\nt-a 60\nt-b 5 user may-skip soak run=t-x,--n,3 needs=/sys/x with=u,v # d\n"
        a, b = testlist.parse(text)
        self.assertEqual((a.plan_line(60), a.suites), ("t-a 60 root - t-a", {"test"}))
        self.assertEqual(b.plan_line(7), "t-b 7 user /sys/x t-x --n 3")
        self.assertEqual((b.suites, b.may_skip, b.programs()), ({"soak"}, True, ["t-x", "u", "v"]))
        self.assertEqual([e.one_cpu for e in testlist.parse("t-a 1\nt-b 2 one-cpu")], [False, True])
        self.assertEqual([e.dynamic for e in testlist.parse("t-a 1\nt-b 2 dynamic")], [False, True])

    def test_bad_lists(self):
        for text in ("t-a", "t-a x", "t-a 0", "t-a 5 what", "t-a 5\nt-a 6"):
            with self.subTest(text), self.assertRaises(testlist.BadList):
                testlist.parse(text)

    def test_the_list(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "../selftests/vm/tests.list")
        with open(path, encoding="utf-8") as file:
            testlist.parse(file.read())

    def test_archive(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "a.gz")
            archive = cpio.Archive(path)
            archive.data("etc/x", b"12345")
            archive.close()
            with gzip.open(path) as file:
                data = file.read()
        self.assertEqual(len(data) % 4, 0)
        self.assertTrue(data.startswith(b"070701"))
        # The directory comes before what is in it.
        self.assertLess(data.index(b"etc\0"), data.index(b"etc/x\0"))
        self.assertIn(b"TRAILER!!!", data)


class Links(unittest.TestCase):
    """Programs of several names in the initramfs."""

    def test_a_program_of_many_names_is_there_once(self):
        with tempfile.TemporaryDirectory() as scratch:
            programs = {}
            for name in ("all", "other"):
                programs[name] = os.path.join(scratch, name)
                with open(programs[name], "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n")
            for name in ("t-a", "t-b"):
                programs[name] = os.path.join(scratch, name)
                os.symlink("all", programs[name])
            del programs["all"]
            archive = unittest.mock.Mock()
            guest._add_programs(archive, programs, scratch)  # pylint: disable=protected-access
        files = [call.args[0] for call in archive.file.call_args_list]
        self.assertEqual(files, ["tests/other", "tests/t-a"])
        archive.symlink.assert_called_once_with("tests/t-b", "t-a")


class KernelModules(unittest.TestCase):
    """Modules of the kernel itself."""

    def found(self, name, depends):
        """The file names for a module, by a modinfo that knows `depends`."""
        def modinfo(command, **_):
            module = os.path.basename(command[-1])[:-3]
            return argparse.Namespace(stdout=",".join(depends.get(module, [])) + "\n")

        with tempfile.TemporaryDirectory() as kernel:
            with open(os.path.join(kernel, "modules.order"), "w", encoding="utf-8") as file:
                file.write("a/one.o\nb/two-x.o\nb/three.o\n")
            with unittest.mock.patch.object(guest.subprocess, "run", modinfo):
                return [os.path.relpath(path, kernel)
                        for path in guest.kernel_modules(kernel, name)]

    def test_what_it_needs_comes_first(self):
        depends = {"one": ["two_x", "three"], "two-x": ["three"]}
        self.assertEqual(self.found("one", depends), ["b/three.ko", "b/two-x.ko", "a/one.ko"])

    def test_absent(self):
        with self.assertRaises(guest.Missing):
            self.found("four", {})


class Libraries(unittest.TestCase):
    """What dynamic programs need."""

    LISTED = ("\tlinux-vdso.so.1 (0x00007ffd)\n"
              "\tlibown.so.0 => not found\n"
              "\tlibc.so.6 => /lib/x/libc.so.6 (0x00007ff4)\n"
              "\t/lib64/ld-linux.so.2 (0x00007ff5)\n")

    def found(self, own, status=0):
        """The files for a program of which ldd says the above."""
        def ldd(*_, **__):
            return argparse.Namespace(stdout=self.LISTED, stderr="bad\n", returncode=status)

        with unittest.mock.patch.object(guest.subprocess, "run", ldd):
            return guest.libraries("/x/program", own)

    def test_files(self):
        self.assertEqual(self.found({"libown.so.0"}), {"/lib/x/libc.so.6", "/lib64/ld-linux.so.2"})

    def test_missing(self):
        with self.assertRaises(guest.Missing):
            self.found(set())
        with self.assertRaises(guest.Missing):
            self.found({"libown.so.0"}, status=1)


class Machines(unittest.TestCase):
    """The tests of a run and the machines that run them."""

    def outcome(self, text, machine, kmemleak=None):
        """What comes out of a list when `machine` stands for runner.run()."""
        options = argparse.Namespace(kernel="", modules="", programs="", load=[], file=[],
                                     kernel_module=[],
                                     memory=1, cpus=2, console="/x/console.log")
        setup = runner.Setup(options, "tcg", [])
        with unittest.mock.patch.object(runner, "run", machine):
            return runner.run_machines(setup, testlist.parse(text), kmemleak, None)

    def test_each_test_runs_once(self):
        seen = {}

        def machine(setup, entries, _kmemleak, _show):
            seen[setup.cpus, setup.console] = [entry.name for entry in entries]
            return judged_outcome(len(entries))

        outcome = self.outcome("t-a 5\nt-b 5 one-cpu\nt-c 5", machine)
        self.assertEqual(seen, {(2, "/x/console.log"): ["t-a", "t-c"],
                                (1, "/x/console-one-cpu.log"): ["t-b"]})
        self.assertEqual(outcome.count(ktap.PASS), 3)

    def test_leaks_are_looked_for_where_told(self):
        for kmemleak, due in ((None, {2: False, 1: False}), ("one-cpu", {2: False, 1: True}),
                              ("all", {2: True, 1: True})):
            seen = {}

            def machine(setup, _entries, kmemleak, _show, seen=seen):
                seen[setup.cpus] = kmemleak
                self.assertEqual("kmemleak=on" in setup.arguments(kmemleak), kmemleak)
                return judged_outcome(1)

            self.outcome("t-a 5\nt-b 5 one-cpu", machine, kmemleak)
            self.assertEqual(seen, due)

    def test_no_machine_without_tests(self):
        seen = []

        def machine(setup, *_):
            seen.append(setup.cpus)
            return judged_outcome(1)

        self.outcome("t-b 5 one-cpu", machine)
        self.assertEqual(seen, [1])

    def test_a_machine_that_fails_is_a_failure(self):
        def machine(setup, *_):
            if setup.cpus == 1:
                raise OSError("no QEMU")
            return judged_outcome(1)

        outcome = self.outcome("t-a 5\nt-b 5 one-cpu", machine)
        self.assertEqual((outcome.count(ktap.PASS), outcome.count(ktap.FAIL)), (1, 1))


def judged_outcome(passed):
    """An outcome with so many passed tests."""
    outcome = runner.Outcome()
    program = console.Program("t")
    program.results += [ktap.Result(str(number), ktap.PASS) for number in range(passed)]
    outcome.programs.append(program)
    return outcome


if __name__ == "__main__":
    unittest.main()
