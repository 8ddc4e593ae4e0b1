//! The functions of libc that TypeScript calls, each bound once by its C prototype.
//!
//! `packages/kernel` wraps each of them and is responsible for the arguments: which numbers are
//! addresses, and how long the memory behind a pointer must be. Its files name the manual page of
//! each; `packages/kernel/src/bun/native.ts` lists the same prototypes for Bun.

use std::cell::Cell;
use std::ffi::{c_int, c_long, c_uint, c_void};
use std::hint::black_box;

use rquickjs::{BigInt, Ctx, Exception, FromJs, Function, IntoJs, Object, Result, Value};

use super::last_resort;
use super::views::Bytes;

thread_local! {
    static ERRNO: Cell<c_int> = const { Cell::new(0) };
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

/// The functions to bind: those of the crate `libc`, except for three.
mod functions {
    // Rust's standard library has weak references to some functions of libc. In a static executable
    // with link-time optimisation these take the place of the real functions. So these functions
    // are called by their system call numbers.

    use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

    pub use libc::*;

    use crate::sys::signals::without_timer;

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
            syscall(
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
        let result = unsafe { syscall(SYS_statx, directory, path, flags, mask, buffer) };
        if result < 0 { -1 } else { 0 }
    }
}

macro_rules! bind {
    (
        $ctx:ident,
        $table:ident,
        $($name:ident($($argument:ident: $kind:ident $(as $passed:ty)?),*);)*
    ) => {
        $(
            // A function that only weak references name is not there; see `statx`.
            if black_box(functions::$name as *const ()).is_null() {
                last_resort::stop(concat!(stringify!($name), " of libc is not linked"));
            }
            $table.set(
                stringify!($name),
                Function::new($ctx.clone(), |$($argument: $kind),*| -> Word {
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
        getxattr(path: Bytes, name: Bytes, value: Bytes, size: Word);
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
        pread(fd: Int, buffer: Bytes, count: Word, offset: Word);
        pthread_sigmask(how: Int, set: Bytes, before: Bytes);
        ptrace(
            operation: Unsigned,
            pid: Int as c_int,
            address: Word as *mut c_void,
            data: Word as *mut c_void
        );
        pwrite(fd: Int, buffer: Bytes, count: Word, offset: Word);
        raise(signal: Int);
        read(fd: Int, buffer: Bytes, count: Word);
        readlink(path: Bytes, buffer: Bytes, size: Word);
        rename(from: Bytes, to: Bytes);
        sendto(fd: Int, buffer: Bytes, count: Word, flags: Int, address: Bytes, length: Unsigned);
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
        write(fd: Int, buffer: Bytes, count: Word);
    }
    Ok(())
}

// Variadic functions take arguments after C's default promotions: these must be words.
const _: () = assert!(size_of::<*mut c_void>() == size_of::<c_long>());
