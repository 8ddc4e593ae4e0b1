#!/bin/sh
# Builds Linux: build-kernel.sh SOURCES FRAGMENT FOLDER. The image is FOLDER/arch/x86/boot/bzImage; it is the same wherever
# and whenever it is built.
set -eu
sources=$(realpath "$1") fragment=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
cd "$sources"
make -s O="$folder" allnoconfig >"$folder/config.log"
cd "$folder"
"$sources/scripts/kconfig/merge_config.sh" -m -O . .config "$fragment" >>config.log 2>&1
make -s olddefconfig >>config.log 2>&1
# An option that Kconfig has dropped would make another kernel than the one that was asked for.
wrong=$(
	grep '^CONFIG_' "$fragment" | grep -Fxv -f .config || true
	sed -n 's/^# \(CONFIG_[A-Z0-9_]*\) is not set$/\1=/p' "$fragment" | while read -r option; do
		grep "^$option" .config || true
	done
)
if [ -n "$wrong" ]; then
	echo "not as asked for: $wrong" >&2
	exit 1
fi
export KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00 UTC' KBUILD_BUILD_USER=svc KBUILD_BUILD_HOST=svc KBUILD_BUILD_VERSION=1
names="-ffile-prefix-map=$sources=/linux -ffile-prefix-map=$folder=/linux/build"
make -j"$(nproc)" KCFLAGS="$names" KAFLAGS="$names" bzImage
