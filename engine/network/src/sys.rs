//! The one place of this crate with `unsafe`: a socket option that rustix does not have, and a call
//! of the system's allocator.

#![allow(unsafe_code)]

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

/// Keeps a listener's connections in the kernel for that many seconds, until their clients have
/// said something; `TCP_DEFER_ACCEPT` in tcp(7).
pub(crate) fn defer_accept(listener: impl AsFd, seconds: libc::c_int) -> io::Result<()> {
    let descriptor = listener.as_fd().as_raw_fd();
    let length = libc::socklen_t::try_from(size_of_val(&seconds)).unwrap_or_default();
    // SAFETY: the descriptor stays open for the borrow, and the option is an int of that length.
    let result = unsafe {
        libc::setsockopt(
            descriptor,
            libc::IPPROTO_TCP,
            libc::TCP_DEFER_ACCEPT,
            (&raw const seconds).cast(),
            length,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives free pages of the heap back to the kernel; `malloc_trim(3)`.
pub(crate) fn give_memory_back() {
    // SAFETY: it touches free memory alone. The engine is linked with glibc, which has it.
    unsafe { libc::malloc_trim(0) };
}
