//! Descriptors.

use std::io::{Error, Result};
use std::ops::RangeInclusive;
use std::os::fd::{BorrowedFd, RawFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Above the standard streams.
const FIRST: u32 = 3;

/// Closes every descriptor above 2 but those to keep; `close_range(2)`, and close(2) before
/// Linux 5.9.
///
/// # Errors
///
/// Those of getrlimit(2).
pub fn close_all_but(keep: &[i32]) -> Result<()> {
    for range in gaps(keep) {
        // SAFETY: the host owns no descriptor by a Rust type that lives on after a fork.
        if unsafe { libc::close_range(*range.start(), *range.end(), 0) } < 0 {
            close_one_by_one(range)?;
        }
    }
    Ok(())
}

/// The open descriptors above 2, in ascending order: by /proc, or else each number that may be one
/// is tried; `proc_pid_fd(5)`, fcntl(2).
pub fn open_descriptors() -> Vec<RawFd> {
    let mut open: Vec<RawFd> = match std::fs::read_dir("/proc/self/fd") {
        Ok(names) => names
            .filter_map(|name| name.ok()?.file_name().to_str()?.parse().ok())
            .filter(|fd| *fd > 2)
            .collect(),
        Err(_) => (3..most_descriptors()).collect(),
    };
    // The folder's own descriptor is closed by now.
    open.retain(|fd| is_open(*fd));
    open.sort_unstable();
    open
}

fn is_open(fd: RawFd) -> bool {
    // SAFETY: F_GETFD takes numbers and changes nothing.
    unsafe { libc::fcntl(fd, libc::F_GETFD) >= 0 }
}

/// `RLIMIT_NOFILE`, or as many as are worth trying.
fn most_descriptors() -> RawFd {
    const MOST: RawFd = 65536;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer leads to a struct rlimit.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if result < 0 { MOST } else { RawFd::try_from(limit.rlim_cur).unwrap_or(MOST).min(MOST) }
}

/// Reads from a position of a file; pread(2). 0 is the end.
///
/// # Errors
///
/// `EBADF`, `EISDIR`, `ESPIPE` for a pipe.
pub fn read_at(fd: RawFd, buffer: &mut [u8], position: u64) -> Result<usize> {
    let position = i64::try_from(position).map_err(|_| Error::from_raw_os_error(libc::EINVAL))?;
    loop {
        let start = buffer.as_mut_ptr().cast();
        // SAFETY: the pointer leads to as many writable bytes as the length says.
        let count = unsafe { libc::pread(fd, start, buffer.len(), position) };
        match usize::try_from(count) {
            Ok(count) => return Ok(count),
            Err(_) if Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => return Err(Error::last_os_error()),
        }
    }
}

/// Lends a descriptor of the script.
///
/// # Errors
///
/// `EBADF` if it is not open.
pub fn lend<T>(fd: RawFd, borrow: impl FnOnce(BorrowedFd<'_>) -> T) -> Result<T> {
    if !is_open(fd) {
        return Err(Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: it is open, and the script, which could close it, does not run meanwhile.
    Ok(borrow(unsafe { BorrowedFd::borrow_raw(fd) }))
}

/// Writes bytes, all of them if the descriptor takes that many at once; write(2).
///
/// # Errors
///
/// `EBADF`, `EPIPE`, `EAGAIN` for a full pipe.
pub fn write(fd: RawFd, bytes: &[u8]) -> Result<usize> {
    // SAFETY: the pointer leads to as many bytes as the length says.
    let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
    usize::try_from(count).map_err(|_| Error::last_os_error())
}

/// Whether a read would not wait: there is something, or the end; poll(2).
pub fn is_readable(fd: RawFd) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer leads to one struct pollfd, as the count says.
    unsafe { libc::poll(&raw mut poll, 1, 0) > 0 }
}

/// Has the running event loop hear when a descriptor can be read; epoll(7).
///
/// # Errors
///
/// `EPERM` for a file that epoll does not take, `EEXIST` if it is watched already.
pub fn watch_readable(fd: RawFd) -> Result<AsyncFd<RawFd>> {
    // SAFETY: the script keeps the descriptor open until it has ended the watch: svc-engine.d.ts
    // says so. If it did not, epoll(7) would drop the entry, and no memory is at stake.
    let registered = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) };
    registered.map_err(|error| error.into_parts().1)
}

fn close_one_by_one(range: RangeInclusive<u32>) -> Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer leads to a struct rlimit.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } < 0 {
        return Err(Error::last_os_error());
    }
    let last = u32::try_from(limit.rlim_max).unwrap_or(u32::MAX).min(1 << 20);
    for fd in (*range.start()..=last.min(*range.end())).filter_map(|fd| i32::try_from(fd).ok()) {
        // SAFETY: as above. One that is not open gives EBADF, which is right.
        unsafe { libc::close(fd) };
    }
    Ok(())
}

/// The ranges of descriptors above 2 between those to keep.
fn gaps(keep: &[i32]) -> Vec<RangeInclusive<u32>> {
    let mut kept: Vec<u32> = keep.iter().filter_map(|fd| u32::try_from(*fd).ok()).collect();
    kept.sort_unstable();
    let mut ranges = Vec::new();
    let mut from = FIRST;
    for fd in kept.into_iter().filter(|fd| *fd >= FIRST) {
        if fd > from {
            ranges.push(from..=fd - 1);
        }
        from = fd + 1;
    }
    ranges.push(from..=u32::MAX);
    ranges
}

#[cfg(test)]
mod tests {
    use super::gaps;

    #[test]
    fn leaves_out_what_is_kept() {
        let all = u32::MAX;
        assert_eq!(gaps(&[]), [3..=all]);
        assert_eq!(gaps(&[0, 1, 2]), [3..=all]);
        assert_eq!(gaps(&[3, 4]), [5..=all]);
        assert_eq!(gaps(&[9, 5, 5]), [3..=4, 6..=8, 10..=all]);
    }
}
