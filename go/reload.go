package secrets

import (
	"bytes"
	"slices"
)

// Reload takes over the values that the wrapper has put in place of the ones before (SVC_ROTATION=sighup: they
// are there when SIGHUP arrives), and returns the names of the secrets that are new, other or gone, sorted.
// All change at once; between two calls nothing changes. Where nothing is new, where values are never
// replaced, and for a nil Store, it returns nil and does nothing.
//
// Where it fails the store holds what it held before: with [ErrFormat], [ErrBusy] and [ErrMemory], or
// [ErrClosed].
func (s *Store) Reload() (changed []string, err error) {
	if s == nil {
		return nil, nil
	}
	m := s.hold()
	if m == nil {
		return nil, &Error{Op: "reload", Code: ErrClosed}
	}
	defer m.letGo()
	changed, problem := m.reload()
	if problem != nil {
		problem.Op = "reload"
		return nil, problem
	}
	return changed, nil
}

func (m *memory) reload() ([]string, *Error) {
	m.reloading.Lock()
	defer m.reloading.Unlock()
	before := m.current.Load()
	if m.reloadable == nil || m.reloadable.generation() == before.generation {
		return nil, nil
	}
	after, problem := m.readGeneration(before)
	if problem != nil {
		return nil, problem
	}
	// First, so that whoever comes too late for a value finds the next one.
	m.current.Store(after)
	return m.replaceValues(before, after), nil
}

// readGeneration makes the snapshot of what is current; values that are as before are the same ones.
func (m *memory) readGeneration(before *snapshot) (*snapshot, *Error) {
	copied, generation, problem := m.reloadable.copyCurrent()
	if problem != nil {
		return nil, problem
	}
	defer copied.wipe()
	region := copied.bytes()
	entries, err := parseRegion(region)
	if err != nil {
		return nil, notRead(err)
	}
	return m.placeEntries(generation, region, entries, before)
}

func (m *memory) placeEntries(
	generation uint64, region []byte, entries []entry, before *snapshot,
) (*snapshot, *Error) {
	values := make(map[string]*value, len(entries))
	var keys []string
	var contents [][]byte
	for _, e := range entries {
		key := string(e.key(region))
		if _, twice := values[key]; twice {
			return nil, notRead(keyTwice(key))
		}
		old := before.values[key]
		values[key] = old
		if old == nil || !bytes.Equal(old.bytes(), e.value(region)) {
			keys = append(keys, key)
			contents = append(contents, e.value(region))
		}
	}
	placed, problem := m.arena.place(contents)
	if problem != nil {
		return nil, problem
	}
	for i, key := range keys {
		values[key] = placed[i]
	}
	return &snapshot{generation: generation, values: values}, nil
}

// replaceValues lets go of what is not in the snapshot any more, and returns the names that changed.
func (m *memory) replaceValues(before, after *snapshot) []string {
	var changed []string
	for key, old := range before.values {
		if after.values[key] == old {
			continue
		}
		changed = append(changed, key)
		if old.replace() {
			m.arena.takeBack(old)
		}
	}
	for key := range after.values {
		if _, ok := before.values[key]; !ok {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}
