package secrets

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestACopyOutlivesItsStoreUntilItIsWiped(t *testing.T) {
	rows := map[string]string{"KEY": "value", "EMPTY": "", "LONG": strings.Repeat("x", 100_000)}
	for key, want := range rows {
		t.Run(key, func(t *testing.T) {
			store := openStore(t, key+"="+want)
			secret, err := store.Copy(key)
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			kept := secret.Bytes()
			if string(kept) != want || kept == nil || cap(kept) != len(want) {
				t.Errorf("%d bytes of %d, want %d", len(kept), cap(kept), len(want))
			}
			for range 2 {
				secret.Wipe()
				if got := secret.Bytes(); got != nil {
					t.Errorf("wiped: %q", got)
				}
			}
		})
	}
}

func TestACopyIsTheHoldersOwn(t *testing.T) {
	store := openStore(t, "KEY=value")
	secret, err := store.Copy("KEY")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Wipe()
	copy(secret.Bytes(), "XXXXX")
	_ = append(secret.Bytes(), "beyond it"...)
	expectEqual(t, "the copy", string(secret.Bytes()), "XXXXX")
	expectEqual(t, "the store", store.Get("KEY"), "value")
}

func TestCopyFailsWithItsReason(t *testing.T) {
	closed := openStore(t, "KEY=value")
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	rows := map[string]struct {
		store *Store
		code  Code
	}{
		"of an open store":    {openStore(t, "OTHER=1"), ErrNotFound},
		"of a nil store":      {nil, ErrNotFound},
		"of a closed store":   {closed, ErrClosed},
		"of one not opened":   {&Store{}, ErrClosed},
		"with no memory left": {openStore(t, "KEY=value"), ErrMemory},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if row.code == ErrMemory {
				limitLockedMemory(t, 0)
			}
			secret, err := row.store.Copy("KEY")
			var opErr *Error
			if secret != nil || !errors.Is(err, row.code) || !errors.As(err, &opErr) || opErr.Op != "copy" {
				t.Errorf("got %v, %v, want %q", secret, err, string(row.code))
			}
		})
	}
}

func TestACopyOfAnEnvironmentVariable(t *testing.T) {
	t.Setenv("ELSEWHERE", "variable")
	for _, store := range []*Store{nil, openStore(t, "KEY=value")} {
		secret, err := store.Copy("ELSEWHERE")
		if err != nil {
			t.Fatal(err)
		}
		expectEqual(t, "the copy", string(secret.Bytes()), "variable")
		secret.Wipe()
	}
}

func TestANilSecretIsAWipedOne(t *testing.T) {
	var secret *Secret
	secret.Wipe()
	if got := secret.Bytes(); got != nil {
		t.Errorf("%q", got)
	}
}

func TestUseOfACopyLendsItUntilItReturnsWhoeverWipesIt(t *testing.T) {
	secret := copyOf(t, "value")
	var lent []byte
	found := secret.Use(func(value []byte) {
		secret.Wipe()
		expectEqual(t, "the value", string(value), "value")
		expectEqual(t, "a nested Use", secret.Use(func([]byte) {}), false)
		lent = value
	})
	expectEqual(t, "Use", found, true)
	expectEqual(t, "Use of a wiped one", secret.Use(func([]byte) { t.Error("called") }), false)
	expectEqual(t, "Use of a nil one", (*Secret)(nil).Use(func([]byte) { t.Error("called") }), false)
	if !faults(func() { t.Errorf("kept, it reads %q", string(lent)) }) {
		t.Error("no fault")
	}
}

func TestBytesOfACopyThatAreKeptFaultAndReadNoOther(t *testing.T) {
	secret := copyOf(t, "value")
	kept := secret.Bytes()
	secret.Wipe()
	for range 20 {
		other := copyOf(t, "other")
		if !faults(func() { t.Errorf("it reads %q", string(kept)) }) {
			t.Fatal("no fault")
		}
		other.Wipe()
	}
}

func TestVeryManyCopiesTakeNoMoreThanAFew(t *testing.T) {
	store := openStore(t, "KEY=value")
	before := countMappings(t)
	for range 2000 {
		secret, err := store.Copy("KEY")
		if err != nil {
			t.Fatal(err)
		}
		secret.Wipe()
	}
	if after := countMappings(t); after > before+2*len(sealed.last) {
		t.Errorf("%d mappings, %d before", after, before)
	}
}

func countMappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(maps, []byte("\n"))
}

func copyOf(t *testing.T, value string) *Secret {
	t.Helper()
	secret, err := openStore(t, "KEY="+value).Copy("KEY")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(secret.Wipe)
	return secret
}

func TestSeveralMayWipeACopyAtTheSameTime(t *testing.T) {
	store := openStore(t, "KEY=value")
	for range 100 {
		secret, err := store.Copy("KEY")
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 8 {
			group.Go(secret.Wipe)
		}
		group.Wait()
	}
}
