//go:build amd64 || arm64 || riscv64

package secrets

import "golang.org/x/sys/unix"

// memfdSecret makes a file whose pages the kernel removes from its own direct map; memfd_secret(2).
func memfdSecret() (int, error) { return unix.MemfdSecret(unix.O_CLOEXEC) }
