#!/run/busybox sh
# Process 1, in this machine's files: mounts the file systems of a system, runs the stories, powers
# off.
b=/run/busybox
$b mkdir -p /dev/pts /dev/shm
$b ln -s /proc/self/fd /dev/fd
$b mount -t devpts devpts /dev/pts
$b mount -t tmpfs shm /dev/shm
$b mount -t bpf bpf /sys/fs/bpf
$b mount -t tracefs tracefs /sys/kernel/tracing
$b mount -t securityfs securityfs /sys/kernel/security
$b mount -t debugfs debugfs /sys/kernel/debug
$b mount -t cgroup2 cgroup2 /sys/fs/cgroup
# Probes can be registered then, and none of them is ever called.
if $b grep -q svc.kprobes=off /proc/cmdline; then
	echo 0 >/sys/kernel/debug/kprobes/enabled
fi
# BPF can be attached to functions then, and is never called by them.
if $b grep -q svc.ftrace=off /proc/cmdline; then
	echo 0 >/proc/sys/kernel/ftrace_enabled
fi
$b ip link set lo up
cd /
/bin/sh /run/results/run.sh </dev/null >/run/results/output 2>&1
echo $? >/run/results/status
$b sync
$b poweroff -f
