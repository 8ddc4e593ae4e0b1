package secrets

import (
	"sync/atomic"
	"unsafe"
)

// The state of a value: how many use it at the moment, and two marks.
const (
	// A string of it has been handed out: it stays until the memory is given back.
	kept int64 = 1 << 62
	// There is another one in its place; alone in the state, it means that no reader has it any
	// more.
	replaced int64 = 1 << 61
)

// A value is one secret in protected memory. A reader that took it from a replaced snapshot
// may come too late for it, and finds the next one in the next snapshot.
type value struct {
	start  unsafe.Pointer
	length int
	// The arena that receives it once it is replaced and unused; nil if it stays until the memory
	// is released.
	home  *chunk
	state atomic.Int64
}

func (v *value) bytes() []byte { return unsafe.Slice((*byte)(v.start), v.length) }

// keep makes the value stay, and returns it without a copy; false if it came too late.
func (v *value) keep() (string, bool) {
	if v.home != nil && !v.mark() {
		return "", false
	}
	return unsafe.String((*byte)(v.start), v.length), true
}

func (v *value) mark() bool {
	for {
		state := v.state.Load()
		if state&kept != 0 {
			return true
		}
		if state&replaced != 0 {
			return false
		}
		if v.state.CompareAndSwap(state, state|kept) {
			return true
		}
	}
}

// acquire keeps the value from going back until release; false if it came too late.
func (v *value) acquire() bool {
	if v.home == nil {
		return true
	}
	for {
		state := v.state.Load()
		if state&replaced != 0 {
			return false
		}
		if v.state.CompareAndSwap(state, state+1) {
			return true
		}
	}
}

// release ends that, and reports whether the value has to go back.
func (v *value) release() bool {
	return v.home != nil && v.state.Add(-1) == replaced
}

// replace records that there is another one, which the next reader must find; reports whether the
// value has to go back.
func (v *value) replace() bool {
	return v.home != nil && v.state.Or(replaced) == 0
}
