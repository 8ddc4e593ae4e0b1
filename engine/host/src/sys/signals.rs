//! Signals as a descriptor; signalfd(2).

use std::io::{Error, Result};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

/// A signal mask as the kernel keeps it: signal n is bit n - 1.
pub type Mask = u64;

/// signal(7)
const SIGNALS: i32 = 64;

/// Blocks every signal for this thread, the only one; sigprocmask(2).
///
/// Signals that cannot be blocked, or belong to the C library (32 and 33), stay as they are. Our
/// own fault still ends the process: the kernel does not hold back a blocked SIGSEGV (signal(7)).
///
/// # Errors
///
/// Those of sigprocmask(2).
pub fn block_all() -> Result<Mask> {
    set_mask(Mask::MAX)
}

/// Replaces the mask of this thread and returns the one before; `rt_sigprocmask(2)`.
///
/// # Errors
///
/// Those of sigprocmask(2).
pub fn set_mask(mask: Mask) -> Result<Mask> {
    let mut before: Mask = 0;
    // SAFETY: both pointers lead to masks of the kernel's size, which is the last argument.
    let result = unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const mask,
            &raw mut before,
            mem::size_of::<Mask>(),
        )
    };
    if result < 0 { Err(Error::last_os_error()) } else { Ok(before) }
}

/// The signals that are ignored now; sigaction(2). The C library keeps 32 and 33 to itself and does
/// not tell.
pub fn ignored() -> Mask {
    (1..=SIGNALS).filter(|signal| is_ignored(*signal)).fold(0, |mask, signal| mask | bit(signal))
}

/// The numbers of the signals in a mask, in ascending order.
pub fn numbers_of(mask: Mask) -> Vec<i32> {
    (1..=SIGNALS).filter(|signal| mask & bit(*signal) != 0).collect()
}

fn is_ignored(signal: i32) -> bool {
    let mut action = mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the null pointer asks for no change; the other leads to a struct sigaction.
    let result = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the kernel has filled it if it says so.
    result == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

fn bit(signal: i32) -> Mask {
    1 << (signal - 1)
}

/// A descriptor from which every blocked signal can be read, without waiting; `signalfd4(2)`.
///
/// # Errors
///
/// Those of signalfd(2), `EMFILE` among them.
pub fn open_signalfd() -> Result<OwnedFd> {
    let every: Mask = Mask::MAX;
    // SAFETY: the pointer leads to a mask of the kernel's size, which is the third argument.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_signalfd4,
            -1,
            &raw const every,
            mem::size_of::<Mask>(),
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        )
    };
    let fd = i32::try_from(fd).unwrap_or(-1);
    if fd < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor, and no other code has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The sender of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The kernel itself: a terminal, a timer, the end of a child.
    Kernel,
    /// A process that this one can see.
    Process,
    /// A process outside of this one's PID namespace: a container's runtime. Its number is 0 here;
    /// `pid_namespaces(7)`.
    Outside,
}

impl Origin {
    /// From the code and the sender's number of `sigaction(2)`: codes of the kernel are positive.
    const fn new(code: i32, pid: u32) -> Self {
        match (code > 0, pid) {
            (true, _) => Self::Kernel,
            (false, 0) => Self::Outside,
            (false, _) => Self::Process,
        }
    }

    /// Its name for the script.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Process => "process",
            Self::Outside => "outside",
        }
    }
}

/// A signal that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Its number; signal(7).
    pub number: i32,
    /// Its sender.
    pub origin: Origin,
    /// The value that came with it; sigqueue(3).
    pub value: Option<u64>,
}

/// The next signal that has arrived; `None` if no other one waits.
///
/// # Errors
///
/// Those of read(2).
pub fn next_signal(signalfd: &OwnedFd) -> Result<Option<Arrived>> {
    let mut info = mem::MaybeUninit::<libc::signalfd_siginfo>::uninit();
    let size = mem::size_of::<libc::signalfd_siginfo>();
    // SAFETY: the pointer leads to as many writable bytes as the length says.
    let read = unsafe { libc::read(signalfd.as_raw_fd(), info.as_mut_ptr().cast(), size) };
    if usize::try_from(read).is_ok_and(|read| read == size) {
        // SAFETY: the kernel has filled all of it.
        let info = unsafe { info.assume_init() };
        return Ok(i32::try_from(info.ssi_signo).ok().map(|number| Arrived {
            number,
            origin: Origin::new(info.ssi_code, info.ssi_pid),
            value: (info.ssi_code == libc::SI_QUEUE).then_some(info.ssi_ptr),
        }));
    }
    let error = Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EINTR) => Ok(None),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{Origin, numbers_of};

    #[test]
    fn tells_senders_apart() {
        assert_eq!(Origin::new(libc::SI_USER, 0), Origin::Outside);
        assert_eq!(Origin::new(libc::SI_QUEUE, 0), Origin::Outside);
        assert_eq!(Origin::new(libc::SI_USER, 7), Origin::Process);
        assert_eq!(Origin::new(libc::SI_KERNEL, 0), Origin::Kernel);
        assert_eq!(Origin::new(libc::CLD_EXITED, 7), Origin::Kernel);
    }

    #[test]
    fn knows_signals_by_their_bits() {
        assert!(numbers_of(0).is_empty());
        assert_eq!(numbers_of(1 | 1 << 14 | 1 << 63), [1, 15, 64]);
    }
}
