//go:build 386 || amd64 || arm64 || riscv64

package secrets

import "golang.org/x/sys/unix"

// memfdSecret makes a file whose pages the kernel removes from its own direct map; memfd_secret(2).
func memfdSecret() (int, error) {
	fd, _, errno := unix.Syscall(memfdSecretNumber, unix.O_CLOEXEC, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
