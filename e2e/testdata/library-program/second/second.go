// Package second is one that reads secrets by itself, as packages of different authors do.
package second

import "svc.internal/secrets"

// Reader has its own store.
type Reader struct{ store *secrets.Store }

// New opens it.
func New() (*Reader, error) {
	store, err := secrets.Open()
	return &Reader{store}, err
}

// Length returns the length of a secret.
func (r *Reader) Length(key string) int { return len(r.store.Get(key)) }

// Close closes it.
func (r *Reader) Close() error { return r.store.Close() }
