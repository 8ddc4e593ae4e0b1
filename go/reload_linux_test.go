package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func openReloadable(t *testing.T, entries ...string) (store *Store, writer []byte) {
	t.Helper()
	return openRegion(t, reloadableOf(testSlotBytes, entries...), ProtectionMemfdSecret)
}

func expectReload(t *testing.T, store *Store, want ...string) {
	t.Helper()
	changed, err := store.Reload()
	if err != nil || !slices.Equal(changed, want) {
		t.Fatalf("Reload: %q, %v, want %q", changed, err, want)
	}
}

func TestReloadTakesOverWhatIsCurrent(t *testing.T) {
	store, writer := openReloadable(t, "GONE=1", "OTHER=1", "SAME=1")
	expectReload(t, store)
	publish(writer, "SAME=1", "OTHER=2", "NEW=2", "EMPTY=")
	expectEqual(t, "before", store.Get("OTHER"), "1")
	expectReload(t, store, "EMPTY", "GONE", "NEW", "OTHER")
	expectEqual(t, "what is other", store.Get("OTHER"), "2")
	expectEqual(t, "an unchanged value", store.Get("SAME"), "1")
	expectEqual(t, "what is gone", store.Has("GONE"), false)
	if got := store.Keys(); !slices.Equal(got, []string{"EMPTY", "NEW", "OTHER", "SAME"}) {
		t.Errorf("keys %q", got)
	}
	expectReload(t, store)
	publish(writer, "SAME=1", "OTHER=1", "EMPTY=not")
	publish(writer, "SAME=1", "OTHER=3", "NEW=2", "EMPTY=not")
	expectReload(t, store, "EMPTY", "OTHER")
}

func TestAStoreThatIsOpenedLateBeginsWithWhatIsCurrent(t *testing.T) {
	region := reloadableOf(testSlotBytes, "KEY=first")
	publish(region, "KEY=second")
	publish(region, "KEY=third")
	store, writer := openRegion(t, region, ProtectionMemfd)
	expectEqual(t, "KEY", store.Get("KEY"), "third")
	expectReload(t, store)
	publish(writer, "KEY=fourth")
	expectReload(t, store, "KEY")
}

func TestEveryStringThatGetReturnsStaysWholeUntilClose(t *testing.T) {
	store, writer := openReloadable(t, "KEY=value 0")
	kept := []string{store.Get("KEY")}
	for i := 1; i <= 1000; i++ {
		publish(writer, fmt.Sprintf("KEY=value %d", i))
		expectReload(t, store, "KEY")
		kept = append(kept, store.Get("KEY"))
	}
	for i, text := range kept {
		expectEqual(t, "kept", text, fmt.Sprintf("value %d", i))
	}
	// About 10 bytes each, not a page each.
	expectEqual(t, "chunks", len(store.memory.Load().arena.chunks), 3)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{kept[0], kept[1], kept[1000]} {
		if !faults(func() { t.Errorf("it reads %q", strings.Clone(text)) }) {
			t.Error("no fault")
		}
	}
}

func TestWhatOnlyUseHasReadIsOverwrittenOnceItIsReplaced(t *testing.T) {
	store, writer := openReloadable(t, "KEY=value 0")
	value := strings.Repeat("x", 3000)
	for i := 1; i <= 100; i++ {
		publish(writer, fmt.Sprintf("KEY=%s %d", value, i))
		expectReload(t, store, "KEY")
		expectUse(t, store, "KEY", fmt.Sprintf("%s %d", value, i), true)
	}
	arena := &store.memory.Load().arena
	if got := len(arena.chunks); got > 2 {
		t.Fatalf("%d chunks", got)
	}
	copies := 0
	for _, c := range arena.chunks {
		copies += strings.Count(string(c.bytes()), value)
	}
	expectEqual(t, "copies of the value", copies, 1)
}

func TestAReplacedValueIsOverwrittenWhenTheLastUseOfItEnds(t *testing.T) {
	store, writer := openReloadable(t, "KEY=0")
	publish(writer, "KEY=used while it is replaced")
	expectReload(t, store, "KEY")
	var lent []byte
	store.Use("KEY", func(outer []byte) {
		store.Use("KEY", func(value []byte) {
			lent = value
			publish(writer, "KEY=next", "OTHER=1")
			expectReload(t, store, "KEY", "OTHER")
			expectEqual(t, "Get", store.Get("KEY"), "next")
		})
		expectEqual(t, "what is lent", string(outer), "used while it is replaced")
	})
	expectEqual(t, "afterwards", strings.Trim(string(lent), "\x00"), "")
	expectEqual(t, "the next", store.Get("KEY"), "next")
}

func TestAFailedReloadLeavesEverythingAsItIs(t *testing.T) {
	rows := map[string]struct {
		spoil func(t *testing.T, writer []byte)
		code  Code
	}{
		"a slot that is not a region": {func(_ *testing.T, writer []byte) {
			publish(writer, "no equals sign")
		}, ErrFormat},
		"a key twice": {func(_ *testing.T, writer []byte) { publish(writer, "KEY=2", "KEY=3") }, ErrFormat},
		"too little memory": {func(t *testing.T, writer []byte) {
			publish(writer, "KEY=2")
			limitLockedMemory(t, 0)
		}, ErrMemory},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			store, writer := openReloadable(t, "KEY=1")
			row.spoil(t, writer)
			changed, err := store.Reload()
			var opErr *Error
			if changed != nil || !errors.Is(err, row.code) || !errors.As(err, &opErr) || opErr.Op != "reload" {
				t.Fatalf("got %v, %v, want %q", changed, err, string(row.code))
			}
			expectEqual(t, "KEY", store.Get("KEY"), "1")
			if row.code == ErrFormat {
				publish(writer, "KEY=4")
				expectReload(t, store, "KEY")
			}
		})
	}
}

func TestStoresOfTheSameMemoryReloadTogether(t *testing.T) {
	first, writer := openReloadable(t, "KEY=1")
	second, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	publish(writer, "KEY=2")
	expectReload(t, first, "KEY")
	expectEqual(t, "KEY", second.Get("KEY"), "2")
	// Each reports it once.
	expectReload(t, second, "KEY")
	expectReload(t, first)
	expectReload(t, second)
	third, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	expectReload(t, third)
}

func TestUseAllReadsValuesOfOneTime(t *testing.T) {
	store, writer := openReloadable(t, "USER=0", "PASSWORD=0")
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 300 {
				found := store.UseAll([]string{"USER", "PASSWORD"}, func(values [][]byte) {
					if !bytes.Equal(values[0], values[1]) {
						t.Errorf("mixed: %q", values)
					}
				})
				if !found {
					t.Error("not found")
				}
				runtime.Gosched()
			}
		})
	}
	go func() {
		group.Wait()
		close(done)
	}()
	for i := 1; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		publish(writer, fmt.Sprint("USER=", i), fmt.Sprint("PASSWORD=", i))
		if _, err := store.Reload(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReplacedValuesAreInSecretMemory(t *testing.T) {
	store, writer := openRegion(t, reloadableOf(testSlotBytes, "KEY=0"), ProtectionMemfdSecret)
	publish(writer, "KEY=1")
	expectReload(t, store, "KEY")
	m := store.memory.Load()
	expectEqual(t, "the arena's protection", m.arena.protection, ProtectionMemfdSecret)
	if !isSecretMemory(t, m.arena.chunks[0].mapping) {
		t.Error("the replaced value is in plain memory")
	}
}

// isSecretMemory tries a read through /proc/self/mem, which memfd_secret refuses.
func isSecretMemory(t *testing.T, m mapping) bool {
	t.Helper()
	file, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = file.ReadAt(make([]byte, 1), int64(uintptr(m.start)))
	return errors.Is(err, syscall.EIO)
}

// Each generation is one letter, many times: a torn one has two.
func TestNothingIsTornOrLostWhileAWriterReplacesTheValues(t *testing.T) {
	const generations, readers = 300, 64
	store, writer := openReloadable(t, pair(0)...)
	done := make(chan struct{})
	var group sync.WaitGroup
	for reader := range readers {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				readEverything(t, store, reader)
				runtime.Gosched()
			}
		})
	}
	for i := 1; i <= generations; i++ {
		publish(writer, pair(i)...)
		if _, err := store.Reload(); err != nil {
			t.Error(err)
			break
		}
		// One without a Reload between: the readers' own may meet the writer.
		publish(writer, pair(i+1)...)
	}
	close(done)
	group.Wait()
	if _, err := store.Reload(); err != nil {
		t.Fatal(err)
	}
	// Strings from Get stay; the long ones do not.
	if got := len(store.memory.Load().arena.chunks); got > 10 {
		t.Errorf("%d chunks", got)
	}
	expectEqual(t, "the last", store.Get("SHORT"), pair(generations + 1)[0][len("SHORT="):])
}

// Long values and a writer without a pause: most copies are overtaken while they are made.
func TestACopyThatTheWriterOvertakesIsNotTaken(t *testing.T) {
	const length = 200_000
	store, writer := openRegion(t, reloadableOf(64*slotPage, "KEY=x"), ProtectionMemfd)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				publish(writer, "KEY="+strings.Repeat(string(rune('a'+i%26)), length))
			}
		}
	}()
	for changes, tries := 0, 0; changes < 30 && tries < 3000; tries++ {
		changed, err := store.Reload()
		if err != nil && !errors.Is(err, ErrBusy) {
			t.Error(err)
			break
		}
		changes += len(changed)
		store.Use("KEY", func(value []byte) { expectOneLetter(t, string(value)) })
		runtime.Gosched()
	}
	close(stop)
	<-ended
}

func pair(generation int) []string {
	letter := string(rune('a' + generation%26))
	// Values of other lengths each time.
	return []string{
		"SHORT=" + strings.Repeat(letter, 1+generation%40),
		"LONG=" + strings.Repeat(letter, 500+generation%1000),
	}
}

func readEverything(t *testing.T, store *Store, reader int) {
	switch reader % 4 {
	case 0:
		expectOneLetter(t, store.Get("SHORT"))
	case 1:
		store.Use("LONG", func(value []byte) { expectOneLetter(t, string(value)) })
	case 2:
		secret, err := store.Copy("LONG")
		if err != nil {
			t.Error(err)
			return
		}
		expectOneLetter(t, string(secret.Bytes()))
		secret.Wipe()
	case 3:
		if _, err := store.Reload(); err != nil && !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	}
}

func expectOneLetter(t *testing.T, text string) {
	if text == "" || strings.Trim(text, text[:1]) != "" {
		t.Errorf("torn or lost: %d bytes, %.60q", len(text), text)
	}
}
