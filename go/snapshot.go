package secrets

import (
	"errors"
	"maps"
	"slices"
	"unsafe"
)

// A snapshot is the content of a store at one time; it is never changed, only replaced.
type snapshot struct {
	generation uint64
	values     map[string]*value
}

// keys are never nil.
func (s *snapshot) keys() []string {
	keys := slices.AppendSeq(make([]string, 0, len(s.values)), maps.Keys(s.values))
	slices.Sort(keys)
	return keys
}

// changedSince returns the names of new, changed and gone values, sorted; nil for none. An
// unchanged value is the same object.
func (s *snapshot) changedSince(before *snapshot) []string {
	var changed []string
	for key, old := range before.values {
		if s.values[key] != old {
			changed = append(changed, key)
		}
	}
	for key := range s.values {
		if _, ok := before.values[key]; !ok {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}

// readInPlace reads a region whose bytes never change: the values are where they are.
func readInPlace(region []byte) (*snapshot, error) {
	entries, err := parseRegion(region)
	if err != nil {
		return nil, err
	}
	// In one piece: a thousand values are not a thousand allocations.
	room := make([]value, len(entries))
	values := make(map[string]*value, len(entries))
	for i, e := range entries {
		key := string(e.key(region))
		if _, twice := values[key]; twice {
			return nil, keyTwice(key)
		}
		content := e.value(region)
		room[i] = value{start: unsafe.Pointer(unsafe.SliceData(content)), length: len(content)}
		values[key] = &room[i]
	}
	return &snapshot{values: values}, nil
}

func keyTwice(key string) error { return errors.New("the key " + quote(key) + " occurs twice") }
