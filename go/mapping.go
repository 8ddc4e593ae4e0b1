package secrets

import "unsafe"

// A mapping is memory outside Go's heap. It is named by its address: packages that print whatever they are
// given follow slices and strings by reflection, and not this.
type mapping struct {
	start  unsafe.Pointer
	length int
}

func (m mapping) bytes() []byte { return unsafe.Slice((*byte)(m.start), m.length) }

// wipe overwrites the memory and gives it back.
func (m mapping) wipe() {
	clear(m.bytes())
	m.unmap()
}
