#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the C headers of the uburma user ABI with the tables in uburma-abi.json.

Every entry of the tables becomes one _Static_assert.  All of them are compiled
in one file; a message of the compiler is led back to the entry by its line
number, so that an entry without counterpart in the headers (an undeclared
name, an unknown member) fails like one of another value.  A second pass looks
the other way round: every name the headers define must be in the tables.

Output is KTAP, one subtest per group; the exit status is 0 if all passed.
Environment: CC (gcc) and CXX (g++).
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.normpath(os.path.join(HERE, "..", "..", "include", "uapi"))
HEADERS = ("ub/uburma.h", "ub/uburma_cmds.h")

# Names that are framing or derived and have no table entry of their own.
DERIVED = re.compile(r"^UBURMA_(IOC_(CMD|EVENT)_(MAGIC|NR)$|ATTR_EL_(NUM|SIZE)_SHIFT$"
                     r"|TP_ATTR_\w+_SHIFT$)")


class Case:
    """One line of a subtest: a command, structure, enumeration, ..."""

    def __init__(self, name):
        self.name = name
        self.asserts = []   # (C condition, text for the reader)
        self.count = 0      # checks made, those done in Python included
        self.errors = []

    def c(self, condition, text):
        """Add a check made by the compiler."""
        self.asserts.append((condition, text))
        self.count += 1

    def py(self, passed, text):
        """Add a check made here."""
        self.count += 1
        if not passed:
            self.errors.append(text)


def equal(case, name, value):
    """Add the check that the C constant `name` has `value`."""
    case.c(f"({name}) == ({value}{'LL' if isinstance(value, int) else ''})",
           f"{name} is not {value}")


def group_ioctls(t):
    for i in t["ioctls"]:
        case = Case(i["name"])
        equal(case, i["name"], i["value"])
        equal(case, i["name"] + "_MAGIC", ord(i["magic"]))
        equal(case, i["name"] + "_NR", i["nr"])
        case.c(f"sizeof(struct uburma_cmd_hdr) == {i['size']}", "size of the header")
        yield case


def group_constants(t):
    for c in t["constants"]:
        case = Case(c["name"])
        equal(case, c["name"], c["value"])
        yield case


def group_commands(t):
    for key in ("commands", "event_commands"):
        for c in t[key]:
            case = Case(c["name"])
            equal(case, c["name"], c["number"])
            yield case


def group_attributes(t):
    for c in t["commands"] + t["event_commands"]:
        case = Case(c["name"])
        attrs = c["attrs"]
        case.c(f"sizeof(enum {c['attr_enum']}) == 4", f"size of enum {c['attr_enum']}")
        for a in attrs:
            equal(case, a["name"], a["type"])
            check_value(case, a)
            case.py((a["type"] >= 0x80) == (a["dir"] == "out"), f"direction of {a['name']}")
        case.py(c["args_len"] == 16 * len(attrs), "args_len is not 16 times the attributes")
        case.py(len({a["type"] for a in attrs}) == len(attrs), "an attribute id occurs twice")
        case.py(sorted(a["wire_order"] for a in attrs) == list(range(len(attrs))),
                "wire_order is not a permutation")
        yield case


def check_value(case, attr):
    """Compare field_size with the size of the C type of the value."""
    m = re.match(r"^((?:struct|union) \w+|char|[us]\d+)(?:\[(\d*)\])?(, strided)?$",
                 attr["value"])
    if not m:
        case.py(False, f"type of {attr['name']}: {attr['value']}")
        return
    ctype = re.sub(r"^([us])(\d+)$", r"__\1\2", m[1])
    # The elements of a strided or variable array are attribute elements.
    count = 1 if m[3] or m[2] == "" else int(m[2] or 1)
    case.c(f"sizeof({ctype}) * {count} == {attr['field_size']}",
           f"{attr['name']}: {attr['value']} is not of {attr['field_size']} bytes")


def group_structs(t):
    for s in t["structs"]:
        case = Case(s["name"])
        ty = f"{s['kind']} {s['name']}"
        case.c(f"sizeof({ty}) == {s['size']}", f"size of {ty} is not {s['size']}")
        case.c(f"_Alignof({ty}) == {s['align']}", f"alignment of {ty} is not {s['align']}")
        for f in s["fields"]:
            case.c(f"__builtin_offsetof({ty}, {f['name']}) == {f['offset']}",
                   f"offset of {f['name']} is not {f['offset']}")
            case.c(f"sizeof((({ty} *)0)->{f['name']}) == {f['size']}",
                   f"size of {f['name']} is not {f['size']}")
        for b in s.get("bits", []):
            mask = (1 << b["bit_size"]) - 1
            case.c(f"((unsigned long long){b['mask']} << 8 * __builtin_offsetof({ty}, "
                   f"{b['field']}) % 64) == ({mask}ULL << {b['bit_offset'] % 64}) && "
                   f"__builtin_offsetof({ty}, {b['field']}) / 8 == {b['bit_offset'] // 64}",
                   f"{b['mask']} of {b['field']} is not at bit {b['bit_offset']}")
        yield case


def group_enums(t):
    for name, values in t["enums"].items():
        case = Case(name)
        case.c(f"sizeof(enum {name}) == 4", f"size of enum {name} is not 4")
        for k, v in values.items():
            equal(case, k, v)
        yield case


def group_flags(t):
    for name, word in t["flags"].items():
        case = Case(name)
        for b in word["bits"]:
            mask = ((1 << b["width"]) - 1) << b["bit"]
            if b["width"] == 1:
                equal(case, b["name"], mask)
            else:
                equal(case, b["name"] + "_MASK", mask)
                equal(case, b["name"] + "_SHIFT", b["bit"])
            case.py(b["bit"] + b["width"] <= 8 * word["size"], f"{b['name']} is out of the word")
        yield case


def group_options(t):
    for o in t["options"]:
        case = Case(o["name"])
        equal(case, o["name"], o["id"])
        yield case


GROUPS = (
    ("ioctl numbers", group_ioctls),
    ("constants", group_constants),
    ("command numbers", group_commands),
    ("attributes", group_attributes),
    ("structures", group_structs),
    ("enumerations", group_enums),
    ("flags", group_flags),
    ("options", group_options),
)


def table_names(t):
    """All names of constants that the tables know."""
    names = {x["name"] for key in ("ioctls", "constants", "options") for x in t[key]}
    for c in t["commands"] + t["event_commands"]:
        names.add(c["name"])
        names.update(a["name"] for a in c["attrs"])
    for values in t["enums"].values():
        names.update(values)
    for word in t["flags"].values():
        for b in word["bits"]:
            names.update((b["name"],) if b["width"] == 1 else
                         (b["name"] + "_MASK", b["name"] + "_SHIFT"))
    for s in t["structs"]:
        names.update(b["mask"] for b in s.get("bits", []))
    return names


def group_coverage(t):
    """Every constant the headers define has an entry in the tables."""
    known = table_names(t)
    for header in HEADERS:
        case = Case(header)
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as f:
            text = f.read()
        for name in re.findall(r"^(?:#define[ \t]+|\t)(UBURMA_\w+)(?=[ \t]+[^ \t=\n]|[ \t]*=)",
                               text, re.M):
            case.py(name in known or DERIVED.match(name), f"{name} is not in the tables")
        yield case


def compiler(variable, default):
    return shlex.split(os.environ.get(variable, default))


def run(cmd):
    env = dict(os.environ, LC_ALL="C")
    return subprocess.run(cmd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)


def group_compile(_):
    """Each header compiles by itself, as C and as C++."""
    cc = compiler("CC", "gcc") + ["-std=gnu11", "-x", "c"]
    cxx = compiler("CXX", "g++") + ["-x", "c++"]
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", INCLUDE, "-"]
    for header in HEADERS:
        for language, cmd in (("C", cc), ("C++", cxx)):
            case = Case(f"{header} as {language}")
            r = subprocess.run(cmd + flags, input=f"#include <{header}>\n", check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               universal_newlines=True)
            case.py(r.returncode == 0, r.stdout.strip())
            yield case


def compile_asserts(groups):
    """Compile all assertions, and give each failure to its case."""
    lines = [f"#include <{h}>" for h in HEADERS]
    owner = {}
    for _, cases in groups:
        for case in cases:
            for condition, text in case.asserts:
                lines.append(f'_Static_assert({condition}, "");')
                owner[len(lines)] = (case, text)
    with tempfile.TemporaryDirectory() as d:
        src = os.path.join(d, "abi.c")
        with open(src, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        r = run(compiler("CC", "gcc") + ["-std=gnu11", "-fsyntax-only", "-fmax-errors=0",
                                         "-I", INCLUDE, src])
    if r.returncode == 0:
        return []
    stray = []
    found = False
    for line in r.stdout.splitlines():
        m = re.match(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", line)
        if not m:
            continue
        found = True
        if m[1] == src and int(m[2]) in owner:
            case, text = owner[int(m[2])]
            reason = "" if "static assertion failed" in m[3] else f" ({m[3]})"
            case.errors.append(text + reason)
        else:
            stray.append(line)
    if not found:
        stray.append(r.stdout.strip() or "the compiler failed without a message")
    return stray


def report(groups, stray):
    """Print KTAP; return whether everything passed."""
    print("KTAP version 1")
    print(f"1..{len(groups)}")
    passed = not stray
    for line in stray:
        print(f"# {line}")
    for n, (name, cases) in enumerate(groups, 1):
        print("  KTAP version 1")
        print(f"  # Subtest: {name}")
        print(f"  1..{len(cases)}")
        group_ok = bool(cases)
        for i, case in enumerate(cases, 1):
            for error in case.errors:
                for line in error.splitlines():
                    print(f"  # {case.name}: {line}")
            ok = not case.errors
            group_ok = group_ok and ok
            print(f"  {'ok' if ok else 'not ok'} {i} {case.name}")
        checks = sum(c.count for c in cases)
        failed = sum(len(c.errors) for c in cases)
        print(f"  # {name}: {checks} checks, {failed} failed")
        print(f"{'ok' if group_ok else 'not ok'} {n} {name}")
        passed = passed and group_ok
    total = sum(c.count for _, cases in groups for c in cases)
    failed = sum(len(c.errors) for _, cases in groups for c in cases) + len(stray)
    print(f"# Totals: {total} checks, {failed} failed")
    return passed


def main():
    with open(os.path.join(HERE, "uburma-abi.json"), encoding="utf-8") as f:
        tables = json.load(f)
    groups = [("headers compile", list(group_compile(tables)))]
    groups += [(name, list(make(tables))) for name, make in GROUPS]
    groups.append(("headers in tables", list(group_coverage(tables))))
    stray = compile_asserts(groups)
    return 0 if report(groups, stray) else 1


if __name__ == "__main__":
    sys.exit(main())
