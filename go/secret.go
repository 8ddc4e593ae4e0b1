package secrets

import "sync/atomic"

// A Secret is a copy of one value, in separate protected memory: it outlives its Store, and is
// there until Wipe. Each takes whole pages of RLIMIT_MEMLOCK. All of its methods may be called at
// the same time, and for a nil Secret.
type Secret struct {
	// Nil once it is wiped. Code that prints a Secret by reflection ends here.
	content atomic.Pointer[content]
}

type content struct {
	mapping
	// The mapping is one byte at least.
	length int
	// The Secret, and calls of Use. With the last of them it is overwritten.
	holders holders
}

func (c *content) value() []byte { return c.bytes()[:c.length:c.length] }

func (c *content) release() {
	if c.holders.release() {
		c.wipeAndSeal()
	}
}

// Copy copies the value that Get would return. Wipe the copy when it is needed no more: nothing
// else does.
//
// It fails with [ErrNotFound] if there is no such secret, with [ErrClosed], and with
// [ErrMemory].
func (s *Store) Copy(key string) (*Secret, error) {
	var secret *Secret
	var err *Error
	// Before the check: a store that is closed meanwhile would give no copy.
	protection := s.Protection()
	found := s.Use(key, func(value []byte) { secret, err = newSecret(value, protection) })
	switch {
	case err != nil:
		err.Op = "copy"
		return nil, err
	case found:
		return secret, nil
	case s != nil && s.memory.Load() == nil:
		return nil, &Error{Op: "copy", Code: ErrClosed}
	default:
		return nil, &Error{Op: "copy", Code: ErrNotFound, Detail: quote(key)}
	}
}

// newSecret copies a value. The error has no Op.
func newSecret(value []byte, protection Protection) (*Secret, *Error) {
	memory, err := newMemory(max(len(value), 1), protection)
	if err != nil {
		return nil, err
	}
	copy(memory.bytes(), value)
	c := &content{mapping: memory, length: len(value)}
	c.holders.own()
	s := &Secret{}
	s.content.Store(c)
	return s, nil
}

// Use calls f with the copy, and reports whether it was still there. It is valid until f returns,
// also if it is wiped meanwhile; f may write to it, and must not keep it.
func (s *Secret) Use(f func(value []byte)) bool {
	if s == nil {
		return false
	}
	c := s.content.Load()
	if c == nil || !c.holders.acquire() {
		return false
	}
	defer c.release()
	f(c.value())
	return true
}

// Bytes returns the copy itself, for an object that keeps it (a private key, a signer); nil once it
// is wiped. Code that uses the bytes after Wipe is stopped by a fault that cannot be recovered
// from. After 1,024 other copies have been wiped, it may read other data there. If that may happen,
// use Use. (On other systems than Linux it reads zeroes.)
func (s *Secret) Bytes() []byte {
	if s == nil {
		return nil
	}
	c := s.content.Load()
	if c == nil {
		return nil
	}
	return c.value()
}

// Wipe overwrites the copy and gives its pages back, once calls of Use that are under way have
// returned. It may be called again.
func (s *Secret) Wipe() {
	if s == nil {
		return
	}
	if c := s.content.Swap(nil); c != nil {
		c.release()
	}
}
