#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks that Documentation/operations.rst keeps what it promises.

Each operation, flag, order and status of the user ABI has to be in it, each name
of the ABI in it has to exist, and each test that it names has to be one that
runs. Output is KTAP; the exit status is 0 if all passed.
"""

import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEADER = os.path.join(ROOT, "include/uapi/ub/uburma.h")
TABLE = os.path.join(ROOT, "Documentation/operations.rst")
PROGRAMS = os.path.join(ROOT, "user/ub-tests/src/bin")
LIST = os.path.join(ROOT, "selftests/vm/tests.list")

# What is to be in the table: names of the header that begin so.
KINDS = {
    "operations": r"UBURMA_OPC_\w+",
    "flags": r"UBURMA_JFS_WR_FLAG_\w+",
    "placements": r"UBURMA_PLACE_ORDER_\w+",
    "orders": r"UBURMA_ORDER_(?!CAP)\w+",
    "statuses": r"UBURMA_CR_(?!OPC_|FLAG_)\w+",
}
# A field's shift and mask are one name in the table.
FIELD = re.compile(r"_(SHIFT|MASK)$")


def read(path):
    """The text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def names(text, pattern, defined):
    """Names of a kind; in the header those that are defined."""
    if defined:
        found = re.findall(rf"^(?:#define\s+|\t)({pattern})\b(?=[\s=])", text, re.MULTILINE)
    else:
        found = re.findall(rf"\b{pattern}\b", text)
    return {FIELD.sub("", name) for name in found}


def tests_of(program):
    """The tests that a program runs."""
    path = os.path.join(PROGRAMS, f"{program}.rs")
    if not os.path.exists(path):
        return None
    source = read(path)
    listed = re.findall(r"\btests!\[([^\]]*)\]", source)
    return {name for group in listed for name in re.findall(r"\w+", group)
            if re.search(rf"^fn {name}\(", source, re.MULTILINE)}


def is_listed(program):
    """Whether 'make test' runs a program."""
    for line in read(LIST).splitlines():
        words = line.split("#", 1)[0].split()
        run = [word[4:].split(",")[0] for word in words if word.startswith("run=")]
        suites = {"test", "soak", "kobject"} & set(words)
        if words and (run or words[:1])[0] == program and (not suites or "test" in suites):
            return True
    return False


def check_kind(pattern):
    """What is wrong with the names of a kind."""
    header, table = names(read(HEADER), pattern, True), names(read(TABLE), pattern, False)
    if not header:
        return ["the header has none"]
    return ([f"{name} is not in the table" for name in sorted(header - table)]
            + [f"{name} is not in the header" for name in sorted(table - header)])


def check_tests():
    """What is wrong with the tests that are named."""
    found = re.findall(r"``(t-[\w-]+):\s+(\w+)``", read(TABLE))
    wrong = [] if found else ["no test is named"]
    for program, test in found:
        known = tests_of(program)
        if known is None:
            wrong.append(f"there is no {program}")
        elif test not in known:
            wrong.append(f"{program} has no test {test}")
        elif not is_listed(program):
            wrong.append(f"'make test' does not run {program}")
    return wrong


def check_rows():
    """Each row of a table ends with a test, or says that there is none."""
    rows = re.split(r"^   \* - ", read(TABLE), flags=re.MULTILINE)[1:]
    wrong = []
    for row in rows:
        row = re.split(r"\n(?! )", row)[0]
        last = re.split(r"^     - ", row, flags=re.MULTILINE)[-1].strip()
        if not last.startswith(("``t-", "(none)", "Proved by")):
            wrong.append(f"'{row.splitlines()[0]}' ends with '{last}'")
    return wrong if rows else ["there are no rows"]


def main():
    """Runs all checks."""
    checks = [(kind, lambda pattern=pattern: check_kind(pattern))
              for kind, pattern in KINDS.items()]
    checks += [("tests_exist_and_run", check_tests), ("rows_are_proved", check_rows)]
    print("KTAP version 1")
    print(f"1..{len(checks)}")
    failed = False
    for number, (name, check) in enumerate(checks, 1):
        wrong = check()
        for text in wrong:
            print(f"# {text}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
