package secrets

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	supported      = true
	maxRegionBytes = 64 << 20
	// The same on every architecture that has it; x/sys does not know it for all of them.
	memfdSecretNumber = 447
	lockHint          = "raise RLIMIT_MEMLOCK (ulimit -l), or leave more of it free"
)

// mapRegion maps the memory of a descriptor for reading. The error has no Op.
func mapRegion(fd int) (mapping, Protection, *Error) {
	protection, length, opErr := examine(fd)
	if opErr != nil {
		return mapping{}, "", opErr
	}
	start, err := unix.MmapPtr(fd, 0, nil, uintptr(length), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return mapping{}, "", notMapped(err)
	}
	region := mapping{start, length}
	if protection == ProtectionMemfd {
		region.lock()
	}
	return region, protection, nil
}

// examine refuses a descriptor that is not memory before it maps anything.
func examine(fd int) (Protection, int, *Error) {
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		hint := "the program's parent closed it, or it belongs to another process"
		return "", 0, &Error{Code: ErrDescriptor, Err: err, Hint: hint}
	}
	var system unix.Statfs_t
	if err := unix.Fstatfs(fd, &system); err != nil {
		return "", 0, &Error{Code: ErrNotMemory, Detail: kindOf(info.Mode), Err: err}
	}
	_, sealsErr := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	var protection Protection
	switch {
	case info.Mode&unix.S_IFMT != unix.S_IFREG:
		return "", 0, &Error{Code: ErrNotMemory, Detail: kindOf(info.Mode)}
	case int64(system.Type) == unix.SECRETMEM_MAGIC:
		protection = ProtectionMemfdSecret
	// The file system of memory files: memfd_create's, and those of a tmpfs.
	case sealsErr == nil:
		protection = ProtectionMemfd
	case errors.Is(sealsErr, unix.EBADF):
		return "", 0, &Error{Code: ErrDescriptor, Err: sealsErr}
	default:
		return "", 0, &Error{Code: ErrNotMemory, Detail: "it is a file on a disk"}
	}
	if info.Size <= 0 || info.Size > maxRegionBytes {
		detail := fmt.Sprintf("%d bytes, not 1 to %d", info.Size, maxRegionBytes)
		return "", 0, &Error{Code: ErrSize, Detail: detail}
	}
	return protection, int(info.Size), nil
}

func kindOf(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "it is a file"
	case unix.S_IFDIR:
		return "it is a directory"
	case unix.S_IFSOCK:
		return "it is a socket"
	case unix.S_IFIFO:
		return "it is a pipe"
	case unix.S_IFCHR, unix.S_IFBLK:
		return "it is a device"
	default:
		return "it is not a file"
	}
}

// newMemory returns zeroed memory that is protected as well as the kernel can, and no worse than
// asked for: memfd_secret, or pages that are neither swapped nor dumped. The error has no Op.
func newMemory(length int, atLeast Protection) (mapping, *Error) {
	fd, err := memfdSecret()
	missing := errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM)
	if missing && atLeast != ProtectionMemfdSecret {
		return newLockedMemory(length)
	}
	if err != nil {
		return mapping{}, &Error{Code: ErrMemory, Err: fmt.Errorf("memfd_secret: %w", err)}
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(length)); err != nil {
		return mapping{}, &Error{Code: ErrMemory, Err: fmt.Errorf("ftruncate: %w", err)}
	}
	start, err := unix.MmapPtr(fd, 0, nil, uintptr(length), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return mapping{}, notMapped(err)
	}
	memory := mapping{start, length}
	if err := memory.takePages(); err != nil {
		_ = memory.unmap()
		opErr := &Error{Code: ErrMemory, Err: err}
		if errors.Is(err, unix.EFAULT) {
			opErr.Hint = lockHint
		}
		return mapping{}, opErr
	}
	return memory, nil
}

// takePages makes the kernel allocate every page now, by letting it copy zeroes there. Some kernels
// (6.1.192 of Debian) count the pages of a memfd_secret against RLIMIT_MEMLOCK only when they are
// touched. They end a process that touches one too many with SIGBUS. The kernel itself gives up
// with EFAULT.
func (m mapping) takePages() error {
	zeroes, err := unix.MemfdCreate("zeroes", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("memfd_create: %w", err)
	}
	defer unix.Close(zeroes)
	if err := unix.Ftruncate(zeroes, int64(m.length)); err != nil {
		return fmt.Errorf("ftruncate: %w", err)
	}
	taken, err := unix.Pread(zeroes, m.bytes(), 0)
	if err == nil && taken < m.length {
		err = unix.EFAULT
	}
	if err != nil {
		return fmt.Errorf("pread: %w", err)
	}
	return nil
}

func newLockedMemory(length int) (mapping, *Error) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	start, err := unix.MmapPtr(-1, 0, nil, uintptr(length), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return mapping{}, notMapped(err)
	}
	memory := mapping{start, length}
	memory.lock()
	return memory, nil
}

func notMapped(err error) *Error {
	opErr := &Error{Code: ErrMemory, Err: fmt.Errorf("mmap: %w", err)}
	switch {
	// mmap(2): memory that is locked, as memfd_secret's is, beyond the limit.
	case errors.Is(err, unix.EAGAIN):
		opErr.Hint = lockHint
	// Opened by O_PATH, or for writing only.
	case errors.Is(err, unix.EBADF), errors.Is(err, unix.EACCES):
		opErr.Code = ErrDescriptor
	}
	return opErr
}

// lock keeps pages out of the swap and of core dumps, as far as RLIMIT_MEMLOCK allows it.
// SVC_REQUIRE_MLOCK says whether a program may run without that. The wrapper has decided it before
// the program began.
func (m mapping) lock() {
	_ = unix.Madvise(m.bytes(), unix.MADV_DONTDUMP)
	_ = unix.Mlock(m.bytes())
}

func (m mapping) unmap() error {
	if err := unix.MunmapPtr(m.start, uintptr(m.length)); err != nil {
		return fmt.Errorf("munmap: %w", err)
	}
	return nil
}

// reserve puts inaccessible memory in its place.
func (m mapping) reserve() error {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED | unix.MAP_NORESERVE
	_, err := unix.MmapPtr(-1, 0, m.start, uintptr(m.length), unix.PROT_NONE, flags)
	return err
}

func closeDescriptor(fd int) { _ = unix.Close(fd) }

// SIGHUP is caught from the first Watch on, by a channel that is never read, regardless of the
// others.
var caught sync.Once

// notifyHangUps sends each SIGHUP to the channel, until stopHangUps.
func notifyHangUps(hangUps chan<- os.Signal) {
	caught.Do(func() { signal.Notify(make(chan os.Signal, 1), unix.SIGHUP) })
	signal.Notify(hangUps, unix.SIGHUP)
}

func stopHangUps(hangUps chan<- os.Signal) { signal.Stop(hangUps) }
