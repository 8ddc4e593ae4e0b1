//go:build !linux

package secrets

import (
	"os"
	"unsafe"
)

const supported = false

// Open returns before it comes to this.
func mapRegion(int) (mapping, Protection, *Error) {
	return mapping{}, ProtectionNone, &Error{Code: ErrMemory, Detail: "there is none but on Linux"}
}

// newMemory returns memory of Go's heap, for copies of environment variables.
func newMemory(length int, _ Protection) (mapping, *Error) {
	return mapping{unsafe.Pointer(unsafe.SliceData(make([]byte, length))), length}, nil
}

func (m mapping) unmap() error { return nil }

func (m mapping) reserve() error { return nil }

func closeDescriptor(int) {}

func notifyHangUps(chan<- os.Signal) {}

func stopHangUps(chan<- os.Signal) {}
