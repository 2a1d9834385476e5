# SPDX-License-Identifier: GPL-2.0
"""Writes an initramfs: a cpio archive in the "newc" form, gzipped."""

import gzip
import os
import stat


class Archive:
    """An archive being written; every directory is made before it is used."""

    def __init__(self, path):
        # Level 1: the guest unpacks it as fast, and packing takes no time.
        self._out = gzip.GzipFile(path, "wb", compresslevel=1, mtime=0)
        self._inode = 0
        self._dirs = {""}

    def _entry(self, name, mode, data=b"", rdev=(0, 0)):
        self._inode += 1
        encoded = name.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0,
                  rdev[0], rdev[1], len(encoded), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        self._padded(header + encoded)
        self._padded(data)

    def _padded(self, data):
        self._out.write(data + b"\0" * (-len(data) % 4))

    def _parents(self, name):
        parent = os.path.dirname(name)
        if parent not in self._dirs:
            self.directory(parent)

    def directory(self, name, mode=0o755):
        """Adds a directory and those above it."""
        self._parents(name)
        if name not in self._dirs:
            self._dirs.add(name)
            self._entry(name, stat.S_IFDIR | mode)

    def data(self, name, data, mode=0o644):
        """Adds a file with the given content."""
        self._parents(name)
        self._entry(name, stat.S_IFREG | mode, data)

    def file(self, name, path, mode=0o755):
        """Adds a copy of a file of the host."""
        with open(path, "rb") as source:
            self.data(name, source.read(), mode)

    def symlink(self, name, target):
        """Adds a symbolic link."""
        self._parents(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name, major, minor, mode=0o600):
        """Adds a device node; the host needs no privilege for it."""
        self._parents(name)
        self._entry(name, stat.S_IFCHR | mode, b"", (major, minor))

    def close(self):
        """Writes the trailer, without which the kernel reads nothing."""
        self._entry("TRAILER!!!", 0)
        self._out.close()
