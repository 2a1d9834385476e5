# SPDX-License-Identifier: GPL-2.0
"""Reads selftests/vm/tests.list; the head of that file describes its form."""

_SUITES = ("test", "soak", "kobject")


class BadList(Exception):
    """The list does not say what it should."""


class Entry:
    """One test: a program, how it is run and when."""

    def __init__(self, name, timeout):
        self.name = name
        self.timeout = timeout
        self.user = False
        self.may_skip = False
        self.unloaded = False
        self.one_cpu = False
        self.dynamic = False
        self.suites = set()
        self.needs = "-"
        self.command = [name]
        self.extra = []

    def programs(self):
        """The program files that it takes."""
        return [self.command[0]] + self.extra

    def plan_line(self, limit):
        """The line that tells init to run it (init.sh) for at most `limit` seconds."""
        kind = "user" if self.user else "root"
        return f"{self.name} {limit} {kind} {self.needs} {' '.join(self.command)}"


def _flag(entry, word):
    name, _, value = word.partition("=")
    if word == "user":
        entry.user = True
    elif word == "may-skip":
        entry.may_skip = True
    elif word == "unloaded":
        entry.unloaded = True
    elif word == "one-cpu":
        entry.one_cpu = True
    elif word == "dynamic":
        entry.dynamic = True
    elif word in _SUITES:
        entry.suites.add(word)
    elif name == "needs" and value.startswith("/"):
        entry.needs = value
    elif name == "run" and value:
        entry.command = value.split(",")
    elif name == "with" and value:
        entry.extra = value.split(",")
    else:
        raise BadList(f"{entry.name}: unknown flag '{word}'")


def parse(text):
    """Returns the entries of a list in their order."""
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) < 2 or not words[1].isdigit() or int(words[1]) == 0:
            raise BadList(f"line {number}: a name and a timeout in seconds are needed")
        entry = Entry(words[0], int(words[1]))
        for word in words[2:]:
            _flag(entry, word)
        if not entry.suites:
            entry.suites.add("test")
        if any(other.name == entry.name for other in entries):
            raise BadList(f"line {number}: '{entry.name}' is listed twice")
        entries.append(entry)
    return entries
