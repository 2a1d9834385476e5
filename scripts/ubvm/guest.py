# SPDX-License-Identifier: GPL-2.0
"""Makes the initramfs that a test machine boots."""

import os
import shutil
import subprocess
import tempfile

from . import cpio

INIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "init.sh")
BUSYBOX = "/bin/busybox"
_STRIP = ("/usr/lib/llvm-19/bin/llvm-strip", "/usr/bin/strip")

_ETC = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n",
    "etc/group": "root:x:0:\nuser:x:1000:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\n",
}


class Missing(Exception):
    """Something that the initramfs needs is not there."""


def _applets():
    if not os.path.exists(BUSYBOX):
        raise Missing(f"{BUSYBOX} is missing: run 'make setup'")
    listed = subprocess.run([BUSYBOX, "--list"], check=True, capture_output=True, text=True)
    return listed.stdout.split()


def is_static(path):
    """Whether an ELF program asks for no dynamic loader (no PT_INTERP)."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if head[:4] != b"\x7fELF":
        return True
    wide = head[4] == 2
    start = int.from_bytes(head[32:40] if wide else head[28:32], "little")
    size = int.from_bytes(head[54:56] if wide else head[42:44], "little")
    count = int.from_bytes(head[56:58] if wide else head[44:46], "little")
    kinds = (int.from_bytes(head[start + size * i:start + size * i + 4], "little")
             for i in range(count))
    return 3 not in kinds


def _add_programs(archive, programs, scratch):
    """Programs by name; one that has several names once, with links."""
    added = {}
    for name, path in sorted(programs.items()):
        real = os.path.realpath(path)
        if real in added:
            archive.symlink(f"tests/{name}", added[real])
            continue
        _add_program(archive, name, path, scratch)
        added[real] = name


def libraries(path, own):
    """The shared libraries that a program or library needs, in the places where the loader of
    this machine finds them; not those named in `own`, which it loads itself."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        raise Missing(f"ldd {path}: {listed.stderr.strip()}")
    found = set()
    for line in listed.stdout.splitlines():
        words = line.split()
        if "not found" in line:
            if words[0] not in own:
                raise Missing(f"{path} needs {words[0]}, which is not here")
        elif words[0].startswith("/"):
            found.add(words[0])
        elif len(words) > 2 and words[2].startswith("/"):
            found.add(words[2])
    return found


def _add_libraries(archive, programs):
    """What dynamic programs need besides what is put beside them."""
    needed = set()
    for name, path in programs.items():
        if not is_static(path) or ".so" in name:
            needed |= libraries(path, programs)
    for path in sorted(needed):
        archive.file(path.lstrip("/"), path)


def _add_program(archive, name, path, scratch):
    """A program without its symbols: unpacking costs the guest time and memory."""
    stripped = os.path.join(scratch, name)
    for tool in _STRIP:
        if os.path.exists(tool):
            done = subprocess.run([tool, "-o", stripped, path], capture_output=True, check=False)
            if done.returncode == 0:
                path = stripped
            break
    archive.file(f"tests/{name}", path)


def kernel_modules(kernel, name):
    """The files of a module of the kernel itself and of all that it needs, these first."""
    with open(os.path.join(kernel, "modules.order"), encoding="utf-8") as file:
        paths = [os.path.splitext(line.strip())[0] + ".ko" for line in file]
    known = {os.path.basename(path)[:-3].replace("-", "_"): os.path.join(kernel, path)
             for path in paths}
    found = []

    def add(name):
        path = known.get(name.replace("-", "_"))
        if path is None:
            raise Missing(f"the kernel in {kernel} has no module {name}")
        if path in found:
            return
        listed = subprocess.run(["modinfo", "-F", "depends", path], check=True,
                                capture_output=True, text=True).stdout
        for other in listed.strip().split(","):
            if other:
                add(other)
        found.append(path)

    add(name)
    return found


def _add_modules(archive, modules, load, own):
    """Every module found in the directory and those files of the kernel's own; the order in
    which to load some: these first."""
    names = [name for name in os.listdir(modules) if name.endswith(".ko")] if modules else []
    files = {name: os.path.join(modules, name) for name in names}
    files.update((os.path.basename(path), path) for path in own)
    for name in sorted(files):
        archive.file(f"modules/{name}", files[name], 0o644)
    for entry in load:
        if entry.split()[0] + ".ko" not in names:
            raise Missing(f"{modules}/{entry.split()[0]}.ko is missing: build the modules first")
    order = [os.path.basename(path)[:-3] for path in own] + load
    archive.data("modules/order", "".join(entry + "\n" for entry in order).encode())


def build(path, plan, programs, modules, load, files=(), own=(), dynamic=()):
    """Writes the initramfs to `path`.

    plan: lines for init (init.sh says how they look); programs: {name: host path};
    modules: directory of .ko files or None; load: module names with parameters, in
    order; files: (host path, guest path) pairs; own: the kernel's own modules to be
    loaded before these; dynamic: names of programs that get their libraries.
    """
    archive = cpio.Archive(path)
    scratch = tempfile.mkdtemp(prefix="ub-vm-")
    try:
        for name in ("dev", "proc", "sys", "tmp", "root", "run", "bin", "tests", "modules"):
            archive.directory(name)
        archive.character_device("dev/console", 5, 1)
        archive.character_device("dev/null", 1, 3, 0o666)
        archive.file("init", INIT)
        archive.file("bin/busybox", BUSYBOX)
        for applet in _applets():
            if applet != "busybox":
                archive.symlink(f"bin/{applet}", "busybox")
        for name, text in _ETC.items():
            archive.data(name, text.encode())
        archive.data("plan", "".join(line + "\n" for line in plan).encode())
        _add_modules(archive, modules, load, own)
        for name, source in sorted(programs.items()):
            if name not in dynamic and not is_static(source):
                raise Missing(f"{source} is not static: the test machine has no libraries")
        _add_programs(archive, programs, scratch)
        _add_libraries(archive, {name: programs[name] for name in dynamic})
        for source, name in files:
            archive.file(name.lstrip("/"), source)
        archive.close()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
