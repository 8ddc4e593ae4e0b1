#!/bin/sh
# Boots systemd in a separate root: boot.sh ROOT CHECKOUT CGROUP, in fresh mount and PID namespaces.
# The root is a tmpfs with this machine's /usr, read-only, and nothing of its /etc.
set -eu
root=$1 checkout=$2 cgroup=$3

if [ "${4-}" != inside ]; then
	mount -t tmpfs tmpfs "$root"
	cd "$root"
	mkdir -p usr etc/systemd/system etc/svc proc sys dev run tmp var/log root opt/svc/bin opt/svc/lib cgroup
	for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$folder"; done
	mount --rbind /usr usr
	mount -o remount,bind,ro usr
	mount --bind "$checkout/dist/bin" opt/svc/bin
	mount --bind "$checkout/dist/lib" opt/svc/lib
	cp "$checkout/dist/bpf/secret_monitor.o" opt/svc/
	cp "$checkout/deploy/systemd/svc-wrapper@.service" etc/systemd/system/
	cp "$checkout/deploy/systemd/svc-agent.service" etc/systemd/system/
	printf '[Unit]\nDescription=test\n' >etc/systemd/system/default.target
	printf 'root:x:0:0:root:/root:/bin/sh\n' >etc/passwd
	printf 'root:x:0:\n' >etc/group
	printf 'passwd: files systemd\ngroup: files systemd\n' >etc/nsswitch.conf
	printf '0123456789abcdef0123456789abcdef\n' >etc/machine-id
	mount -t proc proc proc
	mount --rbind /sys sys
	mount -t tmpfs tmpfs run
	mount -t tmpfs tmpfs dev
	mkdir dev/shm dev/pts
	ln -s pts/ptmx dev/ptmx
	for device in null zero full random urandom tty; do
		touch "dev/$device"
		mount --bind "/dev/$device" "dev/$device"
	done
	# A new cgroup becomes the root of the cgroup namespace: systemd removes cgroups that
	# it finds.
	mount -t cgroup2 cgroup2 cgroup
	mkdir "cgroup/$cgroup"
	echo 0 >"cgroup/$cgroup/cgroup.procs"
	exec unshare --cgroup "$0" "$root" "$checkout" "$cgroup" inside
fi

cd "$root"
umount cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
# Not chroot: services get their own mount namespaces, which are made by pivot_root(2).
mkdir old
pivot_root . old
umount -l /old
# As systemd-nspawn leaves it: credentials come to a service by mount propagation.
mount --make-rshared /
exec env -i container=svc PATH=/usr/bin:/usr/sbin /lib/systemd/systemd \
	--system --log-target=kmsg --show-status=no --unit=default.target
