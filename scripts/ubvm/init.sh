#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3045
#
# Process 1 of the test machine. vm.py puts beside it:
#
#   /plan            what to do, a line each: NAME LIMIT KIND NEEDS COMMAND...
#                    (KIND: load, unload, kmemleak, root or user; NEEDS: - or a path)
#   /modules/order   the modules, in the order of loading, with their parameters
#   /modules, /tests the modules and the programs
#
# Programs speak on the second serial line, the kernel on the first. What happens
# when is announced on both: as lines "@@UB ..." and as kernel messages "ub-init: ...".

export PATH=/bin:/tests HOME=/root TERM="${TERM:-linux}"
ulimit -c 0

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm /run
mount -t devpts devpts /dev/pts 2>/dev/null
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t debugfs debugfs /sys/kernel/debug
mount -t configfs configfs /sys/kernel/config
mount -t cgroup2 cgroup2 /sys/fs/cgroup
for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
	echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control
done
hostname ub
ip link set lo up

mark() {
	printf '\n@@UB %s\n' "$*"
}

# From here on the kernel's line tells what the programs' line is at.
kmsg() {
	echo "ub-init: $*" >/dev/kmsg
}

load() {
	local n=0 name params why
	echo "KTAP version 1"
	echo "1..$(wc -l </modules/order)"
	while read -r name params; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # parameters are words
		if why=$(insmod "/modules/$name.ko" $params 2>&1); then
			echo "ok $n - insmod $name"
		else
			echo "# $why"
			echo "not ok $n - insmod $name"
		fi
	done </modules/order
}

# A module goes as soon as nobody uses it: killed programs may need a moment.
unload_one() {
	local tries=0
	while ! why=$(rmmod "$1" 2>&1); do
		tries=$((tries + 1))
		[ $tries -lt 20 ] || return 1
		usleep 250000
	done
	[ ! -e "/sys/module/$1" ]
}

unload() {
	local n=0 name params why
	echo "KTAP version 1"
	echo "1..$(wc -l </modules/order)"
	tac /modules/order >/tmp/order
	while read -r name params; do
		n=$((n + 1))
		if unload_one "$name"; then
			echo "ok $n - rmmod $name"
		else
			echo "# $why"
			echo "# used $(cat "/sys/module/$name/refcnt") times, by $(ls "/sys/module/$name/holders")"
			echo "not ok $n - rmmod $name"
		fi
	done </tmp/order
	rm -f /tmp/order
}

# Objects younger than 5 s are not reported, and a first scan may be wrong.
leaks() {
	echo "KTAP version 1"
	echo "1..1"
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	sleep 1
	echo scan >/sys/kernel/debug/kmemleak
	if cat /sys/kernel/debug/kmemleak >/tmp/leaks && [ ! -s /tmp/leaks ]; then
		echo "ok 1 - kmemleak"
	else
		echo "# $(grep -c '^unreferenced' /tmp/leaks) objects are lost, the first of them:"
		head -n 22 /tmp/leaks | sed 's/^/# /'
		echo "not ok 1 - kmemleak"
	fi
}

# In a control group of its own, so that nothing of it is left behind.
program() {
	local limit=$1 kind=$2 group=/sys/fs/cgroup/ub-init status
	shift 2
	mkdir -p $group
	(
		echo 0 >$group/cgroup.procs
		cd /tmp || exit 126
		[ "$kind" != user ] || exec timeout -s KILL "$limit" su -s /bin/sh user -c "exec $*"
		exec timeout -s KILL "$limit" "$@"
	) </dev/null
	status=$?
	echo 1 >$group/cgroup.kill
	usleep 20000
	rmdir $group 2>/dev/null
	return $status
}

seconds() {
	local up rest
	read -r up rest </proc/uptime
	echo "${up%.*}"
}

execute() {
	local name=$1 limit=$2 kind=$3 start status late=-
	shift 3
	kmsg "begin $name"
	mark "BEGIN $name"
	start=$(seconds)
	case $kind in
	load) load ;;
	unload) unload ;;
	kmemleak) leaks ;;
	*) program "$limit" "$kind" "$@" ;;
	esac
	status=$?
	if [ $status -eq 137 ] && [ $(($(seconds) - start)) -ge "$limit" ]; then
		late=late
	fi
	kmsg "end $name"
	mark "END $name $status $late"
}

# A person's shell, on the kernel's line.
if grep -q ub.shell /proc/cmdline; then
	dmesg -n 5
	load | grep -v '^KTAP\|^1\.\.'
	echo "The modules are loaded; programs are in /tests, modules in /modules."
	echo "'exit' or Ctrl-A X ends the machine."
	cd /root || cd /
	setsid cttyhack sh
	reboot -f
fi

exec </dev/null >/dev/ttyS1 2>&1
mark INIT
dmesg -n 8
[ ! -e /sys/kernel/debug/kmemleak ] || echo clear >/sys/kernel/debug/kmemleak
while read -r name limit kind needs command <&3; do
	if [ "$needs" != - ] && [ ! -e "$needs" ]; then
		mark "ABSENT $name $needs"
		continue
	fi
	# shellcheck disable=SC2086 # commands are words
	execute "$name" "$limit" "$kind" $command 3<&-
done 3</plan
mark DONE
# Setting a line waits for what was written to it.
stty -F /dev/ttyS1 sane
reboot -f
