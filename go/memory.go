package secrets

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A memory is what one or more stores read. Reading takes no lock: what is current is one pointer to a
// snapshot that never changes.
type memory struct {
	region     mapping
	protection Protection
	// Nil where values are never replaced.
	reloadable *reloadable
	current    atomic.Pointer[snapshot]
	arena      arena
	// One at a time.
	reloading sync.Mutex
	// Stores that are open, and calls that use the bytes at the moment. With the last of them all goes back.
	users atomic.Int64
}

// hold keeps everything mapped until letGo; false where it has been given back.
func (m *memory) hold() bool {
	for {
		users := m.users.Load()
		if users == 0 {
			return false
		}
		if m.users.CompareAndSwap(users, users+1) {
			return true
		}
	}
}

func (m *memory) letGo() error {
	if m.users.Add(-1) > 0 {
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
		// False only where there is another snapshot already.
		if text, ok := v.keep(); ok {
			return text, true
		}
	}
}

// holdValue returns a value that stays until letGoValue; nil where there is none.
func (m *memory) holdValue(key string) *value {
	for {
		v, ok := m.current.Load().values[key]
		if !ok {
			return nil
		}
		if v.hold() {
			return v
		}
	}
}

func (m *memory) letGoValue(v *value) {
	if v.letGo() {
		m.arena.takeBack(v)
	}
}
