//! Descriptors.

use std::ffi::CStr;
use std::io::{Error, Result};
use std::ops::RangeInclusive;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;

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
    let listed = numbers_in(c"/proc/self/fd");
    let mut open: Vec<RawFd> = match listed {
        Some(numbers) => numbers.into_iter().filter(|fd| *fd > 2).collect(),
        None => (3..most_descriptors()).collect(),
    };
    // The folder's own descriptor is closed by now.
    open.retain(|fd| is_open(*fd));
    open.sort_unstable();
    open
}

/// The numbers among the names of a folder; readdir(3). `None` if it cannot be read. Not by the
/// standard library, which panics if close(2) is refused.
fn numbers_in(folder: &CStr) -> Option<Vec<RawFd>> {
    // SAFETY: the path ends in NUL.
    let stream = unsafe { libc::opendir(folder.as_ptr()) };
    if stream.is_null() {
        return None;
    }
    let mut numbers = Vec::new();
    loop {
        // SAFETY: the stream is open, and one thread uses it.
        let entry = unsafe { libc::readdir(stream) };
        if entry.is_null() {
            break;
        }
        // SAFETY: the entry is valid until the next call, and its name ends in NUL.
        let name = unsafe { CStr::from_ptr((*entry).d_name.as_ptr()) };
        numbers.extend(name.to_str().ok().and_then(|name| name.parse::<RawFd>().ok()));
    }
    // SAFETY: it is not used any more. A refusal leaves the descriptor open, and harms nothing.
    unsafe { libc::closedir(stream) };
    Some(numbers)
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

/// Whether a read would not wait: there is something, or the end; poll(2). If the kernel does not
/// say, a read has to find out.
pub fn is_readable(fd: RawFd) -> bool {
    let mut entries = [libc::pollfd { fd, events: libc::POLLIN, revents: 0 }];
    poll(&mut entries, 0) != 0
}

/// Waits until one of some descriptors has news; poll(2), and ppoll(2) if a filter refuses that.
/// Negative if both are refused.
pub fn poll(entries: &mut [libc::pollfd], limit_ms: i32) -> i32 {
    let start = entries.as_mut_ptr();
    let count = entries.len();
    // SAFETY: the pointer leads to as many structs pollfd as the count says.
    let polled = unsafe { libc::poll(start, count as libc::nfds_t, limit_ms) };
    if polled >= 0 {
        return polled;
    }
    let (seconds, rest) = (limit_ms / 1000, limit_ms % 1000);
    let limit = libc::timespec { tv_sec: seconds.into(), tv_nsec: i64::from(rest) * 1_000_000 };
    // SAFETY: as above; the time is valid, and a null mask means no other mask.
    unsafe { libc::ppoll(start, count as libc::nfds_t, &raw const limit, ptr::null()) }
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
