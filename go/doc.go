// Package secrets reads the secrets that svc-wrapper delivers to a Go program, from memory that the kernel
// protects, without copying them to the heap.
//
//	store, err := secrets.Open() // first in main
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer store.Close()
//	db, err := sql.Open("postgres", store.MustGet("DATABASE_URL"))
//
// Started as `svc-wrapper -- ./program`, the program finds its secrets in a memfd_secret(2) region, by the
// number of a descriptor in SVC_SECRET_FD: the wrapper knows programs that use this package by their build
// information, which ldflags -s and -w leave in place. Started without it, Open returns a nil Store, and the
// same code reads environment variables: nothing is needed for development, and nothing on other systems than
// Linux.
//
// # What it promises
//
//   - Values that the wrapper delivers are in protected pages and nowhere else: Get returns strings that point
//     there. They are not in /proc/PID/environ, in /proc/PID/cmdline, in Go's heap, or in a core dump. Where the
//     kernel has memfd_secret (Linux 5.14) neither /proc/PID/mem nor the kernel's own map of memory shows them to
//     root; [Store.Protection] says whether it has. Who is trusted with what is in the project's
//     docs/threat-model.md: root can take the wrapper's descriptor, or put code into the program.
//   - After Open neither the descriptor nor the variable is there, for children to inherit.
//   - Get, Has and Use take no lock, allocate nothing, and are safe from any goroutine. No method of a Store
//     faults, closed or not, or returns part of one value and part of another.
//   - No error, and nothing that prints a Store or a [Secret] (fmt, JSON, loggers, packages that use
//     reflection), holds a value.
//
// # What it cannot do
//
// A string is valid until Close, and then using it ends the program: Go cannot tell who holds it. [Store.Use]
// lends the bytes for the time of a call, and [Store.Copy] makes a copy that lives until it is wiped.
//
// The program itself makes copies in its heap where it joins strings, converts them to []byte and back, prints
// or encodes them, and so do packages that it hands them to: database drivers, HTTP clients. What is copied is
// readable for whoever may read the process's memory. Children get nothing; start them under a wrapper of their
// own. System calls that pin pages (O_DIRECT, vmsplice, registered buffers of io_uring) refuse memfd_secret.
//
// # Values that are replaced
//
// With SVC_ROTATION=sighup the wrapper puts new values in place and sends SIGHUP. [Store.Reload] takes them
// over, and [Store.Watch] does so at each SIGHUP; [Store.UseAll] reads values that belong together. A value that
// Get has handed out stays in memory beside the new one until Close, as somebody may hold it. What only Use and
// Copy have read is overwritten, except for the values that the program was started with: those stay in the
// region for as long as it runs. All of it counts against RLIMIT_MEMLOCK; where that is used up Reload fails, and
// the store holds what it held. A program that is run so has to catch SIGHUP, by Watch or by itself; otherwise
// the signal ends it. With the default, SVC_ROTATION=restart, the program is started again and none of this
// matters.
package secrets
