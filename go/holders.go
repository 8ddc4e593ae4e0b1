package secrets

import "sync/atomic"

// Holders counts who needs something: its owner, and calls that use it at the moment.
type holders struct{ count atomic.Int64 }

// own is for the owner, before other code sees it.
func (h *holders) own() { h.count.Store(1) }

// acquire adds one; false if there are none left, and their object is gone.
func (h *holders) acquire() bool {
	for {
		count := h.count.Load()
		if count == 0 {
			return false
		}
		if h.count.CompareAndSwap(count, count+1) {
			return true
		}
	}
}

// release takes one away, and reports whether it was the last.
func (h *holders) release() bool { return h.count.Add(-1) == 0 }
