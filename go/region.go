package secrets

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// An entry is one KEY=VALUE of a region, by its offsets: nothing is copied.
type entry struct {
	start, equals, end int
}

func (e entry) key(region []byte) []byte   { return region[e.start:e.equals] }
func (e entry) value(region []byte) []byte { return region[e.equals+1 : e.end] }

// parseRegion reads a secret region: `KEY=VALUE` entries, each ended by one NUL, then zero bytes to
// the end. A key is UTF-8 without control characters, and is not empty; whether one occurs twice
// shows when they are indexed. TypeScript and C read the same format: its cases are in
// formats/vectors/region.
//
// An error names the position: the bytes there may belong to a secret.
func parseRegion(region []byte) ([]entry, error) {
	var entries []entry
	at := 0
	for at < len(region) && region[at] != 0 {
		found, err := parseEntry(region, at)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found)
		at = found.end + 1
	}
	if !isZero(region[min(at, len(region)):]) {
		return nil, fmt.Errorf("byte %d: something follows the first empty entry", at)
	}
	return entries, nil
}

func parseEntry(region []byte, start int) (entry, error) {
	length := bytes.IndexByte(region[start:], 0)
	if length < 0 {
		return entry{}, fmt.Errorf("byte %d: the entry does not end in NUL", start)
	}
	end := start + length
	equals := bytes.IndexByte(region[start:end], '=')
	if equals < 0 {
		return entry{}, fmt.Errorf("byte %d: the entry has no =", start)
	}
	found := entry{start: start, equals: start + equals, end: end}
	if !isKey(found.key(region)) {
		return entry{}, fmt.Errorf("byte %d: the key is empty, is not UTF-8, or holds a control character", start)
	}
	return found, nil
}

func isKey(key []byte) bool {
	return len(key) > 0 && utf8.Valid(key) && bytes.IndexFunc(key, unicode.IsControl) < 0
}

// isZero compares the bytes with themselves, one further: a megabyte takes as long as a memcmp.
func isZero(b []byte) bool {
	return len(b) == 0 || b[0] == 0 && bytes.Equal(b[1:], b[:len(b)-1])
}
