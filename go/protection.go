package secrets

// A Protection says how the kernel protects the values of a store.
type Protection string

const (
	// ProtectionMemfdSecret: the pages are removed from the kernel's own map of memory. Root cannot
	// read them by /proc/PID/mem, nor a kernel module by that map, and they are in no core dump;
	// memfd_secret(2).
	ProtectionMemfdSecret Protection = "memfd_secret"
	// ProtectionMemfd: ordinary memory, kept out of core dumps, and out of the swap if
	// RLIMIT_MEMLOCK allows it. The wrapper falls back to it if the kernel has no memfd_secret.
	ProtectionMemfd Protection = "memfd"
	// ProtectionNone: a nil or closed Store; reads are of environment variables, or of nothing.
	ProtectionNone Protection = "none"
)
