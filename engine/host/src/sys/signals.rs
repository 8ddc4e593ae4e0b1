//! Signals as a descriptor; signalfd(2).

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::io::{Error, Result};
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

/// A signal mask as the kernel keeps it: signal n is bit n - 1.
pub type Mask = u64;

/// signal(7)
const SIGNALS: i32 = 64;

/// The signals of faults, which end a process that blocks them without a handler; signal(7).
pub const FAULTS: [i32; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// A signal that no process sends: the C library keeps it to itself, and uses it for threads, of
/// which there is one; `nptl(7)`.
pub const TIMER: i32 = 32;

/// A handler with `SA_SIGINFO`; sigaction(2).
pub type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Blocks every signal for this thread, the only one, but those that have handlers here;
/// sigprocmask(2).
///
/// # Errors
///
/// Those of sigprocmask(2).
pub fn block_all() -> Result<Mask> {
    let faults = FAULTS.iter().filter(|fault| !is_ignored(**fault));
    let handled = faults.fold(bit(TIMER), |mask, fault| mask | bit(*fault));
    set_mask(Mask::MAX & !handled)
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

/// Whether a signal is ignored; sigaction(2).
pub fn is_ignored(signal: i32) -> bool {
    let mut action = mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the null pointer asks for no change; the other leads to a struct sigaction.
    let result = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the kernel has filled it if it says so.
    result == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// The bit of a signal.
pub const fn bit(signal: i32) -> Mask {
    1 << (signal - 1)
}

/// As much as the kernel needs for a signal's frame with all registers, and a handler's own need.
const STACK_BYTES: usize = 64 << 10;

/// The stack of handlers: the usual one may be the one that is full; sigaltstack(2).
struct HandlerStack(UnsafeCell<[u8; STACK_BYTES]>);

// SAFETY: only the kernel uses it, for the one thread.
unsafe impl Sync for HandlerStack {}

static STACK: HandlerStack = HandlerStack(UnsafeCell::new([0; STACK_BYTES]));

/// The kernel's struct sigaction, which the C library does not take for its own signals.
#[repr(C)]
struct KernelAction {
    handler: usize,
    flags: libc::c_ulong,
    restorer: usize,
    mask: Mask,
}

#[cfg(target_arch = "x86_64")]
mod restorer {
    // The kernel has a handler return to it: the frame lies on the stack; sigreturn(2).
    std::arch::global_asm!(
        ".hidden svc_signal_return",
        ".globl svc_signal_return",
        "svc_signal_return:",
        "mov eax, 15",
        "syscall",
    );

    unsafe extern "C" {
        safe fn svc_signal_return();
    }

    pub const FLAG: libc::c_ulong = 0x0400_0000;

    pub fn address() -> usize {
        (svc_signal_return as *const ()).expose_provenance()
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod restorer {
    // The kernel has its own, in the vDSO.
    pub const FLAG: libc::c_ulong = 0;

    pub fn address() -> usize {
        0
    }
}

/// Has a handler take a signal, on a stack of its kind, with every other signal blocked.
/// A kernel that refuses leaves the signal as it is; sigaction(2).
pub fn handle(signal: i32, handler: Handler) {
    let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: STACK_BYTES };
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    let action = KernelAction {
        handler: (handler as *const ()).expose_provenance(),
        flags: libc::c_ulong::from(flags.cast_unsigned()) | restorer::FLAG,
        restorer: restorer::address(),
        mask: Mask::MAX,
    };
    // SAFETY: the pointers lead to structures of the kernel's form. The stack is static, and the
    // handler takes the arguments of SA_SIGINFO.
    unsafe {
        libc::sigaltstack(&raw const stack, ptr::null_mut());
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            &raw const action,
            ptr::null_mut::<c_void>(),
            mem::size_of::<Mask>(),
        );
    }
}

/// Gives a signal that a handler has got from another process back: it is blocked from now on, and
/// waits for the script as every other.
///
/// # Safety
///
/// To be called in a handler, with its arguments.
pub unsafe fn leave_to_script(
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::ucontext_t,
) {
    // SAFETY: the kernel takes the mask from there when the handler returns; its first eight bytes
    // are the kernel's. A process may send itself any information; rt_sigqueueinfo(2).
    unsafe {
        let mask: *mut Mask = (&raw mut (*context).uc_sigmask).cast();
        mask.write_unaligned(mask.read_unaligned() | bit(signal));
        libc::syscall(libc::SYS_rt_sigqueueinfo, libc::getpid(), signal, info);
    }
}

/// Makes a call that the watchdog's timer must not interrupt. errno stays as the call leaves it.
pub fn without_timer<R>(call: impl FnOnce() -> R) -> R {
    change_mask(libc::SIG_BLOCK, bit(TIMER));
    let result = call();
    change_mask(libc::SIG_UNBLOCK, bit(TIMER));
    result
}

/// Lets the signals of faults come again, within a handler of one.
pub fn unblock_faults() {
    change_mask(libc::SIG_UNBLOCK, FAULTS.iter().fold(0, |mask, fault| mask | bit(*fault)));
}

fn change_mask(how: c_int, mask: Mask) {
    // SAFETY: the pointer leads to a mask of the kernel's size, which is the last argument.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            how,
            &raw const mask,
            ptr::null_mut::<c_void>(),
            mem::size_of::<Mask>(),
        );
    }
}

/// Further below the stack pointer than any function of the wrapper goes at once.
const NEAR_STACK_BYTES: usize = 1 << 20;

/// Whether a fault's address is where the stack grows to, or was just in use.
///
/// # Safety
///
/// To be called in a handler, with its arguments.
pub unsafe fn is_at_stack(info: *mut libc::siginfo_t, context: *mut libc::ucontext_t) -> bool {
    // SAFETY: the kernel has filled both.
    let (address, registers) = unsafe { ((*info).si_addr().addr(), &(*context).uc_mcontext) };
    #[cfg(target_arch = "x86_64")]
    let pointer = registers.gregs[libc::REG_RSP as usize].cast_unsigned();
    #[cfg(target_arch = "aarch64")]
    let pointer = registers.sp;
    usize::try_from(pointer).is_ok_and(|pointer| pointer.abs_diff(address) < NEAR_STACK_BYTES)
}

/// The signals that wait for this process; sigpending(2).
pub fn pending() -> Mask {
    let mut waiting: Mask = 0;
    // SAFETY: the pointer leads to a mask of the kernel's size, which is the last argument.
    unsafe {
        libc::syscall(libc::SYS_rt_sigpending, &raw mut waiting, mem::size_of::<Mask>());
    }
    waiting
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

/// The next signal that has arrived; `None` if no other one waits. A signal of another number than
/// the last one goes first: the kernel gives the lowest number, and a flood of SIGUSR1 would keep
/// SIGTERM waiting.
///
/// # Errors
///
/// Those of read(2).
pub fn next_signal(signalfd: &OwnedFd, last: i32) -> Result<Option<Arrived>> {
    match following(pending(), last).and_then(take) {
        Some(arrived) => Ok(Some(arrived)),
        // The kernel refuses one of the two calls, or nothing waits.
        None => read_signal(signalfd),
    }
}

/// The signal of a mask that follows a number, after the highest one the lowest; `None` of an empty
/// mask.
fn following(mask: Mask, number: i32) -> Option<i32> {
    let behind = Mask::MAX.checked_shl(number.unsigned_abs()).unwrap_or(0);
    let chosen = if mask & behind == 0 { mask } else { mask & behind };
    let bits = i32::try_from(chosen.trailing_zeros()).ok()?;
    (chosen != 0).then_some(bits + 1)
}

/// Takes a waiting signal of a number; `rt_sigtimedwait(2)`. `None` if it cannot be taken.
fn take(number: i32) -> Option<Arrived> {
    let mask = bit(number);
    let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let mut info = mem::MaybeUninit::<libc::siginfo_t>::uninit();
    // SAFETY: the pointers lead to a mask of the kernel's size, which is the last argument, to room
    // for the facts of one signal, and to a time.
    let taken = unsafe {
        libc::syscall(
            libc::SYS_rt_sigtimedwait,
            &raw const mask,
            info.as_mut_ptr(),
            &raw const at_once,
            mem::size_of::<Mask>(),
        )
    };
    if taken != libc::c_long::from(number) {
        return None;
    }
    // SAFETY: the kernel has filled it, and a signal that a process sends has these fields.
    let (code, pid, value) = unsafe {
        let info = info.assume_init();
        (info.si_code, info.si_pid(), info.si_value().sival_ptr as u64)
    };
    Some(Arrived {
        number,
        origin: Origin::new(code, pid.unsigned_abs()),
        value: (code == libc::SI_QUEUE).then_some(value),
    })
}

/// As the kernel orders them; signalfd(2).
fn read_signal(signalfd: &OwnedFd) -> Result<Option<Arrived>> {
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
    use super::{Origin, following, numbers_of};

    #[test]
    fn goes_round_the_signals_that_wait() {
        let hangup_and_term = 1 << (libc::SIGHUP - 1) | 1 << (libc::SIGTERM - 1);
        for (mask, last, next) in [
            (hangup_and_term, 0, Some(libc::SIGHUP)),
            (hangup_and_term, libc::SIGHUP, Some(libc::SIGTERM)),
            (hangup_and_term, libc::SIGTERM, Some(libc::SIGHUP)),
            (hangup_and_term, 64, Some(libc::SIGHUP)),
            (1 << 63, 63, Some(64)),
            (1 << 63, 64, Some(64)),
            (0, libc::SIGHUP, None),
        ] {
            assert_eq!(following(mask, last), next, "{mask:x} after {last}");
        }
    }

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
