package secrets

import "sync/atomic"

// A Secret is a copy of one value, in protected memory of its own: it outlives its Store, and is there until
// Wipe. Each takes a page of RLIMIT_MEMLOCK. All of its methods may be called at the same time, and for a nil
// Secret.
type Secret struct {
	// Nil once it is wiped. Whatever prints a Secret by reflection ends here.
	copy atomic.Pointer[mapping]
	// The memory is whole pages.
	length int
}

// Copy copies what Get would return. Wipe the copy when it is needed no more: nothing else does.
//
// It fails with [ErrNotFound] where there is no such secret, with [ErrClosed], and with [ErrMemory].
func (s *Store) Copy(key string) (*Secret, error) {
	var secret *Secret
	var problem *Error
	found := s.Use(key, func(value []byte) { secret, problem = newSecret(value) })
	switch {
	case problem != nil:
		problem.Op = "copy"
		return nil, problem
	case found:
		return secret, nil
	case s != nil && s.memory.Load() == nil:
		return nil, &Error{Op: "copy", Code: ErrClosed}
	default:
		return nil, &Error{Op: "copy", Code: ErrNotFound, Detail: `"` + key + `"`}
	}
}

// newSecret copies a value. The error has no Op.
func newSecret(value []byte) (*Secret, *Error) {
	memory, problem := newMemory(max(len(value), 1))
	if problem != nil {
		return nil, problem
	}
	copy(memory.bytes(), value)
	s := &Secret{length: len(value)}
	s.copy.Store(&memory)
	return s, nil
}

// Bytes returns the copy itself, valid until Wipe; nil after that. Whoever has kept it must not use it then.
func (s *Secret) Bytes() []byte {
	if s == nil {
		return nil
	}
	memory := s.copy.Load()
	if memory == nil {
		return nil
	}
	return memory.bytes()[:s.length:s.length]
}

// Wipe overwrites the copy and gives its memory back. It may be called again.
func (s *Secret) Wipe() {
	if s == nil {
		return
	}
	if memory := s.copy.Swap(nil); memory != nil {
		memory.wipe()
	}
}
