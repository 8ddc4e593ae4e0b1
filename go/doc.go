// Package secrets reads the secrets that svc-wrapper delivers to a Go program, from memory that the
// kernel protects, without copying them to the heap.
//
//	store, err := secrets.Open() // first in main
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer store.Close()
//	db, err := sql.Open("postgres", store.MustGet("DATABASE_URL"))
//
// Started as `svc-wrapper -- ./program`, the program finds its secrets in a memfd_secret(2) region,
// by the number of a descriptor in SVC_SECRET_FD. The wrapper recognises programs that use this
// package by their build information, which ldflags -s and -w leave in place. Without the wrapper,
// Open returns a nil Store, and the same code reads environment variables. So you need nothing for
// development, and nothing on other systems than Linux.
//
// # What it promises
//
//   - Values that the wrapper delivers are in protected pages and nowhere else: Get returns strings
//     that point there. They are not in /proc/PID/environ, in /proc/PID/cmdline, in Go's heap, or
//     in a core dump. If the kernel has memfd_secret (Linux 5.14) neither /proc/PID/mem nor the
//     kernel's own map of memory shows them to root; [Store.Protection] says whether it has. The
//     project's docs/threat-model.md lists the trusted parties: root can take the wrapper's
//     descriptor, or put code into the program.
//   - After Open neither the descriptor nor the variable is there, for children to inherit.
//   - Get, Has and Use take no lock, allocate nothing, and are safe from any goroutine. No method
//     of a Store faults, closed or not, or returns part of one value and part of another.
//   - No error, and nothing that prints a Store or a [Secret] (fmt, JSON, loggers, packages that
//     use reflection), holds a value.
//
// # What it cannot do
//
// A string is valid until Close, and then using it ends the program: Go cannot tell who holds it.
// [Store.Use] lends the bytes for the time of a call, and [Store.Copy] makes a copy that lives
// until it is wiped.
//
// The program itself makes copies in its heap when it joins strings, converts them to []byte and
// back, prints or encodes them. So do packages that receive them: database drivers, HTTP clients. A
// copy is readable for a process that may read this one's memory. Children get nothing; start them
// under another wrapper. System calls that pin pages (O_DIRECT, vmsplice, registered buffers
// of io_uring) refuse memfd_secret.
//
// # Values that are replaced
//
// With SVC_ROTATION=sighup the wrapper puts new values in place and sends SIGHUP. [Store.Reload]
// takes them over, and [Store.Watch] does so at each SIGHUP; [Store.UseAll] reads values that
// belong together. A value that Get has returned stays in memory beside the new one until Close,
// because the caller may keep it. A value that only Use and Copy have read is overwritten, except
// for the values of the program's start: those stay in the region for as long as it runs. All of it
// counts against RLIMIT_MEMLOCK; if that is used up Reload fails, and the store keeps its
// values. A program with this rotation has to catch SIGHUP, by Watch or by itself; otherwise the
// signal ends it. With the default, SVC_ROTATION=restart, the program is started again and none of
// this matters.
package secrets
