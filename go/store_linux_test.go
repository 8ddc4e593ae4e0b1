package secrets

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The specification's table of behaviour, row by row. The store has the secrets KEY and EMPTY.
// ELSEWHERE is an environment variable, and so is another KEY.
func TestEveryOperationInEveryState(t *testing.T) {
	type wanted struct {
		get, elsewhere, empty, absent     string
		has, hasElsewhere, hasEmpty       bool
		mustGet, mustGetElsewhere, isOpen bool
		keys                              []string
	}
	rows := []struct {
		state string
		make  func(t *testing.T) *Store
		want  wanted
	}{
		{"open", openTestStore, wanted{
			get: "protected", elsewhere: "variable", has: true, hasEmpty: true,
			mustGet: true, mustGetElsewhere: true, isOpen: true, keys: []string{"EMPTY", "KEY"},
		}},
		{"nil", func(*testing.T) *Store { return nil }, wanted{
			get: "of the environment", elsewhere: "variable", empty: "not empty", has: true, hasElsewhere: true,
			hasEmpty: true, mustGet: true, mustGetElsewhere: true,
		}},
		{"closed", func(t *testing.T) *Store {
			store := openTestStore(t)
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			return store
		}, wanted{}},
		{"open, with nothing in it", func(t *testing.T) *Store { return openStore(t) }, wanted{
			get: "of the environment", elsewhere: "variable", empty: "not empty", mustGet: true, mustGetElsewhere: true,
			isOpen: true, keys: []string{},
		}},
		{"never opened", func(*testing.T) *Store { return &Store{} }, wanted{}},
	}
	for _, row := range rows {
		t.Run(row.state, func(t *testing.T) {
			store := row.make(t)
			t.Setenv("KEY", "of the environment")
			t.Setenv("EMPTY", "not empty")
			t.Setenv("ELSEWHERE", "variable")
			want := row.want
			expectEqual(t, "Get", store.Get("KEY"), want.get)
			expectEqual(t, "Get of an environment variable", store.Get("ELSEWHERE"), want.elsewhere)
			expectEqual(t, "Get of an empty secret", store.Get("EMPTY"), want.empty)
			expectEqual(t, "Get of nothing", store.Get("ABSENT"), want.absent)
			expectEqual(t, "Has", store.Has("KEY"), want.has)
			expectEqual(t, "Has of an environment variable", store.Has("ELSEWHERE"), want.hasElsewhere)
			expectEqual(t, "Has of an empty secret", store.Has("EMPTY"), want.hasEmpty)
			expectEqual(t, "Has of nothing", store.Has("ABSENT"), false)
			expectMustGet(t, store, "KEY", want.get, want.mustGet)
			expectMustGet(t, store, "ELSEWHERE", want.elsewhere, want.mustGetElsewhere)
			expectMustGet(t, store, "ABSENT", "", false)
			if got := store.Keys(); !slices.Equal(got, want.keys) || (got == nil) == want.isOpen {
				t.Errorf("Keys: %#v, want %#v", got, want.keys)
			}
			expectUse(t, store, "KEY", want.get, want.mustGet)
			expectUse(t, store, "ELSEWHERE", want.elsewhere, want.mustGetElsewhere)
			expectUse(t, store, "EMPTY", want.empty, want.hasEmpty || want.empty != "")
			expectUse(t, store, "ABSENT", "", false)
			changed, err := store.Reload()
			if changed != nil || (err == nil) != (store == nil || want.isOpen) {
				t.Errorf("Reload: %v, %v", changed, err)
			}
			for range 3 {
				if err := store.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
		})
	}
}

func openTestStore(t *testing.T) *Store { return openStore(t, "KEY=protected", "EMPTY=") }

func expectMustGet(t *testing.T, store *Store, key, want string, ok bool) {
	t.Helper()
	defer func() {
		t.Helper()
		message := `secrets: secret "` + key + `" not found`
		if found := recover(); (found == nil) != ok || !ok && found != message {
			t.Errorf("MustGet(%q): panicked with %v", key, found)
		}
	}()
	expectEqual(t, "MustGet", store.MustGet(key), want)
}

func expectUse(t *testing.T, store *Store, key, want string, ok bool) {
	t.Helper()
	got := ""
	called := store.Use(key, func(value []byte) { got = string(value) })
	if called != ok || got != want {
		t.Errorf("Use(%q): %t, %q, want %t, %q", key, called, got, ok, want)
	}
}

func TestValuesAreWhatTheyAre(t *testing.T) {
	rows := map[string]string{
		"empty":             "",
		"with equals signs": "a=b==",
		"of several lines":  "-----BEGIN-----\r\n\tx\n-----END-----\n",
		"not UTF-8":         "\xff\xfe\x80\x01",
		"UTF-8":             "grüße, 世界 🌍",
		"of ten megabytes":  strings.Repeat("0123456789", 1<<20),
	}
	for name, want := range rows {
		t.Run(name, func(t *testing.T) {
			store := openStore(t, "BEFORE=1", "KEY="+want, "AFTER=2")
			if got := store.Get("KEY"); got != want {
				t.Errorf("got %d bytes, want %d", len(got), len(want))
			}
			expectUse(t, store, "KEY", want, true)
			expectEqual(t, "the one behind it", store.Get("AFTER"), "2")
		})
	}
}

func TestUseAllLendsSeveralValuesOrNone(t *testing.T) {
	t.Setenv("ELSEWHERE", "variable")
	t.Setenv("KEY", "of the environment")
	open := openStore(t, "KEY=value", "EMPTY=")
	closed := openStore(t, "KEY=value")
	_ = closed.Close()
	rows := []struct {
		name  string
		store *Store
		keys  []string
		want  string
	}{
		{"in their order", open, []string{"EMPTY", "KEY", "EMPTY"}, `["" "value" ""]`},
		{"none", open, nil, `[]`},
		{"variables of the environment too", open, []string{"ELSEWHERE", "KEY"}, `["variable" "value"]`},
		{"one that is not there", open, []string{"KEY", "ABSENT"}, ""},
		{"of a nil store", nil, []string{"ELSEWHERE", "KEY"}, `["variable" "of the environment"]`},
		{"of a nil store, one that is not there", nil, []string{"KEY", "ABSENT"}, ""},
		{"of a closed store", closed, []string{"KEY"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			called := row.store.UseAll(row.keys, func(values [][]byte) { got = fmt.Sprintf("%q", values) })
			expectEqual(t, "values", got, row.want)
			expectEqual(t, "UseAll", called, row.want != "")
		})
	}
	expectEqual(t, "holders", open.memory.Load().holders.count.Load(), 1)
}

func TestGetCopiesNothing(t *testing.T) {
	store := openStore(t, "KEY=value")
	var text string
	if got := testing.AllocsPerRun(100, func() { text = store.Get("KEY") }); got != 0 {
		t.Errorf("Get: %v allocations", got)
	}
	expectEqual(t, "the value", text, "value")
	use := func(value []byte) { _ = value[0] }
	if got := testing.AllocsPerRun(100, func() { store.Use("KEY", use) }); got != 0 {
		t.Errorf("Use: %v allocations", got)
	}
}

// faults reports whether f reads protected memory. Only in this way can such a fault be recovered
// from.
func faults(f func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	f()
	return false
}

func TestKeysOfAStoreWithNothingInItAreNotNil(t *testing.T) {
	if keys := openStore(t).Keys(); keys == nil || len(keys) != 0 {
		t.Errorf("%#v", keys)
	}
}

func TestAStringThatIsKeptAfterCloseFaultsAndReadsNothingElse(t *testing.T) {
	store := openStore(t, "KEY=value")
	kept := store.Get("KEY")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	// A new mapping must not be placed there.
	for range 100 {
		openStore(t, "KEY=other")
	}
	if !faults(func() { t.Errorf("it reads %q", strings.Clone(kept)) }) {
		t.Error("no fault")
	}
}

func TestUseLendsTheBytesUntilItReturnsWhateverIsClosed(t *testing.T) {
	store := openStore(t, "KEY=value")
	var lent []byte
	found := store.Use("KEY", func(value []byte) {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		expectEqual(t, "the value", string(value), "value")
		expectEqual(t, "Get", store.Get("KEY"), "")
		expectEqual(t, "a nested Use", store.Use("KEY", func([]byte) {}), false)
		lent = value
	})
	expectEqual(t, "Use", found, true)
	if !faults(func() { t.Errorf("kept, it reads %q", string(lent)) }) {
		t.Error("no fault")
	}
}

func TestUseGivesBackWhatItHoldsWhenItsFunctionPanics(t *testing.T) {
	store := openStore(t, "KEY=value")
	func() {
		defer func() { _ = recover() }()
		store.Use("KEY", func([]byte) { panic("on purpose") })
	}()
	m := store.memory.Load()
	expectEqual(t, "holders", m.holders.count.Load(), 1)
}

func TestNothingFaultsWhileTheStoreIsClosed(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		store := openStore(t, "KEY=value", "OTHER=x")
		region := store.memory.Load().region.bytes()
		var group sync.WaitGroup
		start := make(chan struct{})
		for worker := range 64 {
			group.Go(func() {
				<-start
				for range 20 {
					useEverything(t, store)
					// It makes a mapping each time.
					if worker%8 == 1 {
						useCopy(t, store)
					}
				}
				if worker%8 == 0 {
					_ = store.Close()
				}
			})
		}
		close(start)
		group.Wait()
		if !faults(func() { t.Errorf("it reads %q", region[0]) }) {
			t.Fatal("the region is still mapped")
		}
	}
}

// useEverything reads values only while it holds them: another goroutine may have closed the store
// of a string from Get.
func useEverything(t *testing.T, store *Store) {
	_ = store.Get("KEY")
	_ = store.Has("KEY")
	_ = store.Keys()
	_ = store.String()
	store.Use("KEY", func(value []byte) {
		if string(value) != "value" {
			t.Errorf("Use: %q", value)
		}
	})
}

func useCopy(t *testing.T, store *Store) {
	if secret, err := store.Copy("OTHER"); err == nil {
		if got := string(secret.Bytes()); got != "x" {
			t.Errorf("Copy: %q", got)
		}
		secret.Wipe()
	}
}
