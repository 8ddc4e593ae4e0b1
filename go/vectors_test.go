package secrets

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"
)

const (
	regionVectors     = "../formats/vectors/region"
	reloadableVectors = "../formats/vectors/reloadable-region"
)

type vectorCase struct {
	Name, File, Error string
	Generation        uint64
	Entries           []vectorEntry
}

type vectorEntry struct {
	Key, Value string
	ValueHex   *string
}

func (e vectorEntry) value(t *testing.T) string {
	if e.ValueHex == nil {
		return e.Value
	}
	decoded, err := hex.DecodeString(*e.ValueHex)
	if err != nil {
		t.Fatal(err)
	}
	return string(decoded)
}

func readVectors(t testing.TB, folder string) []vectorCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Cases []vectorCase }
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Cases) == 0 {
		t.Fatalf("%s holds no cases", folder)
	}
	return vectors.Cases
}

func readVector(t testing.TB, folder, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// readRegion reads a region as Open does, out of memory that no kernel protects.
func readRegion(content []byte) (*memory, *Error) {
	// At an address that is a multiple of 8, as a mapping's is.
	words := make([]uint64, len(content)/8+1)
	region := mapping{unsafe.Pointer(unsafe.SliceData(words)), len(content)}
	copy(region.bytes(), content)
	m := &memory{region: region}
	m.holders.own()
	return m, m.read()
}

func TestEveryReaderReadsTheVectors(t *testing.T) {
	for _, folder := range []string{regionVectors, reloadableVectors} {
		for _, c := range readVectors(t, folder) {
			t.Run(filepath.Base(folder)+"/"+c.Name, func(t *testing.T) {
				m, err := readRegion(readVector(t, folder, c.File))
				if c.Error != "" {
					if err == nil || err.Code != ErrFormat {
						t.Fatalf("got %v, want it refused as %s (%s)", err, c.Error, ErrFormat)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				expectEntries(t, m, c)
			})
		}
	}
}

func expectEntries(t *testing.T, m *memory, c vectorCase) {
	t.Helper()
	current := m.current.Load()
	if current.generation != c.Generation {
		t.Errorf("generation %d, want %d", current.generation, c.Generation)
	}
	var keys []string
	for _, e := range c.Entries {
		keys = append(keys, e.Key)
		if got, ok := m.get(e.Key); !ok || got != e.value(t) {
			t.Errorf("%s: got %q, %t, want %q", e.Key, got, ok, e.value(t))
		}
	}
	slices.Sort(keys)
	if got := current.keys(); !slices.Equal(got, keys) {
		t.Errorf("keys %q, want %q", got, keys)
	}
}
