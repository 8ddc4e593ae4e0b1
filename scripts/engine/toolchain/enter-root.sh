#!/bin/sh
# enter-root.sh ROOT [HOST-PATH=PATH-IN-ROOT]... -- COMMAND [ARGUMENT]...
# Runs a command in a root folder, with paths of this machine mounted there. It needs a new mount
# namespace: `unshare --mount`.
set -eu
root=$1
shift
for path in /proc /dev /etc/ssl; do mount --rbind "$path" "$root$path"; done
for path in /etc/hosts /etc/resolv.conf; do mount --bind "$path" "$root$path"; done
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
	mount --bind "${1%%=*}" "$root${1#*=}"
	shift
done
shift
exec chroot "$root" "$@"
