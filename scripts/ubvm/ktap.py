# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP, the kernel's form of the Test Anything Protocol.

Leaves are counted: a result that has subtests of its own is not counted beside
them, unless it failed and none of them did.
"""

import re

PASS, FAIL, SKIP = "pass", "fail", "skip"

_RESULT = re.compile(r"^( *)(not ok|ok) +(\d+)(?: +(?:- +)?)?([^#]*?)\s*(?:#\s*(.*))?$")
_PLAN = re.compile(r"^( *)1\.\.(\d+)\s*(?:#\s*(.*))?$")
_VERSION = re.compile(r"^( *)K?TAP version \d+$")
_BAIL = re.compile(r"^ *Bail out!\s*(.*)$")
_COMMENT = re.compile(r"^ *# ")

# How many lines of comment before a failed result are kept as its explanation.
_NOTES = 24


class Result:
    """One counted result of a program or suite."""

    def __init__(self, name, status, why=""):
        self.name = name
        self.status = status
        self.why = why

    def __repr__(self):
        return f"Result({self.name!r}, {self.status!r}, {self.why!r})"

    def __eq__(self, other):
        return (self.name, self.status, self.why) == (other.name, other.status, other.why)


class _Level:
    """The results seen at one depth of indentation."""

    def __init__(self, indent):
        self.indent = indent
        self.plan = None
        self.count = 0
        self.failed = 0
        self.skip_all = None


class Parser:
    """Takes one KTAP document line by line; `results` is what it found."""

    def __init__(self):
        self.results = []
        self.started = False
        self._stack = []
        self._notes = []

    def feed(self, line):
        """Takes a line; returns the Result that it completed, if any."""
        found = _VERSION.match(line)
        if found:
            self.started = True
            self._level(len(found.group(1)))
            return None
        found = _PLAN.match(line)
        if found:
            self.started = True
            return self._plan(found)
        found = _RESULT.match(line)
        if found:
            self.started = True
            return self._result(found)
        found = _BAIL.match(line)
        if found:
            return self._add("Bail out!", FAIL, found.group(1) or "the program gave up")
        if _COMMENT.match(line):
            self._notes = (self._notes + [line.strip()])[-_NOTES:]
        return None

    def finish(self):
        """Ends the document; what is missing from it becomes a failure."""
        while len(self._stack) > 1:
            self._close(self._stack.pop())
        if not self._stack or self._stack[0].plan is None:
            self._add("plan", FAIL, "the program printed no plan (1..N)")
        if self._stack:
            level = self._stack.pop()
            self._close(level)
            if level.skip_all is not None and level.count == 0:
                self._add("all", SKIP, level.skip_all)

    def _add(self, name, status, why=""):
        result = Result(name, status, why)
        self.results.append(result)
        return result

    def _level(self, indent):
        """Goes to the level of this indentation: (level, the subtests that it closed)."""
        closed = None
        while self._stack and self._stack[-1].indent > indent:
            if closed is None:
                closed = self._stack[-1]
            else:
                closed.failed += self._stack[-1].failed
            self._close(self._stack.pop())
        if not self._stack or self._stack[-1].indent < indent:
            self._stack.append(_Level(indent))
        return self._stack[-1], closed

    def _close(self, level):
        """Compares a finished level with its plan."""
        if level.plan is not None and level.plan != level.count:
            level.failed += 1
            self._add("plan", FAIL, f"{level.plan} tests were planned, {level.count} reported")

    def _plan(self, found):
        level, _ = self._level(len(found.group(1)))
        if level.plan is not None and level.indent > 0:
            # The next suite at this depth: the last one ended without a result.
            self._close(level)
            level.count = 0
        elif level.plan is not None:
            return self._add("plan", FAIL, "a second plan")
        level.plan = int(found.group(2))
        comment = found.group(3) or ""
        if level.plan == 0:
            if comment.lower().startswith("skip"):
                level.skip_all = comment[4:].strip(" :") or "no reason given"
            else:
                return self._add("plan", FAIL, "no test was planned")
        return None

    def _result(self, found):
        indent, word, number, name, comment = found.groups()
        level, closed = self._level(len(indent))
        level.count += 1
        name = name.strip() or f"test {number}"
        notes, self._notes = self._notes, []
        if int(number) != level.count:
            level.failed += 1
            # From here on count on from the number that was printed.
            expected, level.count = level.count, int(number)
            self._add(name, FAIL, f"number {number} was printed where {expected} was due")
        comment = comment or ""
        if word == "ok" and comment.lower().startswith("skip"):
            return self._add(name, SKIP, comment[4:].strip(" :") or "no reason given")
        if word == "ok":
            return None if closed else self._add(name, PASS)
        level.failed += 1
        if closed is not None and closed.failed:
            return None
        return self._add(name, FAIL, "\n".join(notes + ([comment] if comment else [])))
