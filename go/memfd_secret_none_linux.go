//go:build !(386 || amd64 || arm64 || riscv64)

package secrets

import "golang.org/x/sys/unix"

// memfdSecret fails: kernels of this architecture do not have memfd_secret(2).
func memfdSecret() (int, error) { return -1, unix.ENOSYS }
