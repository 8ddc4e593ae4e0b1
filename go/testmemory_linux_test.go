package secrets

import (
	"encoding/binary"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kinds of memory that a region comes in: each makes a descriptor.
var memoryKinds = map[Protection]func() (int, error){
	ProtectionMemfdSecret: memfdSecret,
	ProtectionMemfd:       func() (int, error) { return unix.MemfdCreate("region", unix.MFD_CLOEXEC) },
}

// newRegion makes a descriptor of memory with these bytes, and returns it with the writer's
// mapping.
func newRegion(t testing.TB, content []byte, kind Protection) (fd int, writer []byte) {
	t.Helper()
	if kind == ProtectionMemfdSecret {
		needLockedMemory(t, len(content))
	}
	fd, err := memoryKinds[kind]()
	if err != nil {
		t.Fatalf("make a %s: %v", kind, err)
	}
	if err := unix.Ftruncate(fd, int64(len(content))); err != nil {
		t.Fatalf("ftruncate: %v", err)
	}
	if len(content) == 0 {
		return fd, nil
	}
	const protection = unix.PROT_READ | unix.PROT_WRITE
	writer, err = unix.Mmap(fd, 0, len(content), protection, unix.MAP_SHARED)
	if err != nil {
		t.Fatalf("mmap: %v", err)
	}
	t.Cleanup(func() { _ = unix.Munmap(writer) })
	copy(writer, content)
	return fd, writer
}

// setDescriptor imitates the wrapper; the variable and the descriptor are gone when the test has
// ended.
func setDescriptor(t testing.TB, fd int) {
	t.Helper()
	t.Setenv(descriptorVariable, strconv.Itoa(fd))
	t.Cleanup(func() { _ = unix.Close(fd) })
}

// openRegion opens a store of these bytes, which is closed when the test ends.
func openRegion(t testing.TB, content []byte, kind Protection) (store *Store, writer []byte) {
	t.Helper()
	fd, writer := newRegion(t, content, kind)
	t.Setenv(descriptorVariable, strconv.Itoa(fd))
	store, err := Open()
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store, writer
}

func openStore(t testing.TB, entries ...string) *Store {
	t.Helper()
	store, _ := openRegion(t, regionOf(entries...), ProtectionMemfdSecret)
	return store
}

// regionOf writes KEY=VALUE entries as the wrapper does.
func regionOf(entries ...string) []byte {
	var region []byte
	for _, e := range entries {
		region = append(append(region, e...), 0)
	}
	if len(region) == 0 {
		return []byte{0}
	}
	return region
}

func TestMain(m *testing.M) {
	_ = os.Unsetenv(descriptorVariable)
	os.Exit(m.Run())
}

const testSlotBytes = 4096

// reloadableOf is a reloadable region whose generation 0 has these entries.
func reloadableOf(slotBytes int, entries ...string) []byte {
	region := make([]byte, slotCount*slotBytes+slotPage)
	copy(region, regionOf(entries...))
	binary.LittleEndian.PutUint64(region[len(region)-trailerBytes+8:], uint64(slotBytes))
	region[len(region)-1] = reloadableMark
	return region
}

// publish makes these entries current, as the wrapper does.
func publish(writer []byte, entries ...string) {
	r, err := parseReloadable(writer)
	if err != nil || r == nil {
		panic("not a reloadable region")
	}
	next := r.generation() + 1
	slot := r.slot(next)
	clear(slot)
	copy(slot, regionOf(entries...))
	at := &writer[len(writer)-trailerBytes]
	atomic.StoreUint64((*uint64)(unsafe.Pointer(at)), next)
}

// needLockedMemory skips a test for an ordinary user who may not lock as many bytes: memfd_secret
// is locked memory. For root there is no limit, so that root runs every test.
func needLockedMemory(t testing.TB, bytes int) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 && uint64(bytes) > limit.Cur {
		t.Skipf("needs root: locks %d bytes, RLIMIT_MEMLOCK is %d", bytes, limit.Cur)
	}
}

// limitLockedMemory sets RLIMIT_MEMLOCK until the test ends, for the whole process: no test of this
// package runs beside another. Root's CAP_IPC_LOCK, for which there is no limit, is taken from this
// thread.
func limitLockedMemory(t *testing.T, bytes uint64) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &before); err != nil {
		t.Fatal(err)
	}
	limit := unix.Rlimit{Cur: min(bytes, before.Max), Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_MEMLOCK, &before) })
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Fatal(err)
	}
	left := had
	left[0].Effective &^= 1 << unix.CAP_IPC_LOCK
	if err := unix.Capset(&header, &left[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Capset(&header, &had[0]); err != nil {
			t.Fatal(err)
		}
	})
}
