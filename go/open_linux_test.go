package secrets

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOpenWithoutTheVariableIsANilStore(t *testing.T) {
	store, err := Open()
	if store != nil || err != nil {
		t.Fatalf("got %v, %v, want nil, nil", store, err)
	}
}

func TestOpenWithTheVariableEmptyIsANilStore(t *testing.T) {
	t.Setenv(descriptorVariable, "")
	store, err := Open()
	if store != nil || err != nil {
		t.Fatalf("got %v, %v, want nil, nil", store, err)
	}
}

func TestOpenTakesEveryKindOfMemory(t *testing.T) {
	for kind := range memoryKinds {
		t.Run(string(kind), func(t *testing.T) {
			store, _ := openRegion(t, regionOf("KEY=value"), kind)
			if got := store.Get("KEY"); got != "value" {
				t.Errorf("KEY: %q", got)
			}
			if got := store.Protection(); got != kind {
				t.Errorf("protection %q, want %q", got, kind)
			}
		})
	}
}

func TestOpenTakesEveryNameOfAVariable(t *testing.T) {
	for _, name := range []string{"my-key", "spring.datasource.password", "2FA", "with blank", "größe", "鍵🔑"} {
		t.Run(name, func(t *testing.T) {
			store, _ := openRegion(t, regionOf(name+"=value"), ProtectionMemfd)
			if got := store.Get(name); got != "value" {
				t.Errorf("%s: %q", name, got)
			}
		})
	}
}

func TestOpenLeavesNeitherTheDescriptorNorTheVariable(t *testing.T) {
	fd, _ := newRegion(t, regionOf("KEY=value"), ProtectionMemfdSecret)
	t.Setenv(descriptorVariable, strconv.Itoa(fd))
	store, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, set := os.LookupEnv(descriptorVariable); set {
		t.Errorf("%s is still set", descriptorVariable)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
		t.Errorf("the descriptor: %v, want %v", err, unix.EBADF)
	}
}

func TestOpenRefusesWhatIsNoDescriptorNumber(t *testing.T) {
	for _, text := range []string{
		" ", "x", "-1", "+3", "3 ", "3x", "0x3", "1_0", "3.0", "٣", "2147483648", "18446744073709551616",
		strings.Repeat("9", 1000),
	} {
		t.Run(text[:min(len(text), 30)], func(t *testing.T) {
			t.Setenv(descriptorVariable, text)
			err := expectRefused(t, ErrVariable)
			if len(err.Error()) > 200 {
				t.Errorf("the message repeats all of it: %s", err)
			}
		})
	}
}

func TestOpenRefusesWhatIsNoMemory(t *testing.T) {
	rows := []struct {
		name string
		make func(t *testing.T) int
		code Code
	}{
		{"a descriptor that is closed", func(*testing.T) int { return 1 << 20 }, ErrDescriptor},
		{"a socket", socketDescriptor, ErrNotMemory},
		{"a pipe", pipeDescriptor, ErrNotMemory},
		{"a directory", func(t *testing.T) int { return openPath(t, t.TempDir()) }, ErrNotMemory},
		{"a device", func(t *testing.T) int { return openPath(t, "/dev/null") }, ErrNotMemory},
		{"a file of /proc", func(t *testing.T) int { return openPath(t, "/proc/self/environ") }, ErrNotMemory},
		{"a file on a disk", func(t *testing.T) int { return openPath(t, "/bin/sh") }, ErrNotMemory},
		{"an event counter", eventDescriptor, ErrNotMemory},
		{"an empty memfd", func(t *testing.T) int { return descriptorOf(t, nil, ProtectionMemfd) }, ErrSize},
		{"an empty memfd_secret", func(t *testing.T) int { return descriptorOf(t, nil, ProtectionMemfdSecret) }, ErrSize},
		{"a memfd of 64 MiB and a byte", hugeDescriptor, ErrSize},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			setDescriptor(t, row.make(t))
			expectRefused(t, row.code)
		})
	}
}

func TestOpenRefusesWhatIsNoRegion(t *testing.T) {
	rows := map[string]string{
		"no NUL at the end":       "KEY=value",
		"no equals sign":          "KEY\x00",
		"an empty key":            "=value\x00",
		"a key twice":             "KEY=1\x00KEY=2\x00",
		"an entry behind the end": "KEY=1\x00\x00KEY2=2\x00",
		"a line feed in a key":    "KEY\n=1\x00",
		"the mark of a reloadable region and nothing else": "KEY=1\x00\x01",
		"ten megabytes without an end":                     "KEY=" + strings.Repeat("x", 10<<20),
	}
	for name, content := range rows {
		for kind := range memoryKinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				// A memfd_secret is whole pages.
				if strings.HasSuffix(content, "x") || strings.HasSuffix(content, "e") {
					content += strings.Repeat("x", -len(content)&(os.Getpagesize()-1))
				}
				setDescriptor(t, descriptorOf(t, []byte(content), kind))
				expectRefused(t, ErrFormat)
			})
		}
	}
}

func TestAFailedOpenNeverSaysWhatTheRegionHolds(t *testing.T) {
	const canary = "cAnArY-4711"
	for _, content := range []string{
		canary + "\x00",
		"KEY=1\x00" + canary + "=\x00\x00x\x00",
		"KEY=1\x00\x00" + canary + "\x00",
		"KEY=" + canary + "\x00KEY=" + canary + "\x00",
		canary + "\n=x\x00",
	} {
		setDescriptor(t, descriptorOf(t, []byte(content), ProtectionMemfd))
		if err := expectRefused(t, ErrFormat); strings.Contains(err.Error(), "cAnArY") {
			t.Errorf("%q: %s", content, err)
		}
	}
}

func TestAFailedOpenLeavesTheVariableAndTheDescriptor(t *testing.T) {
	fd := descriptorOf(t, []byte("no region\x00"), ProtectionMemfd)
	setDescriptor(t, fd)
	expectRefused(t, ErrFormat)
	if os.Getenv(descriptorVariable) != strconv.Itoa(fd) {
		t.Errorf("%s is gone", descriptorVariable)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
		t.Errorf("the descriptor: %v", err)
	}
}

func TestOpenSaysThatTooLittleMemoryMayBeLocked(t *testing.T) {
	setDescriptor(t, descriptorOf(t, make([]byte, 1<<20), ProtectionMemfdSecret))
	limitLockedMemory(t, 64<<10)
	if err := expectRefused(t, ErrMemory); !strings.Contains(err.Error(), "RLIMIT_MEMLOCK") {
		t.Errorf("no hint: %s", err)
	}
}

func TestStoresThatAreOpenedOneAfterTheOtherReadTheSameMemory(t *testing.T) {
	first := openStore(t, "KEY=value")
	second, err := Open()
	if err != nil || second == nil {
		t.Fatalf("got %v, %v, want a store", second, err)
	}
	kept := second.Get("KEY")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got := second.Get("KEY"); got != "value" || kept != "value" {
		t.Errorf("with the first closed: %q, %q", got, kept)
	}
	if got := first.Get("KEY"); got != "" {
		t.Errorf("the closed one: %q", got)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := Open()
	if third != nil || err != nil {
		t.Errorf("with all closed: %v, %v, want nil, nil", third, err)
	}
}

func TestOpenTakesARegionThatIsGivenLater(t *testing.T) {
	first := openStore(t, "KEY=first")
	second := openStore(t, "KEY=second")
	if got := first.Get("KEY") + " " + second.Get("KEY"); got != "first second" {
		t.Error(got)
	}
}

func expectRefused(t *testing.T, code Code) error {
	t.Helper()
	store, err := Open()
	var opErr *Error
	if store != nil || !errors.As(err, &opErr) || !errors.Is(err, code) || opErr.Op != "open" {
		t.Fatalf("got %v, %v, want nil and %q", store, err, string(code))
	}
	return err
}

func descriptorOf(t *testing.T, content []byte, kind Protection) int {
	fd, _ := newRegion(t, content, kind)
	return fd
}

func openPath(t *testing.T, path string) int {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func socketDescriptor(t *testing.T) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return duplicate(t, int(file.Fd()))
}

func pipeDescriptor(t *testing.T) int {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(ends[1])
	return ends[0]
}

func eventDescriptor(t *testing.T) int {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func hugeDescriptor(t *testing.T) int {
	fd := descriptorOf(t, nil, ProtectionMemfd)
	if err := unix.Ftruncate(fd, maxRegionBytes+1); err != nil {
		t.Fatal(err)
	}
	return fd
}

func duplicate(t *testing.T, fd int) int {
	t.Helper()
	other, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	return other
}
