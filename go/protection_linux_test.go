package secrets

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestThePagesOfAStoreAreProtected(t *testing.T) {
	for kind := range memoryKinds {
		t.Run(string(kind), func(t *testing.T) {
			store, writer := openRegion(t, reloadableOf(testSlotBytes, "KEY=0"), kind)
			publish(writer, "KEY=1")
			expectReload(t, store, "KEY")
			m := store.memory.Load()
			for name, pages := range map[string]mapping{
				"region": m.region,
				"arena":  m.arena.chunks[0].mapping,
				"copy":   copyIn(t, store).content.Load().mapping,
			} {
				// Not dumped ("dd"), and locked ("lo"), which not every kernel says of
				// memfd_secret; proc_pid_smaps(5).
				flags := flagsOf(t, pages)
				locked := strings.Contains(flags, " lo ") || isSecretMemory(t, pages)
				if !strings.Contains(flags, " dd ") || !locked {
					t.Errorf("%s: VmFlags:%s", name, flags)
				}
			}
		})
	}
}

func copyIn(t *testing.T, store *Store) *Secret {
	t.Helper()
	secret, err := store.Copy("KEY")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(secret.Wipe)
	return secret
}

func flagsOf(t *testing.T, m mapping) string {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf(`(?ms)^%x-.*?^VmFlags:(.*?\n)`, uintptr(m.start))
	found := regexp.MustCompile(start).FindSubmatch(smaps)
	if found == nil {
		t.Fatalf("no mapping at %p", m.start)
	}
	return strings.ReplaceAll(string(found[1]), "\n", " ")
}

func TestTheValuesOfAStoreCannotBeWrittenTo(t *testing.T) {
	store := openStore(t, "KEY=value")
	store.Use("KEY", func(value []byte) {
		if !faults(func() { value[0] = 'x' }) {
			t.Error("no fault")
		}
	})
	expectEqual(t, "KEY", store.Get("KEY"), "value")
}

func TestNothingIsLeftOpenOrMapped(t *testing.T) {
	twice := reloadableOf(testSlotBytes, "KEY=0")
	publish(twice, "KEY=1", "KEY=2")
	late := reloadableOf(testSlotBytes, "KEY=0")
	publish(late, "KEY=1")
	rows := []struct {
		name    string
		content []byte
		use     func(t *testing.T, writer []byte)
	}{
		{"a failed Open", twice, func(t *testing.T, _ []byte) { expectRefused(t, ErrFormat) }},
		{"a failed Open for want of memory", late, func(t *testing.T, _ []byte) {
			// The writer's mapping and Open's, of four pages each.
			limitLockedMemory(t, 8*chunkPage)
			expectRefused(t, ErrMemory)
		}},
		{"Open, Reload, Copy, Wipe and Close", late, func(t *testing.T, writer []byte) {
			store, err := Open()
			if err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				publish(writer, fmt.Sprint("KEY=", i))
				_, _ = store.Reload()
				copyIn(t, store).Wipe()
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			descriptors, mappings := countDescriptors(t), countSecretMappings(t)
			fd, writer := newRegion(t, row.content, ProtectionMemfdSecret)
			t.Setenv(descriptorVariable, fmt.Sprint(fd))
			row.use(t, writer)
			_ = unix.Close(fd)
			expectEqual(t, "descriptors", countDescriptors(t), descriptors)
			// The writer's.
			expectEqual(t, "mappings", countSecretMappings(t), mappings+1)
		})
	}
}

func countDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func countSecretMappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), "secretmem")
}

func TestValuesThatCannotAllBePlacedLeaveNothing(t *testing.T) {
	a := arena{protection: ProtectionMemfdSecret}
	first, err := a.place([][]byte{[]byte("first")})
	if err != nil {
		t.Fatal(err)
	}
	limitLockedMemory(t, 0)
	if _, err := a.place([][]byte{[]byte("second"), make([]byte, 2*chunkPage)}); err == nil {
		t.Fatal("no error")
	}
	expectEqual(t, "chunks", len(a.chunks), 1)
	expectEqual(t, "what is free", fmt.Sprint(a.chunks[0].free), "[{5 4096}]")
	if text := string(a.chunks[0].bytes()[:20]); strings.TrimRight(text, "\x00") != "first" {
		t.Errorf("%q", text)
	}
	a.takeBack(first[0])
	expectEqual(t, "what is free", fmt.Sprint(a.chunks[0].free), "[{0 4096}]")
	if err := a.seal(); err != nil {
		t.Fatal(err)
	}
}

func TestRoomIsTakenAgainAndMerged(t *testing.T) {
	a := arena{protection: ProtectionMemfdSecret}
	contents := [][]byte{make([]byte, 10), make([]byte, 20), nil, make([]byte, 30)}
	values, err := a.place(contents)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		back int
		free string
	}{
		{1, "[{10 30} {60 4096}]"}, {0, "[{0 30} {60 4096}]"}, {2, "[{0 30} {60 4096}]"}, {3, "[{0 4096}]"},
	} {
		a.takeBack(values[step.back])
		expectEqual(t, "what is free", fmt.Sprint(a.chunks[0].free), step.free)
	}
	if err := a.seal(); err != nil {
		t.Fatal(err)
	}
}

func TestThePagesOfValuesThatStayAreFew(t *testing.T) {
	store, writer := openRegion(t, reloadableOf(2*testSlotBytes, "KEY=0"), ProtectionMemfdSecret)
	for i := 1; i <= 2000; i++ {
		publish(writer, fmt.Sprintf("KEY=%03000d", i))
		expectReload(t, store, "KEY")
		_ = store.Get("KEY")
	}
	chunks := store.memory.Load().arena.chunks
	total := 0
	for _, c := range chunks {
		total += c.length
	}
	// 6,000,000 bytes.
	if len(chunks) > 20 || total > 8<<20 {
		t.Errorf("%d chunks of %d bytes", len(chunks), total)
	}
}

func TestReplacedValuesAreProtectedAsTheFirstOrNotTakenOver(t *testing.T) {
	rows := map[Protection]Code{ProtectionMemfdSecret: ErrMemory, ProtectionMemfd: ""}
	for kind, code := range rows {
		t.Run(string(kind), func(t *testing.T) {
			store, writer := openRegion(t, reloadableOf(testSlotBytes, "KEY=first"), kind)
			publish(writer, "KEY=second")
			withoutMemfdSecret(t, func() {
				_, reloadErr := store.Reload()
				secret, copyErr := store.Copy("KEY")
				secret.Wipe()
				for _, err := range []error{reloadErr, copyErr} {
					if (code == "") != (err == nil) || err != nil && !errors.Is(err, code) {
						t.Errorf("got %v, want %q", err, string(code))
					}
				}
			})
			want := map[Code]string{ErrMemory: "first", "": "second"}[code]
			expectEqual(t, "KEY", store.Get("KEY"), want)
		})
	}
}

// withoutMemfdSecret calls f in a thread for which the kernel has no memfd_secret, and which ends
// with it.
func withoutMemfdSecret(t *testing.T, f func()) {
	t.Helper()
	// seccomp(2): the number of the system call is at the start of its data.
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: memfdSecretNumber},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// Never unlocked: so no other goroutine comes to run in this thread.
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Error(err)
			return
		}
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
		if errno != 0 {
			t.Error(errno)
			return
		}
		f()
	}()
	<-ended
}
