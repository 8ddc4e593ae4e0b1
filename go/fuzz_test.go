package secrets

import (
	"bytes"
	"strings"
	"testing"
)

func addVectors(f *testing.F, folders ...string) {
	for _, folder := range folders {
		for _, c := range readVectors(f, folder) {
			f.Add(readVector(f, folder, c.File))
		}
	}
}

// FuzzRegion compares the result with that of a reader that cuts the text at its NULs.
func FuzzRegion(f *testing.F) {
	addVectors(f, regionVectors)
	f.Fuzz(func(t *testing.T, region []byte) {
		read, err := readInPlace(region)
		if err != nil {
			return
		}
		entries, zeroes, _ := strings.Cut(string(region), "\x00\x00")
		if len(region) > 0 && region[0] == 0 {
			entries, zeroes = "", string(region)
		}
		if strings.Trim(zeroes, "\x00") != "" {
			t.Fatalf("it was taken with %q behind its end", zeroes)
		}
		want := map[string]string{}
		for text := range strings.SplitSeq(strings.TrimSuffix(entries, "\x00"), "\x00") {
			if key, value, ok := strings.Cut(text, "="); ok {
				want[key] = value
			} else if text != "" {
				t.Fatalf("it was taken with the entry %q", text)
			}
		}
		expectValues(t, read, want)
	})
}

// FuzzReloadable looks for read bytes outside the current slot, and for crashes.
func FuzzReloadable(f *testing.F) {
	addVectors(f, regionVectors, reloadableVectors)
	f.Fuzz(func(t *testing.T, region []byte) {
		m, err := readRegion(region)
		if err != nil {
			if err.Code != ErrFormat {
				t.Fatalf("refused as %s", err)
			}
			return
		}
		slot := region
		if m.reloadable != nil {
			slot = m.reloadable.slot(m.current.Load().generation)
		}
		for key, v := range m.current.Load().values {
			entry := append(append([]byte(key+"="), v.bytes()...), 0)
			if !bytes.Contains(slot, entry) {
				t.Fatalf("%q is not in the slot", entry)
			}
		}
		if err := m.arena.seal(); err != nil {
			t.Fatal(err)
		}
	})
}

func expectValues(t *testing.T, got *snapshot, want map[string]string) {
	t.Helper()
	if len(got.values) != len(want) {
		t.Fatalf("%d secrets %q, want %d", len(got.values), got.keys(), len(want))
	}
	for key, value := range want {
		v := got.values[key]
		if v == nil || string(v.bytes()) != value {
			t.Fatalf("%q: got %v, want %q", key, v, value)
		}
	}
}
