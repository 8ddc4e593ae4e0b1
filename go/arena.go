package secrets

import (
	"errors"
	"slices"
	"sync"
	"unsafe"
)

const chunkPage = 4096

// An arena holds the values that came after the first ones. They are laid one behind the other, so that those
// which must stay take no more than their length; what is replaced and unused is overwritten, and pages go
// back when nothing in them is needed.
type arena struct {
	mu     sync.Mutex
	chunks []*chunk
}

type chunk struct {
	mapping
	used int
	// Values that have not gone back.
	live int
}

// Where values without bytes are.
var nothing byte

// place copies values into the arena: all of them, or none. The error has no Op.
func (a *arena) place(contents [][]byte) ([]*value, *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	total := 0
	for _, content := range contents {
		total += len(content)
	}
	home, problem := a.room(total)
	if problem != nil {
		return nil, problem
	}
	values := make([]*value, len(contents))
	for i, content := range contents {
		values[i] = home.add(content)
	}
	return values, nil
}

// room returns a chunk with that many bytes left; nil for none.
func (a *arena) room(length int) (*chunk, *Error) {
	if length == 0 {
		return nil, nil
	}
	if last := len(a.chunks) - 1; last >= 0 && a.chunks[last].left() >= length {
		return a.chunks[last], nil
	}
	memory, problem := newMemory((length + chunkPage - 1) / chunkPage * chunkPage)
	if problem != nil {
		return nil, problem
	}
	a.dropEmpty()
	home := &chunk{mapping: memory}
	a.chunks = append(a.chunks, home)
	return home, nil
}

func (c *chunk) left() int { return c.length - c.used }

func (c *chunk) add(content []byte) *value {
	if len(content) == 0 {
		return &value{start: unsafe.Pointer(&nothing)}
	}
	target := c.bytes()[c.used:]
	copy(target, content)
	c.used += len(content)
	c.live++
	return &value{start: unsafe.Pointer(unsafe.SliceData(target)), length: len(content), home: c}
}

// takeBack overwrites a value, and gives its chunk back with the last one in it.
func (a *arena) takeBack(v *value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(v.bytes())
	v.home.live--
	if v.home.live > 0 {
		return
	}
	// The last one is where the next value goes.
	if v.home == a.chunks[len(a.chunks)-1] {
		v.home.used = 0
		return
	}
	a.dropEmpty()
}

func (a *arena) dropEmpty() {
	a.chunks = slices.DeleteFunc(a.chunks, func(c *chunk) bool {
		if c.live == 0 {
			c.unmap()
		}
		return c.live == 0
	})
}

// seal gives everything back and leaves the addresses inaccessible.
func (a *arena) seal() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var problems []error
	for _, c := range a.chunks {
		problems = append(problems, c.seal())
	}
	a.chunks = nil
	return errors.Join(problems...)
}
