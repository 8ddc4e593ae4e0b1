//! The functions of libc that TypeScript calls, each bound once by its C prototype.
//!
//! `packages/kernel` wraps each of them and is responsible for the arguments. The host checks those
//! that it can: addresses as numbers (`named_memory.rs`), lengths of arrays, numbers of system calls
//! and requests of ptrace(2). Addresses within a structure and its length are not checked: those of
//! sendmsg(2), for example. The files of `packages/kernel` name the manual page of each function;
//! `packages/kernel/src/bun/native.ts` lists the same prototypes for Bun.

use std::cell::Cell;
use std::ffi::{c_int, c_long, c_uint, c_void};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rquickjs::{BigInt, Ctx, Exception, FromJs, Function, IntoJs, Object, Result, Value};

use super::views::Bytes;
use super::{last_resort, named_memory};

thread_local! {
    static ERRNO: Cell<c_int> = const { Cell::new(0) };
}

static HAS_CALLS_OF_TESTS: AtomicBool = AtomicBool::new(false);

/// Lets the script make native calls that only tests need.
pub fn allow_calls_of_tests() {
    HAS_CALLS_OF_TESTS.store(true, Relaxed);
    named_memory::allow_arrays();
}

/// errno as the last of these calls left it; errno(3).
pub fn errno() -> c_int {
    ERRNO.get()
}

/// A `long`, or a number that came from the kernel as an address.
#[derive(Clone, Copy)]
struct Word(i64);

/// An `int`.
#[derive(Clone, Copy)]
struct Int(c_int);

/// An `unsigned int`.
#[derive(Clone, Copy)]
struct Unsigned(c_uint);

impl<'js> FromJs<'js> for Word {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if let Some(number) = value.as_int() {
            return Ok(Self(i64::from(number)));
        }
        if let Some(number) = value.as_float() {
            // Whole numbers below 2^53 only: TypeScript passes larger ones as BigInt.
            #[allow(clippy::cast_possible_truncation)]
            return Ok(Self(number as i64));
        }
        match value.into_big_int() {
            Some(number) => number.to_i64().map(Self),
            None => Err(Exception::throw_type(ctx, "a native call takes numbers and arrays")),
        }
    }
}

impl<'js> FromJs<'js> for Int {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let Word(word) = Word::from_js(ctx, value)?;
        // As C converts it: a descriptor or a number of signals fits.
        #[allow(clippy::cast_possible_truncation)]
        Ok(Self(word as c_int))
    }
}

impl<'js> FromJs<'js> for Unsigned {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let Word(word) = Word::from_js(ctx, value)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(Self(word as c_uint))
    }
}

/// Numbers of more than 53 bits become a BigInt.
impl<'js> IntoJs<'js> for Word {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        const LARGEST: i64 = 1 << 53;
        if let Ok(small) = i32::try_from(self.0) {
            Ok(Value::new_int(ctx.clone(), small))
        } else if (-LARGEST..=LARGEST).contains(&self.0) {
            #[allow(clippy::cast_precision_loss)]
            Ok(Value::new_float(ctx.clone(), self.0 as f64))
        } else {
            Ok(BigInt::from_i64(ctx.clone(), self.0)?.into_value())
        }
    }
}

/// A Rust value as an argument of a C prototype.
trait Pass<T> {
    fn pass(&self) -> T;
}

impl Pass<c_int> for Int {
    fn pass(&self) -> c_int {
        self.0
    }
}

impl Pass<c_uint> for Unsigned {
    fn pass(&self) -> c_uint {
        self.0
    }
}

impl Pass<c_long> for Word {
    fn pass(&self) -> c_long {
        self.0
    }
}

impl Pass<u64> for Word {
    fn pass(&self) -> u64 {
        // An address or a length: the same bits.
        #[allow(clippy::cast_sign_loss)]
        let word = self.0 as u64;
        word
    }
}

impl Pass<usize> for Word {
    fn pass(&self) -> usize {
        // A usize has 64 bits on every machine that this runs on.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let word = self.0 as usize;
        word
    }
}

impl<T> Pass<*mut T> for Word {
    fn pass(&self) -> *mut T {
        std::ptr::with_exposed_provenance_mut(Pass::<usize>::pass(self))
    }
}

impl<T> Pass<*const T> for Word {
    fn pass(&self) -> *const T {
        std::ptr::with_exposed_provenance(Pass::<usize>::pass(self))
    }
}

impl<T> Pass<*mut T> for Bytes {
    fn pass(&self) -> *mut T {
        self.start.cast()
    }
}

impl<T> Pass<*const T> for Bytes {
    fn pass(&self) -> *const T {
        self.start.cast_const().cast()
    }
}

/// The result of a C function, as a word.
trait Returned {
    fn word(self) -> Word;
}

impl Returned for c_int {
    fn word(self) -> Word {
        Word(i64::from(self))
    }
}

impl Returned for c_uint {
    fn word(self) -> Word {
        Word(i64::from(self))
    }
}

impl Returned for c_long {
    fn word(self) -> Word {
        Word(self)
    }
}

impl Returned for isize {
    fn word(self) -> Word {
        Word(self as i64)
    }
}

impl Returned for usize {
    fn word(self) -> Word {
        // A length or an address: its top bit is not set.
        #[allow(clippy::cast_possible_wrap)]
        Word(self as i64)
    }
}

impl Returned for u64 {
    fn word(self) -> Word {
        // The same bits: getauxval(3) has no negative values.
        #[allow(clippy::cast_possible_wrap)]
        Word(self as i64)
    }
}

impl<T> Returned for *mut T {
    fn word(self) -> Word {
        self.expose_provenance().word()
    }
}

macro_rules! pass {
    ($argument:ident) => {
        $argument.pass()
    };
    // A variadic function's prototype does not say.
    ($argument:ident as $passed:ty) => {
        Pass::<$passed>::pass(&$argument)
    };
}

/// The functions to bind: those of the crate `libc`, except for these.
mod functions {
    // Three are called by their system call numbers. Rust's standard library has weak references to some functions of libc. In a static executable
    // with link-time optimisation these take the place of the real functions.
    //
    // Others could be used for anything: they take the arguments that packages/kernel passes, and
    // the process ends for all else. An error would look like the kernel's.

    use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
    use std::sync::atomic::Ordering::Relaxed;

    pub use libc::*;

    use super::HAS_CALLS_OF_TESTS;
    use crate::sys::signals::without_timer;
    use crate::sys::{last_resort, named_memory};

    /// The system calls that packages/kernel makes by their numbers.
    const CALLS: &[c_long] = &[
        SYS_connect,
        SYS_execve,
        SYS_fallocate,
        SYS_fchmod,
        SYS_fchown,
        SYS_fstatfs,
        SYS_getdents64,
        SYS_getgid,
        SYS_getrlimit,
        SYS_getuid,
        SYS_ioctl,
        SYS_memfd_secret,
        SYS_mount,
        SYS_newfstatat,
        SYS_openat2,
        SYS_pidfd_open,
        SYS_pidfd_send_signal,
        #[cfg(target_arch = "x86_64")]
        SYS_pipe,
        SYS_recvmsg,
        SYS_rt_sigaction,
        SYS_rt_sigqueueinfo,
        SYS_sched_yield,
        SYS_seccomp,
        SYS_sendmsg,
        SYS_setresgid,
        SYS_setresuid,
        SYS_signalfd4,
        SYS_socketpair,
        SYS_symlinkat,
        SYS_umount2,
        SYS_unshare,
        SYS_wait4,
    ];

    /// Those that packages/engine/testing makes.
    const CALLS_OF_TESTS: &[c_long] = &[SYS_chdir, SYS_fchownat, SYS_utimensat];

    /// The requests of ptrace(2) that packages/kernel makes.
    const REQUESTS: &[c_uint] = &[
        PTRACE_PEEKDATA,
        PTRACE_POKEDATA,
        PTRACE_CONT,
        PTRACE_DETACH,
        PTRACE_SYSCALL,
        PTRACE_SETOPTIONS,
        PTRACE_GETEVENTMSG,
        PTRACE_GETREGSET,
        PTRACE_SETREGSET,
        PTRACE_SEIZE,
        PTRACE_INTERRUPT,
        PTRACE_LISTEN,
        PTRACE_GETSIGMASK,
        PTRACE_SETSIGMASK,
        PTRACE_GET_SYSCALL_INFO,
    ];

    // linux/ptrace.h; the crate `libc` has them not for every architecture.
    const PTRACE_GETSIGMASK: c_uint = 0x420a;
    const PTRACE_SETSIGMASK: c_uint = 0x420b;
    const PTRACE_GET_SYSCALL_INFO: c_uint = 0x420e;

    /// syscall(2), for some numbers.
    #[allow(clippy::many_single_char_names)]
    pub unsafe fn syscall(
        number: c_long,
        a: c_long,
        b: c_long,
        c: c_long,
        d: c_long,
        e: c_long,
        f: c_long,
    ) -> c_long {
        let is_of_tests = || HAS_CALLS_OF_TESTS.load(Relaxed) && CALLS_OF_TESTS.contains(&number);
        if !CALLS.contains(&number) && !is_of_tests() {
            last_resort::end("the script makes a system call that the host does not know");
        }
        // SAFETY: the caller answers for the arguments, as for libc's function.
        unsafe { libc::syscall(number, a, b, c, d, e, f) }
    }

    /// ptrace(2), for some requests.
    pub unsafe fn ptrace(
        request: c_uint,
        pid: c_int,
        address: *mut c_void,
        data: *mut c_void,
    ) -> c_long {
        if !REQUESTS.contains(&request) {
            last_resort::end("the script makes a request of ptrace that the host does not know");
        }
        // SAFETY: the caller answers for the arguments, as for libc's function.
        unsafe { libc::ptrace(request, pid, address, data) }
    }

    /// memcpy(3), from memory that the script may name to one of its own mappings.
    pub unsafe fn memcpy(target: *mut c_void, source: *const c_void, length: usize) -> *mut c_void {
        named_memory::require_mapping(target.addr(), length);
        named_memory::require(source.addr(), length);
        // SAFETY: both ranges are mapped, and a mapping lies in no other range.
        unsafe { libc::memcpy(target, source, length) }
    }

    /// memset(3), of memory that the script may name.
    pub unsafe fn memset(target: *mut c_void, byte: c_int, length: usize) -> *mut c_void {
        named_memory::require(target.addr(), length);
        // SAFETY: the range is mapped, and none of Rust's own objects is there.
        unsafe { libc::memset(target, byte, length) }
    }

    /// mmap(2), in a place that the kernel chooses.
    pub unsafe fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: off_t,
    ) -> *mut c_void {
        if !address.is_null() || flags & MAP_FIXED != 0 {
            last_resort::end("the script maps memory in a place of its choice");
        }
        // SAFETY: the kernel chooses an address that nothing else has.
        let mapped = unsafe { libc::mmap(address, length, protection, flags, fd, offset) };
        if mapped != MAP_FAILED {
            named_memory::note_mapping(mapped.addr(), length);
        }
        mapped
    }

    /// munmap(2), of a mapping of the script's.
    pub unsafe fn munmap(address: *mut c_void, length: usize) -> c_int {
        named_memory::forget_mapping(address.addr(), length);
        // SAFETY: the script has made it, and answers for its views.
        unsafe { libc::munmap(address, length) }
    }

    /// mlock(2), of a mapping of the script's.
    pub unsafe fn mlock(address: *const c_void, length: usize) -> c_int {
        named_memory::require_mapping(address.addr(), length);
        // SAFETY: the content stays.
        unsafe { libc::mlock(address, length) }
    }

    /// `copy_file_range(2)`.
    pub unsafe fn copy_file_range(
        source: c_int,
        source_offset: *mut off64_t,
        target: c_int,
        target_offset: *mut off64_t,
        length: usize,
        flags: c_uint,
    ) -> c_long {
        // SAFETY: the caller answers for the arguments, as for libc's function.
        unsafe {
            libc::syscall(
                SYS_copy_file_range,
                source,
                source_offset,
                target,
                target_offset,
                length,
                flags,
            )
        }
    }

    /// ioctl(2), which the watchdog does not interrupt: `sys/exec_listener.rs` says why.
    pub unsafe fn ioctl(fd: c_int, operation: Ioctl, argument: *mut c_void) -> c_int {
        // SAFETY: the caller answers for the arguments, as for libc's function.
        without_timer(|| unsafe { libc::ioctl(fd, operation, argument) })
    }

    /// statx(2).
    pub unsafe fn statx(
        directory: c_int,
        path: *const c_char,
        flags: c_int,
        mask: c_uint,
        buffer: *mut c_void,
    ) -> c_int {
        // SAFETY: the caller answers for the arguments, as for libc's function.
        let result = unsafe { libc::syscall(SYS_statx, directory, path, flags, mask, buffer) };
        if result < 0 { -1 } else { 0 }
    }
}

macro_rules! bind {
    (
        $ctx:ident,
        $table:ident,
        $(
            $name:ident($($argument:ident: $kind:ident $(as $passed:ty)?),*)
            $(where $array:ident has $count:ident)?;
        )*
    ) => {
        $(
            // A function that only weak references name is not there; see `statx`.
            if black_box(functions::$name as *const ()).is_null() {
                last_resort::stop(concat!(stringify!($name), " of libc is not linked"));
            }
            $table.set(
                stringify!($name),
                Function::new($ctx.clone(), |$($argument: $kind),*| -> Word {
                    $(require_bytes(&$array, $count);)?
                    // SAFETY: the caller, packages/kernel, answers for the arguments, as it does
                    // on Bun. Arrays are alive until the call returns.
                    let result = unsafe { functions::$name($(pass!($argument $(as $passed)?)),*) };
                    // SAFETY: the address of this thread's errno is valid as long as it runs.
                    ERRNO.set(unsafe { *libc::__errno_location() });
                    result.word()
                })?,
            )?;
        )*
    };
}

/// Ends the process if an array has fewer bytes than a call is to read or write there.
fn require_bytes(array: &Bytes, count: Word) {
    if Pass::<usize>::pass(&count) > array.length {
        last_resort::end("a native call goes beyond the end of an array");
    }
}

/// Puts the functions into a table by their names.
pub fn install<'js>(ctx: &Ctx<'js>, table: &Object<'js>) -> Result<()> {
    bind! { ctx, table,
        access(path: Bytes, mode: Int);
        chmod(path: Bytes, mode: Unsigned);
        clock_gettime(clock: Int, time: Bytes);
        close(fd: Int);
        copy_file_range(
            source: Int,
            from: Bytes,
            target: Int,
            to: Bytes,
            count: Word,
            flags: Unsigned
        );
        execve(path: Bytes, argv: Bytes, envp: Bytes);
        fcntl(fd: Int, command: Int, argument: Word as c_long);
        ftruncate(fd: Int, length: Word);
        getauxval(kind: Word);
        geteuid();
        getpgrp();
        getppid();
        getrlimit(resource: Unsigned, limit: Bytes);
        getsockopt(fd: Int, level: Int, name: Int, value: Bytes, length: Bytes);
        getxattr(path: Bytes, name: Bytes, value: Bytes, size: Word) where value has size;
        ioctl(fd: Int, operation: Word, argument: Bytes as *mut c_void);
        kill(pid: Int, signal: Int);
        lseek(fd: Int, offset: Word, whence: Int);
        madvise(address: Word, length: Word, advice: Int);
        memcpy(target: Word, source: Word, length: Word);
        memfd_create(name: Bytes, flags: Unsigned);
        memset(target: Word, byte: Int, length: Word);
        mkdir(path: Bytes, mode: Unsigned);
        mkdtemp(template: Bytes);
        mlock(address: Word, length: Word);
        mmap(address: Word, length: Word, protection: Int, flags: Int, fd: Int, offset: Word);
        munmap(address: Word, length: Word);
        open(path: Bytes, flags: Int, mode: Unsigned as c_uint);
        openat(directory: Int, path: Bytes, flags: Int, mode: Unsigned as c_uint);
        pipe2(fds: Bytes, flags: Int);
        poll(fds: Bytes, count: Word, timeout: Int);
        prctl(
            option: Int,
            a: Word as c_long,
            b: Word as c_long,
            c: Word as c_long,
            d: Word as c_long
        );
        pread(fd: Int, buffer: Bytes, count: Word, offset: Word) where buffer has count;
        pthread_sigmask(how: Int, set: Bytes, before: Bytes);
        ptrace(
            operation: Unsigned,
            pid: Int as c_int,
            address: Word as *mut c_void,
            data: Word as *mut c_void
        );
        pwrite(fd: Int, buffer: Bytes, count: Word, offset: Word) where buffer has count;
        raise(signal: Int);
        read(fd: Int, buffer: Bytes, count: Word) where buffer has count;
        readlink(path: Bytes, buffer: Bytes, size: Word) where buffer has size;
        rename(from: Bytes, to: Bytes);
        sendto(fd: Int, buffer: Bytes, count: Word, flags: Int, address: Bytes, length: Unsigned)
            where buffer has count;
        setrlimit(resource: Unsigned, limit: Bytes);
        sigaction(signal: Int, action: Bytes, before: Bytes);
        sigtimedwait(set: Bytes, info: Bytes, timeout: Bytes);
        socket(domain: Int, kind: Int, protocol: Int);
        statvfs(path: Bytes, buffer: Bytes);
        statx(directory: Int, path: Bytes, flags: Int, mask: Unsigned, buffer: Bytes);
        syscall(
            number: Word,
            a: Word as c_long,
            b: Word as c_long,
            c: Word as c_long,
            d: Word as c_long,
            e: Word as c_long,
            f: Word as c_long
        );
        unlinkat(directory: Int, path: Bytes, flags: Int);
        waitid(kind: Unsigned, id: Unsigned, info: Bytes, options: Int);
        write(fd: Int, buffer: Bytes, count: Word) where buffer has count;
    }
    Ok(())
}

// Variadic functions take arguments after C's default promotions: these must be words.
const _: () = assert!(size_of::<*mut c_void>() == size_of::<c_long>());
