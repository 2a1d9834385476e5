# SPDX-License-Identifier: GPL-2.0
"""Judges what a guest says: the kernel on one serial line, programs on another.

The guest's init announces each program on both lines, so that results and kernel
messages are put down to the right one (ubvm/guest.py writes these marks).
"""

import re

from . import ktap

MARK = "@@UB "
_KERNEL_PREFIX = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?")

# Whatever the kernel prints when it has caught a fault. A page allocation failure
# is none: fault injection makes them, and its stack dumps hold none of these.
_SPLATS = re.compile("|".join((
    r"BUG: ", r"^WARNING: ", r"\bKASAN\b", r"KCSAN", r"UBSAN", r"\bOops\b", r"general protection",
    r"Kernel panic", r"kernel BUG at", r"unable to handle", r"possible circular",
    r"possible recursive", r"inconsistent lock", r"suspicious RCU usage", r"bad unlock balance",
    r"INFO: task .* blocked", r"INFO: .*detected stall", r"rcu: INFO: .*stall", r"refcount_t:",
    r"unreferenced object", r"soft lockup", r"hard LOCKUP", r"DEBUG_LOCKS_WARN", r"ODEBUG: ",
    r"list_(?:add|del) corruption", r"workqueue lockup", r"scheduling while atomic",
    r"rust_kernel: panicked", r"panicked at", r"Bad page state", r"double free",
    r"Objects remaining", r"leaked memory", r"VFS: Busy inodes",
)))
_BEFORE, _AFTER = 3, 15


class Splat:
    """A fault that the kernel reported, with the lines around it."""

    def __init__(self, where, lines):
        self.where = where
        self.lines = lines
        self.open = _AFTER


class Program:
    """One program of the guest's plan and what became of it."""

    def __init__(self, name, may_skip=False):
        self.name = name
        self.may_skip = may_skip
        self.began = None
        self.ended = None
        # Seconds of the host's CPUs that the machine used meanwhile.
        self.cpu = None
        self.results = []
        self.output = []

    def count(self, status):
        """How many results have this status."""
        return sum(1 for result in self.results if result.status == status)

    def fail(self, why):
        """Adds a failure of the program as a whole."""
        self.results.append(ktap.Result("", ktap.FAIL, why))


class Judge:
    """Follows one boot; the programs in `plan` are filled in as they run."""

    def __init__(self, plan):
        self.plan = {program.name: program for program in plan}
        self.splats = []
        self.done = False
        self.current = None
        self.booted = False
        self._parser = None
        # The same for the kernel's line, on which its own tests (KUnit) report.
        self._kernel_in = None
        self._kernel_parser = None
        self._recent = []

    # The programs' line.

    def user_line(self, line, now):
        """Takes a line of a program's or init's; returns an event for whoever looks on.

        An event is ("begin", program), ("end", program), ("result", Result),
        ("output", line) or None.
        """
        if line.startswith(MARK):
            return self._mark(line[len(MARK):].split(" "), now)
        if self.current is None:
            return ("output", line)
        self.current.output.append(line)
        result = self._parser.feed(line)
        return ("result", result) if result else ("output", line)

    def _mark(self, words, now):
        if words[0] == "INIT":
            self.booted = True
        elif words[0] == "DONE":
            self.done = True
        elif words[0] == "BEGIN" and len(words) > 1:
            self.current = self.plan.get(words[1]) or self._stranger(words[1])
            self.current.began = now
            self._parser = ktap.Parser()
            return ("begin", self.current)
        elif words[0] == "ABSENT" and len(words) > 2:
            program = self.plan.get(words[1]) or self._stranger(words[1])
            program.began = program.ended = now
            reason = "needs " + " ".join(words[2:]) + ", which this kernel does not have"
            program.results.append(ktap.Result("", ktap.SKIP, reason))
            self._judge_skips(program)
            return ("end", program)
        elif words[0] == "END" and len(words) > 3 and self.current is not None:
            return self._end(int(words[2]), words[3] == "late", now)
        return None

    def _stranger(self, name):
        program = Program(name)
        self.plan[name] = program
        return program

    def _end(self, status, late, now):
        program, parser = self.current, self._parser
        self.current = self._parser = None
        program.ended = now
        if parser.started or status == 0:
            parser.finish()
        program.results += parser.results
        self._judge_skips(program)
        failed = program.count(ktap.FAIL)
        if late:
            program.fail("timed out and was killed")
        elif status > 128:
            program.fail(f"was killed by signal {status - 128}")
        elif status in (126, 127) and not parser.started:
            program.fail("could not be started")
        elif status != 0 and failed == 0:
            program.fail(f"ended with status {status}")
        elif not program.results:
            program.fail("reported nothing")
        return ("end", program)

    @staticmethod
    def _judge_skips(program):
        if program.may_skip:
            return
        for result in program.results:
            if result.status == ktap.SKIP:
                result.status = ktap.FAIL
                result.why = f"skipped, which the list does not allow: {result.why}"

    # The kernel's line.

    def kernel_line(self, line):
        """Takes a line of the kernel's; returns the Splat that begins there, if any."""
        text = _KERNEL_PREFIX.sub("", line)
        begun = None
        if self.splats and self.splats[-1].open > 0:
            self.splats[-1].lines.append(line)
            self.splats[-1].open -= 1
        elif _SPLATS.search(text):
            begun = Splat(self._kernel_in, self._recent[-_BEFORE:] + [line])
            self.splats.append(begun)
        self._recent = (self._recent + [line])[-_BEFORE:]
        if text.startswith("ub-init: begin "):
            self._kernel_in = text[len("ub-init: begin "):].strip()
        elif text.startswith("ub-init: end "):
            self._finish_kernel_tests()
            self._kernel_in = None
        elif text.startswith(("KTAP version", "TAP version")):
            self._finish_kernel_tests()
            self._kernel_parser = ktap.Parser()
            self._kernel_parser.feed(text)
        elif self._kernel_parser is not None:
            self._kernel_parser.feed(text)
        return begun

    def _finish_kernel_tests(self):
        parser, self._kernel_parser = self._kernel_parser, None
        if parser is None:
            return
        parser.finish()
        program = self.plan.get("kunit") or self._stranger("kunit")
        program.began = program.ended = 0.0
        program.results += parser.results
        self._judge_skips(program)

    # The end.

    def finish(self, now, reason):
        """Ends the boot; `reason` is what the runner saw when it was not init's doing.

        Returns whether a program was running, which is then blamed.
        """
        self._finish_kernel_tests()
        program, parser = self.current, self._parser
        if program is None:
            return False
        self.current = self._parser = None
        program.ended = now
        program.results += parser.results
        self._judge_skips(program)
        program.fail(reason or "the machine stopped while it ran")
        return True

    def unfinished(self):
        """The programs that this boot did not come to, in order."""
        return [program for program in self.plan.values() if program.ended is None]
