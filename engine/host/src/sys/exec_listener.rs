//! The listener of a seccomp filter; `seccomp_unotify(2)`.

use std::io::{Error, Result};
use std::mem::size_of;
use std::os::fd::RawFd;

use super::signals;

/// `_IOWR('!', 0, struct seccomp_notif)` of linux/seccomp.h.
const RECEIVE: libc::c_ulong = 0xc050_2100;
/// `_IOWR('!', 1, struct seccomp_notif_resp)`
const SEND: libc::c_ulong = 0xc018_2101;
/// `_IOW('!', 3, struct seccomp_notif_addfd)`
const ADD_DESCRIPTOR: libc::c_ulong = 0x4018_2103;
const CONTINUE: u32 = 1;
/// Linux 5.14
const ADD_AND_SEND: u32 = 2;

/// `struct seccomp_notif`: a system call that waits for its listener's answer.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Notification {
    pub id: u64,
    pub thread: u32,
    flags: u32,
    /// By the table of the call's architecture.
    pub call: i32,
    architecture: u32,
    instruction: u64,
    pub arguments: [u64; 6],
}

pub const NOTIFICATION_BYTES: usize = size_of::<Notification>();

// The sizes are part of the ioctls' numbers.
const _: () = assert!(NOTIFICATION_BYTES == 0x50);
const _: () = assert!(size_of::<Response>() == 0x18 && size_of::<Addition>() == 0x18);

/// `struct seccomp_notif_resp`
#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// `struct seccomp_notif_addfd`
#[repr(C)]
struct Addition {
    id: u64,
    flags: u32,
    source: u32,
    target: u32,
    target_flags: u32,
}

impl Notification {
    /// Its bytes, as the kernel has written them.
    pub fn to_bytes(self) -> [u8; NOTIFICATION_BYTES] {
        // SAFETY: the struct is plain integers without padding, as the assertion on its size and
        // the kernel's header say.
        unsafe { std::mem::transmute(self) }
    }
}

/// Waits for the next notification and takes it.
///
/// # Errors
///
/// `ENOENT` if its thread is gone.
pub fn receive(listener: RawFd) -> Result<Notification> {
    let mut notification = Notification::default();
    // SAFETY: the pointer leads to a struct of the size that the ioctl's number says, zeroed, as
    // the kernel asks for.
    checked(unsafe { libc::ioctl(listener, RECEIVE as _, &raw mut notification) })?;
    Ok(notification)
}

/// Lets the kernel make the call.
///
/// # Errors
///
/// `ENOENT` if the thread is gone.
pub fn let_continue(listener: RawFd, id: u64) -> Result<()> {
    let mut response = Response { id, value: 0, error: 0, flags: CONTINUE };
    // SAFETY: the pointer leads to a struct of the size that the ioctl's number says.
    checked(unsafe { libc::ioctl(listener, SEND as _, &raw mut response) })
}

/// Gives the thread a copy of a descriptor of ours, whose number is the result of the call.
///
/// # Errors
///
/// `ENOENT` if the thread is gone, `EMFILE` if it may have no more descriptors, `EINVAL`
/// before Linux 5.14. The call still waits then.
///
/// A signal in the middle of it would leave the call answered without a descriptor.
pub fn answer_with_descriptor(listener: RawFd, id: u64, descriptor: RawFd) -> Result<()> {
    let source = u32::try_from(descriptor).map_err(|_| Error::from_raw_os_error(libc::EBADF))?;
    let mut addition = Addition { id, flags: ADD_AND_SEND, source, target: 0, target_flags: 0 };
    // SAFETY: the pointer leads to a struct of the size that the ioctl's number says.
    let add = || unsafe { libc::ioctl(listener, ADD_DESCRIPTOR as _, &raw mut addition) };
    checked(signals::without_timer(add))
}

fn checked(result: i32) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}
