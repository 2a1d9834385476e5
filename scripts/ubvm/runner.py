# SPDX-License-Identifier: GPL-2.0
"""Boots a machine for a plan of tests, follows it, and tells what came out."""

import copy
import os
import shutil
import tempfile
import threading
import time

from . import console, guest, ktap, qemu

# Beyond a program's own limit, which the guest enforces; then the guest hangs.
_GRACE = 30
# Seconds on an idle host; a busy one may take minutes.
_BOOT_LIMIT = 600
_STEP_LIMIT = 300
# A machine that crashes is started again for the tests that are left.
_MOST_BOOTS = 6
_HEARTBEAT = 15


def say(text):
    """One line of progress."""
    print(f"[ub] {text}", flush=True)


class Setup:
    """What stays the same over the boots of one run."""

    def __init__(self, options, accel, kernel_args):
        self.kernel = options.kernel
        self.modules = options.modules
        self.programs = options.programs
        self.load = options.load
        self.files = [tuple(entry.split(":", 1)) for entry in options.file]
        self.own = []
        for name in options.kernel_module:
            self.own += [path for path in guest.kernel_modules(options.kernel, name)
                         if path not in self.own]
        self.memory = options.memory
        self.cpus = options.cpus
        self.accel = accel
        self.kernel_args = kernel_args
        self.console = options.console
        self.scale = float(os.environ.get("UB_TIMEOUT_SCALE", "1"))
        # Set when somebody breaks off the run.
        self.broken_off = threading.Event()

    def arguments(self, kmemleak):
        """The kernel's arguments."""
        return self.kernel_args + (["kmemleak=on"] if kmemleak else [])

    def with_one_cpu(self):
        """The same for a machine with one CPU, whose console goes to a file of its own."""
        other = copy.copy(self)
        other.cpus = 1
        # Loading a hundred times waits for grace periods mostly. The other machine has
        # those of every day.
        other.kernel_args = self.kernel_args + ["rcupdate.rcu_expedited=1"]
        base, extension = os.path.splitext(self.console)
        other.console = f"{base}-one-cpu{extension}"
        return other


class Step:
    """One line of init's plan with the host's record of it."""

    def __init__(self, line, limit, may_skip=False):
        self.line = line
        self.limit = limit
        self.program = console.Program(line.split(" ", 1)[0], may_skip)


def plan_steps(entries, with_modules, kmemleak, scale):
    """The steps for some tests: those without modules first, then the others."""
    def step(entry):
        limit = max(1, round(entry.timeout * scale))
        return Step(entry.plan_line(limit), limit, entry.may_skip)

    def own(kind):
        limit = max(1, round(_STEP_LIMIT * scale))
        return Step(f"{kind} {limit} {kind} -", limit)

    steps = [step(entry) for entry in entries if entry.unloaded]
    if with_modules:
        steps.append(own("load"))
    steps += [step(entry) for entry in entries if not entry.unloaded]
    if with_modules:
        steps.append(own("unload"))
    if kmemleak:
        steps.append(own("kmemleak"))
    return steps


class Follower:
    """Follows one boot to its end and shows what happens meanwhile."""

    def __init__(self, setup, steps, show, kmemleak=False):
        self.setup = setup
        self.kmemleak = kmemleak
        self.steps = {step.program.name: step for step in steps}
        self.judge = console.Judge([step.program for step in steps])
        self.show = show
        # Whether a program was running when the machine stopped.
        self.blamed = False
        # What the machine had used of the host's CPUs when the program that runs began.
        self.spent = None

    def run(self, initrd, log):
        """Boots; returns the reason why the machine did not come to its end, or None."""
        setup = self.setup
        machine = qemu.Machine(setup.kernel, initrd, setup.accel, setup.memory, setup.cpus,
                               setup.arguments(self.kmemleak))
        boot = qemu.Boot(machine)
        started = time.monotonic()
        try:
            reason = self._follow(boot, log, started)
        finally:
            words = boot.stop()
        if words:
            log.write(f"qemu: {words}\n")
        if reason == "ended":
            reason = None if self.judge.done else "the machine stopped"
            if reason and self.judge.splats:
                reason = "the kernel crashed"
            if not self.judge.booted:
                reason = f"the machine did not boot {words}".strip()
        self.blamed = self.judge.finish(time.monotonic() - started, reason)
        if "kunit" in self.judge.plan:
            self.show.event(("end", self.judge.plan["kunit"]))
        return reason

    def _follow(self, boot, log, started):
        beat = started
        while True:
            lines = boot.lines(0.5)
            now = time.monotonic()
            if lines is None:
                boot.ended(10)
                return "ended"
            for serial, text in lines:
                log.write(text + "\n")
                self._line(boot, serial, text, now - started)
            if self.judge.done and boot.ended(0):
                continue
            overdue = self._overdue(now - started)
            if overdue:
                return overdue
            if self.judge.current is not None:
                beat = max(beat, started + self.judge.current.began)
            if now - beat >= _HEARTBEAT:
                beat = now
                self.show.waiting(self.judge, now - started, self.steps)

    def _line(self, boot, serial, text, now):
        if serial == 0:
            splat = self.judge.kernel_line(text)
            if splat is not None:
                self.show.splat(text)
            return
        event = self.judge.user_line(text, now)
        if event is None:
            return
        kind, what = event
        if kind == "begin":
            self.spent = boot.spent()
        elif kind == "end":
            spent = boot.spent()
            if spent is not None and self.spent is not None:
                what.cpu = spent - self.spent
        self.show.event(event)

    def _overdue(self, now):
        """Why the machine is to be stopped, if it is."""
        judge = self.judge
        if self.setup.broken_off.is_set():
            return "broken off"
        if judge.done:
            latest = max((program.ended or 0) for program in judge.plan.values())
            return "ended" if now - latest > _GRACE else None
        if not judge.booted:
            limit = _BOOT_LIMIT * self.setup.scale
            return f"the machine did not boot within {limit:.0f} s" if now > limit else None
        if judge.current is None:
            return None
        step = self.steps.get(judge.current.name)
        limit = (step.limit if step else _STEP_LIMIT) + _GRACE * self.setup.scale
        if now - judge.current.began > limit:
            return f"did not end within {limit:.0f} s, even when killed: the machine hangs"
        return None


class Outcome:
    """The results of all boots of a run."""

    def __init__(self, parts=()):
        self.programs = [program for part in parts for program in part.programs]
        self.splats = [splat for part in parts for splat in part.splats]

    def count(self, status):
        """How many results have this status; a splat is a failure."""
        extra = len(self.splats) if status == ktap.FAIL else 0
        return extra + sum(program.count(status) for program in self.programs)

    def failures(self):
        """(what, why) of everything that failed, in order."""
        found = []
        for program in self.programs:
            for result in program.results:
                if result.status == ktap.FAIL:
                    what = f"{program.name}: {result.name}" if result.name else program.name
                    found.append((what, result.why))
        for splat in self.splats:
            found.append((f"kernel, in {splat.where or 'boot'}", "\n".join(splat.lines)))
        return found


def run_machines(setup, entries, kmemleak, show):
    """Runs the tests in the one or two machines that the list asks for; returns an Outcome.

    Two machines work at the same time if this one has a CPU for each of them. Leaks are looked
    for in both (kmemleak is "all"), in that with one CPU ("one-cpu"), or in none.
    """
    single = [entry for entry in entries if entry.one_cpu]
    others = [entry for entry in entries if not entry.one_cpu]
    parts = [(setup, others, kmemleak == "all"),
             (setup.with_one_cpu(), single, kmemleak is not None)]
    parts = [part for part in parts if part[1]]
    outcomes = [None] * len(parts)

    def work(number):
        outcome = Outcome()
        try:
            outcome = run(*parts[number], show)
        except Exception as error:  # pylint: disable=broad-exception-caught
            program = console.Program("machine")
            program.fail(f"could not be run: {error}")
            outcome.programs.append(program)
        outcomes[number] = outcome

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(parts))]
    try:
        for thread in threads:
            thread.start()
            if (os.cpu_count() or 1) == 1:
                thread.join()
        for thread in threads:
            thread.join()
    except BaseException:
        setup.broken_off.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    return Outcome(outcomes)


def run(setup, entries, kmemleak, show):
    """Runs the tests in one machine, in as many boots as it takes; returns an Outcome."""
    outcome = Outcome()
    left = list(entries)
    programs = {name: os.path.join(setup.programs, name)
                for entry in entries for name in entry.programs()}
    absent = [name for name, path in programs.items() if not os.path.exists(path)]
    for entry in entries:
        gone = [name for name in entry.programs() if name in absent]
        if gone:
            program = console.Program(entry.name)
            program.fail(f"did not run: {', '.join(gone)} is not in {setup.programs}")
            outcome.programs.append(program)
            left.remove(entry)
    for name in absent:
        del programs[name]
    dynamic = {name for entry in left if entry.dynamic for name in entry.programs()}
    scratch = tempfile.mkdtemp(prefix="ub-vm-")
    try:
        with open(setup.console, "w", encoding="utf-8", buffering=1) as log:
            for number in range(_MOST_BOOTS):
                steps = plan_steps(left, bool(setup.load), kmemleak, setup.scale)
                initrd = os.path.join(scratch, "initrd.gz")
                guest.build(initrd, [step.line for step in steps], programs, setup.modules,
                            setup.load, setup.files, setup.own, dynamic)
                follower = Follower(setup, steps, show, kmemleak)
                reason = follower.run(initrd, log)
                remaining = _collect(outcome, follower, reason, left)
                stuck = len(remaining) == len(left)
                left = remaining
                # A machine that gets nowhere would get nowhere again.
                if reason is None or not left or stuck or setup.broken_off.is_set():
                    break
                if number + 1 < _MOST_BOOTS:
                    say(f"vm: {reason}: starting it again for the {len(left)} tests that are left")
                    log.write("\n--- the machine is started again ---\n\n")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for entry in left:
        program = console.Program(entry.name)
        program.fail("did not run")
        outcome.programs.append(program)
    return outcome


def _collect(outcome, follower, reason, left):
    """Takes over the results of one boot; returns the tests still to be run."""
    judge = follower.judge
    outcome.programs += [program for program in judge.plan.values() if program.ended is not None]
    outcome.splats += judge.splats
    if reason is None:
        # Init came to the end of its plan, so what has not run was left out by it.
        missed = judge.unfinished()
        for program in missed:
            program.fail("did not run")
        outcome.programs += missed
        return []
    if not follower.blamed:
        program = console.Program("machine")
        program.fail(reason)
        outcome.programs.append(program)
    ran = {program.name for program in judge.plan.values() if program.ended is not None}
    return [entry for entry in left if entry.name not in ran]
