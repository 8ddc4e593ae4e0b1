package secrets

import (
	"fmt"
	"strconv"
)

// A Code is the kind of an [Error]: errors.Is(err, secrets.ErrNotMemory).
type Code string

// Error makes a code the target of [errors.Is].
func (c Code) Error() string { return "secrets: " + string(c) }

// Every code there is.
const (
	// ErrVariable: SVC_SECRET_FD is set to something that is not a descriptor number.
	ErrVariable Code = "SVC_SECRET_FD is not a descriptor number"
	// ErrDescriptor: the descriptor is not open, or not for reading.
	ErrDescriptor Code = "the descriptor is not open for reading"
	// ErrNotMemory: the descriptor is a socket, a pipe, a directory, a file on a disk, not a memory
	// file.
	ErrNotMemory Code = "the descriptor is not of memory"
	// ErrSize: the memory is empty, or longer than 64 MiB.
	ErrSize Code = "the memory is of no size that a region has"
	// ErrFormat: the memory holds no region.
	ErrFormat Code = "the memory holds no region of secrets"
	// ErrMemory: the kernel gives no memory; RLIMIT_MEMLOCK is the usual reason.
	ErrMemory Code = "no protected memory"
	// ErrBusy: the values were replaced faster than they could be read.
	ErrBusy Code = "the values are replaced too fast"
	// ErrNotFound: there is no secret of that name.
	ErrNotFound Code = "not found"
	// ErrClosed: the store is closed.
	ErrClosed Code = "the store is closed"
)

// An Error is the error of every function of this package. It never contains a value.
type Error struct {
	// Op is the failed operation: "open", "reload", "copy" or "close".
	Op   string
	Code Code
	// Detail is the finding, in words; may be empty.
	Detail string
	// Hint is a possible remedy; may be empty.
	Hint string
	// Err is the cause, if there is one.
	Err error
}

// Error returns one line: the operation, and the finding.
func (e *Error) Error() string {
	text := fmt.Sprintf("secrets: %s: %s", e.Op, string(e.Code))
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += " (hint: " + e.Hint + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Names are not longer.
const maxQuoted = 64

// quote makes one line of a text, and not a long one.
func quote(text string) string {
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "…"
	}
	return strconv.Quote(text)
}
