# SPDX-License-Identifier: GPL-2.0
"""Starts QEMU, and finds out whether KVM is of use on this machine."""

import os
import selectors
import shutil
import socket
import subprocess
import tempfile
import time

from . import cpio

QEMU = "qemu-system-x86_64"
# Without five-level paging: with it, an interrupt at the moment of booting in which the
# kernel reads its CPU's features anew makes KASAN report an access that is none.
_CPU = "max,la57=off"
_TCG = ["-accel", "tcg,thread=multi", "-cpu", _CPU]
_KVM = ["-accel", "kvm", "-cpu", "host"]
# One guest nanosecond is one instruction, whatever the host is doing.
_ICOUNT = ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-cpu", _CPU]

# A busy host starves its guest: that is no fault of the guest's kernel, which else may
# not even find its timer at the boot.
_PATIENCE = ["no_timer_check", "rcupdate.rcu_cpu_stall_timeout=120", "watchdog_thresh=60",
             "workqueue.watchdog_thresh=120", "sysctl.kernel.hung_task_timeout_secs=120"]

# No return trampolines: they keep nothing from anybody here, and to emulate them takes
# a sixth of the time.
_QUICK = ["mitigations=off"]


class Machine:
    """What a machine is made of, as QEMU's and the kernel's arguments."""

    def __init__(self, kernel, initrd, accel="tcg", memory=512, cpus=2, args=()):
        self.kernel = os.path.join(kernel, "arch/x86/boot/bzImage")
        self.initrd = initrd
        self.accel = accel
        self.memory = memory
        self.cpus = 1 if accel == "icount" else cpus
        self.args = ["panic=-1", "oops=panic", "printk.devkmsg=on"] + _PATIENCE + list(args)
        if accel == "tcg":
            self.args += _QUICK

    def command(self, serial):
        """The command line, with the arguments for the serial lines given."""
        accel = {"tcg": _TCG, "kvm": _KVM, "icount": _ICOUNT}[self.accel]
        # Without ACPI the kernel finds a CPU per socket of the MP table.
        smp = f"{self.cpus},sockets={self.cpus},cores=1,threads=1"
        return ([QEMU] + accel + ["-smp", smp, "-m", str(self.memory), "-nodefaults",
                "-no-user-config", "-display", "none", "-no-reboot", "-kernel", self.kernel,
                "-initrd", self.initrd, "-append", " ".join(["console=ttyS0"] + self.args)]
                + serial)


class Boot:
    """A running machine, whose two serial lines arrive as lines of text."""

    def __init__(self, machine):
        pairs = [socket.socketpair() for _ in range(2)]
        serial = []
        for number, (_, theirs) in enumerate(pairs):
            serial += ["-chardev", f"socket,id=c{number},fd={theirs.fileno()}",
                       "-serial", f"chardev:c{number}"]
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            machine.command(serial), stdin=subprocess.DEVNULL, stdout=self._errors,
            stderr=self._errors, pass_fds=[theirs.fileno() for _, theirs in pairs])
        self._selector = selectors.DefaultSelector()
        self._partial = {}
        for number, (ours, theirs) in enumerate(pairs):
            theirs.close()
            ours.setblocking(False)
            self._selector.register(ours, selectors.EVENT_READ, number)
            self._partial[number] = b""

    def lines(self, wait):
        """Returns (number of the serial line, text) pairs, waiting at most `wait` seconds.

        None means that the machine has ended and nothing is left to read.
        """
        if not self._selector.get_map():
            return None
        found = []
        for key, _ in self._selector.select(wait):
            try:
                data = key.fileobj.recv(65536)
            except ConnectionError:
                data = b""
            rest = self._partial[key.data] + data
            if not data:
                self._selector.unregister(key.fileobj)
                key.fileobj.close()
                rest += b"\n" if rest else b""
            *whole, self._partial[key.data] = rest.split(b"\n")
            found += [(key.data, line.decode(errors="replace").replace("\r", ""))
                      for line in whole]
        return found

    def spent(self):
        """Seconds of the host's CPUs that the machine has used so far, or None."""
        try:
            with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        """Ends the machine and returns what QEMU itself had to say."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def ended(self, wait):
        """Whether QEMU has ended by itself within `wait` seconds."""
        try:
            self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return False
        return True


_PROBE = b"""#!/bin/sh
/bin/busybox echo ub-probe-alive
/bin/busybox reboot -f
"""


def _probe(kernel, seconds):
    """Whether this kernel comes up under KVM and goes down again, in time."""
    scratch = tempfile.mkdtemp(prefix="ub-kvm-")
    try:
        initrd = os.path.join(scratch, "initrd.gz")
        archive = cpio.Archive(initrd)
        archive.directory("dev")
        archive.character_device("dev/console", 5, 1)
        archive.file("bin/busybox", "/bin/busybox")
        archive.symlink("bin/sh", "busybox")
        archive.data("init", _PROBE, 0o755)
        archive.close()
        boot = Boot(Machine(kernel, initrd, "kvm", memory=1024))
        deadline = time.monotonic() + seconds
        alive = False
        while time.monotonic() < deadline:
            lines = boot.lines(0.2)
            if lines is None:
                break
            alive = alive or any("ub-probe-alive" in text for _, text in lines)
        ended = boot.ended(0.5)
        boot.stop()
        return alive and ended
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def kvm_usable(kernel, cache, seconds=8):
    """Whether KVM really runs this kernel; remembered until the host boots again.

    /dev/kvm alone proves nothing: nested or emulated, it may fail on a stock kernel.
    """
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        key = f"{file.read().strip()} {os.path.basename(os.path.normpath(kernel))}"
    memory = os.path.join(cache, "kvm")
    try:
        with open(memory, encoding="utf-8") as file:
            known = dict(line.rsplit(" ", 1) for line in file.read().splitlines())
    except (OSError, ValueError):
        known = {}
    if key not in known:
        known = {k: v for k, v in known.items() if k.split(" ")[0] == key.split(" ")[0]}
        known[key] = "yes" if _probe(kernel, seconds) else "no"
        os.makedirs(cache, exist_ok=True)
        with open(memory, "w", encoding="utf-8") as file:
            file.write("".join(f"{k} {v}\n" for k, v in known.items()))
    return known[key] == "yes"
