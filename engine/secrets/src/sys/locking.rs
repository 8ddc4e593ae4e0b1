#![allow(unsafe_code)]

use std::{
    ffi::c_void,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

use rustix::{
    io::Errno,
    mm::{MlockFlags, mlock_with, munlockall},
};

/// Pages for secrets that the kernel does not lock; mlock2(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLocked {
    /// The locked bytes that this process would have with them, those of regions left out.
    pub wanted_bytes: usize,
    /// errno(3): `ENOMEM`, `EAGAIN` or `EPERM`.
    pub errno: i32,
}

/// What happens if pages cannot be locked. It has no way back.
pub type OnRefusal = fn(&NotLocked) -> !;

static LOCKED_BYTES: AtomicUsize = AtomicUsize::new(0);
static HAS_UNLOCKED: AtomicBool = AtomicBool::new(false);
static HAS_YIELDED: AtomicBool = AtomicBool::new(false);
static ON_REFUSAL: OnceLock<OnRefusal> = OnceLock::new();

/// True while every page for secrets that this process has had was locked.
pub fn are_secrets_locked() -> bool {
    !HAS_UNLOCKED.load(Relaxed)
}

/// How many bytes this process may lock: the soft `RLIMIT_MEMLOCK`, which holds for processes
/// without `CAP_IPC_LOCK`; getrlimit(2).
pub(super) fn limit() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer leads to a struct rlimit. rustix takes it for a call that is never
    // refused. If a filter refuses it, the smallest steps are right.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
    if result < 0 { 0 } else { usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX) }
}

/// From now on a page that cannot be locked is not used.
pub(super) fn refuse_by(on_refusal: OnRefusal) {
    // A second one of the same process asks for the same.
    let _ = ON_REFUSAL.set(on_refusal);
}

/// Locks pages, those to come included. Pages that were never written take no memory yet.
///
/// # Safety
/// The range must be mapped.
pub(super) unsafe fn lock(start: *mut c_void, length: usize) -> Result<(), NotLocked> {
    let wanted_bytes = with_another(length);
    if HAS_YIELDED.load(Relaxed) {
        return Err(NotLocked { wanted_bytes, errno: Errno::NOMEM.raw_os_error() });
    }
    // SAFETY: the caller answers for the range; the call does not change its contents.
    match unsafe { mlock_with(start, length, MlockFlags::ONFAULT) } {
        Ok(()) => {
            LOCKED_BYTES.store(wanted_bytes, Relaxed);
            Ok(())
        }
        Err(errno) => Err(NotLocked { wanted_bytes, errno: errno.raw_os_error() }),
    }
}

/// Notes that pages go unlocked into use; if that is not allowed, the process ends here.
pub(super) fn go_unlocked(refused: &NotLocked) {
    HAS_UNLOCKED.store(true, Relaxed);
    if let Some(on_refusal) = ON_REFUSAL.get() {
        on_refusal(refused);
    }
}

/// The locked bytes that this process would have with that many more.
pub(super) fn with_another(bytes: usize) -> usize {
    LOCKED_BYTES.load(Relaxed) + bytes
}

/// Notes that locked pages have become more or fewer.
pub(super) fn resize_locked(from: usize, to: usize) {
    forget_locked(from);
    LOCKED_BYTES.store(with_another(to), Relaxed);
}

/// Notes that locked pages have gone back to the kernel, or are not locked any more.
pub(super) fn forget_locked(length: usize) {
    LOCKED_BYTES.store(with_another(0).saturating_sub(length), Relaxed);
}

/// Unlocks every page of this process for good, so that other memory may be locked in their place.
/// False if they have to stay, or nothing was locked; munlockall(2).
pub fn yield_locks() -> bool {
    if ON_REFUSAL.get().is_some() || LOCKED_BYTES.load(Relaxed) == 0 {
        return false;
    }
    HAS_YIELDED.store(true, Relaxed);
    HAS_UNLOCKED.store(true, Relaxed);
    LOCKED_BYTES.store(0, Relaxed);
    munlockall().is_ok()
}

/// A child of a fork has no lock on the memory that it inherits; mlock(2).
pub(super) fn begin_anew() {
    LOCKED_BYTES.store(0, Relaxed);
    HAS_UNLOCKED.store(false, Relaxed);
    HAS_YIELDED.store(false, Relaxed);
}
