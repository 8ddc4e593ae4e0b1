package secrets

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A memory is the source of one or more stores. Reading takes no lock: the current state is one
// pointer to a snapshot that never changes.
type memory struct {
	region     mapping
	protection Protection
	// Nil if values are never replaced.
	reloadable *reloadable
	current    atomic.Pointer[snapshot]
	arena      arena
	// One at a time.
	reloading sync.Mutex
	// Stores that are open, and calls that use the bytes at the moment. With the last of them all
	// goes back.
	holders holders
}

func (m *memory) release() error {
	if !m.holders.release() {
		return nil
	}
	return errors.Join(m.region.seal(), m.arena.seal())
}

// get returns a value that stays until everything is given back.
func (m *memory) get(key string) (string, bool) {
	for {
		v, ok := m.current.Load().values[key]
		if !ok {
			return "", false
		}
		// False only if there is another snapshot already.
		if text, ok := v.keep(); ok {
			return text, true
		}
	}
}

// acquireValue returns a value that stays until releaseValues; nil if there is none.
func (m *memory) acquireValue(key string) *value {
	for {
		v := m.current.Load().values[key]
		if v == nil || v.acquire() {
			return v
		}
	}
}

// acquireValues is acquireValue for several, all of one snapshot; nil in the place of those that
// are not there.
func (m *memory) acquireValues(keys []string) []*value {
	for {
		current := m.current.Load()
		held := make([]*value, len(keys))
		late := false
		for i, key := range keys {
			if v := current.values[key]; v != nil && v.acquire() {
				held[i] = v
			} else if v != nil {
				late = true
			}
		}
		if !late {
			return held
		}
		m.releaseValues(held...)
	}
}

func (m *memory) releaseValues(values ...*value) {
	for _, v := range values {
		if v != nil && v.release() {
			m.arena.takeBack(v)
		}
	}
}
