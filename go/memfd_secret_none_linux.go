//go:build !(amd64 || arm64 || riscv64)

package secrets

import "golang.org/x/sys/unix"

// memfdSecret fails: no kernel of this architecture has memfd_secret(2).
func memfdSecret() (int, error) { return -1, unix.ENOSYS }
