#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs a command that speaks KTAP, on this machine, and judges it like those in the VM.

    ktap.py NAME RESULTS COMMAND...

Writes the counts to the file RESULTS, as vm.py does.
"""

import json
import subprocess
import sys
import time

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from ubvm import console, ktap
from ubvm.runner import Outcome, say


def main():
    """Runs the command of the command line."""
    name, results, *command = sys.argv[1:]
    program = console.Program(name)
    judge = console.Judge([program])
    start = time.monotonic()
    judge.user_line(f"{console.MARK}BEGIN {name}", 0.0)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            judge.user_line(line.rstrip("\n"), 0.0)
    # A shell's way to tell of a signal, which the judge knows.
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    judge.user_line(f"{console.MARK}END {name} {status} -", time.monotonic() - start)
    outcome = Outcome()
    outcome.programs.append(program)
    failures = outcome.failures()
    for what, why in failures:
        say(f"FAILED {what}")
        for line in why.splitlines():
            print(f"       {line}")
    passed = program.count(ktap.PASS)
    say(f"{name}: {passed} of {len(program.results)} passed")
    with open(results, "w", encoding="utf-8") as file:
        json.dump({"passed": passed, "failed": len(failures), "skipped": 0,
                   "failures": [what for what, _ in failures]}, file, indent=1)
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
