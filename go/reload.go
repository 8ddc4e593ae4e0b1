package secrets

import "bytes"

// Reload takes over the values that the wrapper has put in place of the ones before
// (SVC_ROTATION=sighup: they are there when SIGHUP arrives). It returns the sorted names of the
// secrets that are new, changed or gone since Reload was last called on this store, or since it was
// opened. It returns nil if there are none. If values are never replaced, and for a nil Store, it
// does nothing.
//
// All values change at once. They change for every Store of the process, by a Reload of any Store,
// and by a [Store.Watch]; read values that belong together by [Store.UseAll].
//
// If it fails, the store keeps its values: with [ErrFormat], [ErrBusy] and [ErrMemory], or
// [ErrClosed].
func (s *Store) Reload() (changed []string, err error) {
	if s == nil {
		return nil, nil
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	changed, now, err := s.changedSince(s.told)
	if err == nil {
		s.told = now
	}
	return changed, err
}

// changedSince reloads, and compares the current values with the earlier ones.
func (s *Store) changedSince(before *snapshot) (changed []string, now *snapshot, err error) {
	m := s.acquire()
	if m == nil {
		return nil, nil, &Error{Op: "reload", Code: ErrClosed}
	}
	defer m.release()
	if opErr := m.reload(); opErr != nil {
		opErr.Op = "reload"
		return nil, nil, opErr
	}
	now = m.current.Load()
	return now.changedSince(before), now, nil
}

func (m *memory) reload() *Error {
	m.reloading.Lock()
	defer m.reloading.Unlock()
	before := m.current.Load()
	if m.reloadable == nil || m.reloadable.generation() == before.generation {
		return nil
	}
	after, opErr := m.readGeneration(before)
	if opErr != nil {
		return opErr
	}
	// First, so that a reader that comes too late for a value finds the next one.
	m.current.Store(after)
	for key, old := range before.values {
		if after.values[key] != old && old.replace() {
			m.arena.takeBack(old)
		}
	}
	return nil
}

// readGeneration makes the snapshot of the current generation; unchanged values are the same
// objects.
func (m *memory) readGeneration(before *snapshot) (*snapshot, *Error) {
	copied, generation, opErr := m.reloadable.copyCurrent(m.protection)
	if opErr != nil {
		return nil, opErr
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
	placed, opErr := m.arena.place(contents)
	if opErr != nil {
		return nil, opErr
	}
	for i, key := range keys {
		values[key] = placed[i]
	}
	return &snapshot{generation: generation, values: values}, nil
}
