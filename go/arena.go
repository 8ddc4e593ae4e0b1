package secrets

import (
	"errors"
	"slices"
	"sync"
	"unsafe"
)

const (
	chunkPage = 4096
	maxChunk  = 1 << 20
)

// An arena holds the later values: those that must stay beside each other, without a
// page for each. A released value is overwritten and its room is reused, the first that is long
// enough. Each chunk is as long as all before it, up to a megabyte: a process may have 65,530
// mappings, and no more.
type arena struct {
	mu         sync.Mutex
	chunks     []*chunk
	protection Protection
}

// A chunk is pages with values in them, and room between them.
type chunk struct {
	mapping
	// By their place; no two touch.
	free []span
}

type span struct{ start, end int }

func (s span) length() int { return s.end - s.start }

// The place of values without bytes.
var nothing byte

// place copies values into the arena: all of them, or none. The error has no Op.
func (a *arena) place(contents [][]byte) ([]*value, *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	values := make([]*value, 0, len(contents))
	for _, content := range contents {
		home, start, err := a.room(len(content))
		if err != nil {
			for _, v := range values {
				a.giveBack(v)
			}
			return nil, err
		}
		values = append(values, home.put(start, content))
	}
	return values, nil
}

// room takes a number of bytes; no chunk for none.
func (a *arena) room(length int) (home *chunk, start int, err *Error) {
	if length == 0 {
		return nil, 0, nil
	}
	// In those that came first there is least room.
	for _, c := range slices.Backward(a.chunks) {
		if start, ok := c.take(length); ok {
			return c, start, nil
		}
	}
	memory, err := a.newChunk(length)
	if err != nil {
		return nil, 0, err
	}
	home = &chunk{mapping: memory, free: []span{{length, memory.length}}}
	a.chunks = append(a.chunks, home)
	return home, 0, nil
}

// newChunk takes no more than it must if RLIMIT_MEMLOCK allows no more.
func (a *arena) newChunk(length int) (mapping, *Error) {
	least := toPages(length)
	wanted := 0
	for _, c := range a.chunks {
		wanted += c.length
	}
	if wanted = min(wanted, maxChunk); wanted > least {
		if memory, err := newMemory(wanted, a.protection); err == nil {
			return memory, nil
		}
	}
	return newMemory(least, a.protection)
}

func toPages(length int) int { return (length + chunkPage - 1) / chunkPage * chunkPage }

func (c *chunk) take(length int) (start int, ok bool) {
	for i, s := range c.free {
		if s.length() >= length {
			c.free[i].start += length
			return s.start, true
		}
	}
	return 0, false
}

func (c *chunk) put(start int, content []byte) *value {
	if c == nil {
		return &value{start: unsafe.Pointer(&nothing)}
	}
	target := c.bytes()[start:]
	copy(target, content)
	return &value{start: unsafe.Pointer(unsafe.SliceData(target)), length: len(content), home: c}
}

// takeBack overwrites a value and takes its room again.
func (a *arena) takeBack(v *value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.giveBack(v)
}

func (a *arena) giveBack(v *value) {
	home := v.home
	if home == nil {
		return
	}
	clear(v.bytes())
	start := int(uintptr(v.start) - uintptr(home.start))
	home.giveBack(span{start, start + v.length})
	if home.free[0].length() < home.length || len(a.chunks) == 1 {
		return
	}
	a.chunks = slices.DeleteFunc(a.chunks, func(c *chunk) bool { return c == home })
	_ = home.unmap()
}

func (c *chunk) giveBack(s span) {
	at, _ := slices.BinarySearchFunc(c.free, s, func(a, b span) int { return a.start - b.start })
	c.free = slices.Insert(c.free, at, s)
	// Adjacent free room joins it, and so does room that has become free.
	merged := c.free[:1]
	for _, next := range c.free[1:] {
		if last := &merged[len(merged)-1]; next.start <= last.end {
			last.end = max(last.end, next.end)
		} else {
			merged = append(merged, next)
		}
	}
	c.free = merged
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
