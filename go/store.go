package secrets

import (
	"os"
	"sync"
	"sync/atomic"
)

// A Store gives access to secrets in protected memory. It is open until Close. All of its methods
// may be called at the same time by any number of goroutines.
//
// A nil *Store is valid: it reads environment variables, as a program does that runs without
// protection.
type Store struct {
	// Nil once it is closed. Code that prints a Store by reflection ends here.
	memory atomic.Pointer[memory]
	closed chan struct{}
	// One at a time, and the last reported snapshot: only the addresses of its values are used.
	reloading sync.Mutex
	told      *snapshot
}

func newStore(m *memory) *Store {
	s := &Store{closed: make(chan struct{}), told: m.current.Load()}
	s.memory.Store(m)
	return s
}

// acquire returns the store's memory, mapped until it is released; nil for a closed store.
func (s *Store) acquire() *memory {
	m := s.memory.Load()
	if m == nil || !m.holders.acquire() {
		return nil
	}
	return m
}

// Get returns the value of a secret. The string points into protected memory: nothing is copied,
// and it is valid until Close, also when Reload has put another one in its place. Code that uses it
// later is stopped by a fault that cannot be recovered from; see [Store.Use] and [Store.Copy] for
// values that the caller does not keep or keeps longer.
//
// If the store has no such secret, and for a nil Store, it returns the environment variable of
// that name; for a closed one "".
func (s *Store) Get(key string) string {
	if s == nil {
		return os.Getenv(key)
	}
	m := s.memory.Load()
	if m == nil {
		return ""
	}
	if text, ok := m.get(key); ok {
		return text
	}
	return os.Getenv(key)
}

// MustGet is Get for secrets that a program cannot do without: it panics if the result is empty.
func (s *Store) MustGet(key string) string {
	text := s.Get(key)
	if text == "" {
		panic("secrets: secret " + quote(key) + " not found")
	}
	return text
}

// Has reports whether the store has a secret of that name, even if its value is empty. For a nil
// Store it reports whether the environment variable is there and not empty. For a closed one it
// reports false.
func (s *Store) Has(key string) bool {
	if s == nil {
		return os.Getenv(key) != ""
	}
	m := s.memory.Load()
	if m == nil {
		return false
	}
	_, ok := m.current.Load().values[key]
	return ok
}

// Keys returns the names of the secrets in the store, sorted; nil for a nil or closed Store.
func (s *Store) Keys() []string {
	if s == nil {
		return nil
	}
	m := s.memory.Load()
	if m == nil {
		return nil
	}
	return m.current.Load().keys()
}

// Protection says how the kernel protects the values; [ProtectionNone] for a nil or closed Store.
func (s *Store) Protection() Protection {
	if s == nil {
		return ProtectionNone
	}
	m := s.memory.Load()
	if m == nil {
		return ProtectionNone
	}
	return m.protection
}

// Close gives the memory back, with the last Store that reads it and once calls of Use that are
// under way have returned. It may be called again, from several goroutines, and for a nil Store.
//
// Strings that Get has returned must not be used any more: that ends the program by a fault, and
// never reads anything else.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	m := s.memory.Swap(nil)
	if m == nil {
		return nil
	}
	close(s.closed)
	if err := m.release(); err != nil {
		return &Error{Op: "close", Code: ErrMemory, Err: err}
	}
	return nil
}
