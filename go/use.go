package secrets

import "os"

// Use calls f with the bytes of what Get would return, where they are, and reports whether there is such a
// secret (or environment variable, as for Get). They are valid until f returns, whatever happens meanwhile:
// f may close the store. They must not be written to, and f must not keep them. Where values are replaced
// often it is to be preferred to Get: what Reload has replaced is overwritten once nobody uses it.
func (s *Store) Use(key string, f func(value []byte)) bool {
	if s == nil {
		return useVariable(key, f)
	}
	m := s.hold()
	if m == nil {
		return false
	}
	defer m.letGo()
	v := m.holdValue(key)
	if v == nil {
		return useVariable(key, f)
	}
	defer m.letGoValue(v)
	f(v.bytes())
	return true
}

func useVariable(key string, f func([]byte)) bool {
	text := os.Getenv(key)
	if text == "" {
		return false
	}
	content := []byte(text)
	defer clear(content)
	f(content)
	return true
}
