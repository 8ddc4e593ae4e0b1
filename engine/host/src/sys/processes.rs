//! Processes; fork(2).

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{Error, Read, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::with_exposed_provenance;

use super::signals::{self, Mask};

/// Which of the two processes this is after a fork.
pub enum Forked {
    Parent { child: i32 },
    Child,
}

/// Forks this process, which has one thread; fork(2).
///
/// # Errors
///
/// `EAGAIN` if a limit of processes is reached, `ENOMEM`.
pub fn fork() -> Result<Forked> {
    // SAFETY: there is one thread, so the child finds every lock free. It may do everything that
    // the parent may do.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last_os_error()),
        0 => Ok(Forked::Child),
        child => Ok(Forked::Parent { child }),
    }
}

/// Gives a new process its own group, closes every descriptor above 2 but those to keep, and
/// sets its signal mask.
///
/// # Errors
///
/// Those of setpgid(2), `close_range(2)` and sigprocmask(2).
pub fn begin_child(keep: &[i32], mask: Mask) -> Result<()> {
    // SAFETY: setpgid takes numbers only.
    let grouped = match unsafe { libc::setpgid(0, 0) } {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    };
    named("setpgid", grouped)?;
    named("close_range", super::descriptors::close_all_but(keep))?;
    named("rt_sigprocmask", signals::set_mask(mask).map(drop))
}

/// Names the call to people: a new process has no other way to report it.
fn named(call: &str, result: Result<()>) -> Result<()> {
    result.inspect_err(|error| eprintln!("svc-wrapper: start a courier: {call}: {error}"))
}

/// Ends the process at once; `_exit(2)`.
pub fn exit(status: i32) -> ! {
    // SAFETY: _exit takes a number and does not return. No destructor has anything to do.
    unsafe { libc::_exit(status) }
}

/// This process's pid; getpid(2).
pub fn pid() -> i32 {
    // SAFETY: getpid has no arguments and cannot fail.
    unsafe { libc::getpid() }
}

/// Fills with random bytes of the kernel's: getrandom(2), or random(4) if a seccomp filter forbids
/// that.
///
/// # Errors
///
/// That of getrandom(2) if there are no devices either.
pub fn fill_random(target: &mut [u8]) -> Result<()> {
    let mut filled = 0;
    while filled < target.len() {
        let rest = &mut target[filled..];
        // SAFETY: the pointer leads to as many writable bytes as the length says.
        let count = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        match usize::try_from(count) {
            Ok(count) => filled += count,
            Err(_) if Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => {
                let refused = Error::last_os_error();
                return fill_from_devices(rest).map_err(|_| refused);
            }
        }
    }
    Ok(())
}

/// /dev/urandom never waits. /dev/random does, until the kernel has gathered enough of the machine's
/// noise after its start, as getrandom(2) does; random(4).
fn fill_from_devices(target: &mut [u8]) -> Result<()> {
    File::open("/dev/random")?.read_exact(&mut [0])?;
    File::open("/dev/urandom")?.read_exact(target)
}

/// Gives free memory of the C library's heap back to the kernel; `malloc_trim(3)`.
pub fn give_memory_back() {
    // SAFETY: it takes a number and touches no memory that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// The path of this process's executable: by /proc, or else as it was given to execve(2);
/// getauxval(3), `AT_EXECFN`.
pub fn executable() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| {
        // SAFETY: the kernel has put the address of a C string there, on the initial stack.
        let path = unsafe { libc::getauxval(libc::AT_EXECFN) };
        if path == 0 {
            return PathBuf::new();
        }
        // SAFETY: as above; nothing changes it.
        #[allow(clippy::cast_possible_truncation)]
        let path = unsafe { CStr::from_ptr(with_exposed_provenance(path as usize)) };
        PathBuf::from(OsStr::from_bytes(path.to_bytes()))
    })
}
