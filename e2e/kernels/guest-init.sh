#!/bin/busybox sh
# A guest's first program: goes on in this machine's own files, read-only, and keeps writes in
# memory.
b=/bin/busybox
fail() { echo "SVC-GUEST: $1"; $b poweroff -f; }
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in /modules/*; do
	# A kernel that has everything built in has none.
	if [ -e "$module" ]; then $b insmod "$module" || fail "insmod $module"; fi
done
share="trans=virtio,version=9p2000.L,msize=512000"
$b mount -t 9p -o "$share,cache=loose,ro" files /files || fail "mount the files"
$b mount -t tmpfs -o size=75% written /written
$b mkdir /written/files /written/work
$b mount -t overlay -o lowerdir=/files,upperdir=/written/files,workdir=/written/work root /root ||
	fail "mount the overlay"
$b mount -t tmpfs -o mode=755 run /root/run
. /mounts
$b mkdir /root/run/results
$b mount -t 9p -o "$share,cache=none" results /root/run/results || fail "mount the results"
for folder in proc sys dev; do $b mount --move "/$folder" "/root/$folder"; done
$b cp /bin/busybox /continue /root/run/
# chroot would not do: namespaces of users are refused under it.
exec $b switch_root /root /run/continue
