package secrets

import "os"

// Use calls f with the bytes of Get's value, in place, and reports whether there is such a
// secret (or environment variable, as for Get). They are always valid until f returns: f may
// close the store. Writing to them is a fault, and f must not keep them. An empty secret exists all
// the same: f gets no bytes then. (An environment variable that is empty is not there.)
//
// If values are replaced often, prefer Use to Get: a value that Reload has replaced is overwritten
// once no call uses it.
func (s *Store) Use(key string, f func(value []byte)) bool {
	if s == nil {
		return useVariable(key, f)
	}
	m := s.acquire()
	if m == nil {
		return false
	}
	defer m.release()
	v := m.acquireValue(key)
	if v == nil {
		return useVariable(key, f)
	}
	defer m.releaseValues(v)
	f(v.bytes())
	return true
}

// UseAll is Use for secrets that belong together, as a user name and its password do. f gets the
// value of each key, in their order, and all of them were delivered at the same time. If one of
// them is missing, UseAll returns false, and does not call f. Values may be empty.
func (s *Store) UseAll(keys []string, f func(values [][]byte)) bool {
	held := make([]*value, len(keys))
	if s != nil {
		m := s.acquire()
		if m == nil {
			return false
		}
		defer m.release()
		held = m.acquireValues(keys)
		defer m.releaseValues(held...)
	}
	values := make([][]byte, len(keys))
	for i, v := range held {
		if v != nil {
			values[i] = v.bytes()
			continue
		}
		content := variable(keys[i])
		if content == nil {
			return false
		}
		defer clear(content)
		values[i] = content
	}
	f(values)
	return true
}

func useVariable(key string, f func([]byte)) bool {
	content := variable(key)
	if content == nil {
		return false
	}
	defer clear(content)
	f(content)
	return true
}

// variable copies an environment variable; nil if it is not there or empty.
func variable(key string) []byte {
	text := os.Getenv(key)
	if text == "" {
		return nil
	}
	return []byte(text)
}
