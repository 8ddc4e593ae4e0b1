package secrets

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

const benchKey, benchValue = "DATABASE_PASSWORD", "correct horse battery staple"

// A map with a read-write mutex, of strings on the heap: the usual code without this package.
type mutexMap struct {
	mu     sync.RWMutex
	values map[string]string
}

func (m *mutexMap) get(key string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.values[key]
}

func benchEntries(count int) []string {
	entries := []string{benchKey + "=" + benchValue}
	for i := len(entries); i < count; i++ {
		entries = append(entries, fmt.Sprintf("APPLICATION_SETTING_%d=%s %d", i, benchValue, i))
	}
	return entries
}

func readers(b *testing.B) map[string]func(string) string {
	b.Setenv(benchKey, benchValue)
	plain := &mutexMap{values: map[string]string{}}
	for _, e := range benchEntries(20) {
		key, value, _ := strings.Cut(e, "=")
		plain.values[key] = value
	}
	store := openBench(b, benchEntries(20))
	writer := reloadableOf(testSlotBytes, benchEntries(20)...)
	publish(writer, append(benchEntries(20)[1:], benchKey+"=replaced")...)
	replaced, _ := openBenchRegion(b, writer)
	return map[string]func(string) string{
		"store":     store.Get,
		"reloaded":  replaced.Get,
		"getenv":    os.Getenv,
		"mutex-map": plain.get,
	}
}

func openBench(b *testing.B, entries []string) *Store {
	store, _ := openBenchRegion(b, regionOf(entries...))
	return store
}

func openBenchRegion(b *testing.B, region []byte) (*Store, []byte) {
	return openRegion(b, region, ProtectionMemfdSecret)
}

func BenchmarkGet(b *testing.B) {
	for name, get := range readers(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if get(benchKey) == "" {
					b.Fatal("it is not there")
				}
			}
		})
	}
}

func BenchmarkGetParallel(b *testing.B) {
	for name, get := range readers(b) {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if get(benchKey) == "" {
						b.Error("it is not there")
					}
				}
			})
		})
	}
}

func BenchmarkUse(b *testing.B) {
	store := openBench(b, benchEntries(20))
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			store.Use(benchKey, func(value []byte) { _ = value[0] })
		}
	})
}

func BenchmarkCopy(b *testing.B) {
	store := openBench(b, benchEntries(20))
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			secret, err := store.Copy(benchKey)
			if err != nil {
				b.Fatal(err)
			}
			secret.Wipe()
		}
	})
}

// The descriptor is made again each time, which is not counted: Open closes it.
func BenchmarkOpen(b *testing.B) {
	for _, count := range []int{10, 1000} {
		entries := benchEntries(count)
		region := regionOf(entries...)
		fd, _ := newRegion(b, region, ProtectionMemfdSecret)
		defer unix.Close(fd)
		b.Run(fmt.Sprintf("%d-entries", count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, err := openDescriptor(fd)
				if err != nil {
					b.Fatal(err)
				}
				if err := m.release(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReload(b *testing.B) {
	for _, count := range []int{10, 1000} {
		entries := benchEntries(count)
		b.Run(fmt.Sprintf("%d-entries", count), func(b *testing.B) {
			store, writer := openBenchRegion(b, reloadableOf(1<<20, entries...))
			for i := 0; b.Loop(); i++ {
				publish(writer, append(entries[1:], fmt.Sprint(benchKey, "=", i))...)
				if _, err := store.Reload(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
