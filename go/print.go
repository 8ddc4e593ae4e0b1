package secrets

import (
	"encoding/json"
	"fmt"
	"io"
)

const redacted = "[secret]"

// String says how many secrets there are and how they are protected; never their values.
func (s *Store) String() string {
	if s == nil {
		return "secrets.Store(nil, environment variables)"
	}
	m := s.memory.Load()
	if m == nil {
		return "secrets.Store(closed)"
	}
	return fmt.Sprintf("secrets.Store(open, keys: %d, %s)", len(m.current.Load().values), m.protection)
}

// Format prints String, for every verb.
func (s *Store) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// MarshalJSON gives the names of the secrets and how they are protected; never their values.
func (s *Store) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Protection Protection `json:"protection"`
		Keys       []string   `json:"keys"`
	}{s.Protection(), s.Keys()})
}

// String returns "[secret]".
func (s *Secret) String() string { return redacted }

// Format prints "[secret]", for every verb.
func (s *Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// MarshalText gives "[secret]", to JSON, YAML, XML and loggers.
func (s *Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
