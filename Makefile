# SPDX-License-Identifier: GPL-2.0
#
# What people type. The kernel's own make reads Kbuild and not this file.

SHELL := /bin/bash
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

export KDIR FLAVOUR INSTALL_MOD_PATH

.PHONY: help setup doctor demo vm bench test soak test-kobject check doc \
	modules install uninstall clean

help:
	@echo 'URMA for Linux: kernel modules in Rust, their tests and a demo in QEMU.'
	@echo
	@echo '  make demo           see it work: builds everything, boots a VM, runs the demo'
	@echo '  make test           all tests, in a VM with a debug kernel'
	@echo
	@echo '  make setup          install the packages that the above need (Debian 12, 13)'
	@echo '  make doctor         what is missing on this machine, and what mends it'
	@echo '  make vm             a shell in the VM, the modules loaded'
	@echo '  make bench          cost of operations in instructions, beside rdma_rxe, in a VM'
	@echo '  make soak           long hostile runs, in a VM with the debug kernel'
	@echo '  make test-kobject   load, unload and removal on a kernel with delayed releases'
	@echo '  make check          formatters and linters'
	@echo '  make doc            the documentation of the Rust code, into build/doc'
	@echo
	@echo '  make modules        build the modules for a kernel of yours  [KDIR=DIRECTORY]'
	@echo '  make install        install them and the provider of liburma, as root  [KDIR=DIRECTORY]'
	@echo '  make uninstall      remove them again                        [KDIR=DIRECTORY]'
	@echo '  make clean          remove build/; kernels stay in ~/.cache/ub-urma'
	@echo
	@echo 'FLAVOUR=debug runs demo, vm and bench on the debug kernel.'

setup:
	@scripts/setup.sh

doctor:
	@scripts/doctor.sh

demo vm bench:
	@scripts/demo.sh $@

test:
	@scripts/test.sh

soak:
	@scripts/test.sh soak

test-kobject:
	@scripts/test.sh kobject

check:
	@scripts/check.sh

doc:
	@scripts/doc.sh

modules:
	@scripts/modules.sh kdir

install:
	@scripts/modules.sh install

uninstall:
	@scripts/modules.sh uninstall

clean:
	rm -rf build
