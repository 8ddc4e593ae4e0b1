package secrets

import (
	"sync"
	"unsafe"
)

// A mapping is memory outside Go's heap. It is named by its address: packages that print any value
// follow slices and strings by reflection, and not this.
type mapping struct {
	start  unsafe.Pointer
	length int
}

func (m mapping) bytes() []byte { return unsafe.Slice((*byte)(m.start), m.length) }

// wipe overwrites the memory and gives it back.
func (m mapping) wipe() {
	clear(m.bytes())
	_ = m.unmap()
}

// seal gives the pages back and leaves their addresses taken and inaccessible. Code that kept a
// string is stopped by a fault. If the addresses were free, it would read the next mapping there,
// and Go's garbage collector would take it for a pointer into its heap.
func (m mapping) seal() error {
	if m.reserve() == nil {
		return nil
	}
	return m.unmap()
}

// The memory of the last copies that were wiped. A program may make very many: of those before them
// the addresses are free again.
var sealed struct {
	sync.Mutex
	last [1024]mapping
	next int
}

// wipeAndSeal is seal for memory of which there is much.
func (m mapping) wipeAndSeal() {
	clear(m.bytes())
	if m.reserve() != nil {
		_ = m.unmap()
		return
	}
	sealed.Lock()
	defer sealed.Unlock()
	if before := sealed.last[sealed.next]; before.length > 0 {
		_ = before.unmap()
	}
	sealed.last[sealed.next] = m
	sealed.next = (sealed.next + 1) % len(sealed.last)
}
