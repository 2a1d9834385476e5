# SPDX-License-Identifier: GPL-2.0
"""What vm.py is made of: boots a kernel in QEMU, runs programs, judges them."""
