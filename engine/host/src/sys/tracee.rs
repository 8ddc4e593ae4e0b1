//! Traced processes; ptrace(2), waitid(2).

use std::io::{Error, Result};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null_mut, without_provenance_mut};

use super::descriptors::poll;

/// The largest set of general registers: 34 words, of arm64.
const REGISTER_ROOM_BYTES: usize = 34 * 8;

/// The general registers of a process; `NT_PRSTATUS`.
pub struct Registers {
    bytes: [u8; REGISTER_ROOM_BYTES],
    length: usize,
}

/// How a traced process stands: `si_status` of waitid(2).
#[derive(Clone, Copy)]
pub struct Stop {
    pub thread: i32,
    pub status: i32,
}

impl Stop {
    /// Whether it is `PTRACE_EVENT_EXEC`.
    pub fn is_exec(self) -> bool {
        self.status == (libc::SIGTRAP | (libc::PTRACE_EVENT_EXEC << 8))
    }
}

impl Registers {
    /// All zero, of that many bytes.
    pub fn of_length(length: usize) -> Self {
        Self { bytes: [0; REGISTER_ROOM_BYTES], length }
    }

    /// As many bytes as the process's architecture has.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The register at an offset in bytes.
    pub fn get(&self, offset: usize) -> Option<u64> {
        let bytes = self.bytes.get(offset..offset + 8)?;
        bytes.try_into().ok().map(u64::from_ne_bytes)
    }

    /// Gives a register another value.
    pub fn set(&mut self, offset: usize, value: u64) {
        if let Some(bytes) = self.bytes.get_mut(offset..offset + 8) {
            bytes.copy_from_slice(&value.to_ne_bytes());
        }
    }
}

/// Becomes the tracer of a thread, which goes on running; `PTRACE_SEIZE`.
///
/// # Errors
///
/// `EPERM` if it is traced already or may not be, `ESRCH` if it is gone.
pub fn seize(thread: i32, options: u32) -> Result<()> {
    let options = without_provenance_mut::<()>(options as usize);
    // SAFETY: the request takes numbers only.
    request(unsafe { libc::ptrace(libc::PTRACE_SEIZE, thread, null_mut::<()>(), options) })
}

/// Stops tracing a stopped thread and lets it run on; `PTRACE_DETACH`.
///
/// # Errors
///
/// `ESRCH` if it has been killed.
pub fn detach(thread: i32) -> Result<()> {
    // SAFETY: the request takes numbers only.
    request(unsafe {
        libc::ptrace(libc::PTRACE_DETACH, thread, null_mut::<()>(), null_mut::<()>())
    })
}

/// The registers of a stopped thread; `PTRACE_GETREGSET`.
///
/// # Errors
///
/// `ESRCH` if it has been killed.
pub fn registers(thread: i32) -> Result<Registers> {
    let mut registers = Registers::of_length(0);
    let mut vector = libc::iovec {
        iov_base: registers.bytes.as_mut_ptr().cast(),
        iov_len: registers.bytes.len(),
    };
    register_set(libc::PTRACE_GETREGSET, thread, &mut vector)?;
    registers.length = vector.iov_len;
    Ok(registers)
}

/// Replaces the registers of a stopped thread; `PTRACE_SETREGSET`.
///
/// # Errors
///
/// `ESRCH` if it has been killed.
pub fn set_registers(thread: i32, registers: &mut Registers) -> Result<()> {
    let mut vector =
        libc::iovec { iov_base: registers.bytes.as_mut_ptr().cast(), iov_len: registers.length };
    register_set(libc::PTRACE_SETREGSET, thread, &mut vector)
}

/// The next stop of a traced thread, which is taken; `None` if it runs.
///
/// # Errors
///
/// `ECHILD` if it is traced no longer.
pub fn take_stop(thread: i32) -> Result<Option<Stop>> {
    let id = libc::id_t::try_from(thread).map_err(|_| Error::from_raw_os_error(libc::EINVAL))?;
    let change = wait(libc::P_PID, id, libc::WSTOPPED | libc::WNOHANG)?;
    Ok(change
        .filter(|change| change.code == libc::CLD_TRAPPED)
        .map(|Change { pid, status, .. }| Stop { thread: pid, status }))
}

/// Whether any child has changed, which this leaves as it is.
pub fn has_change() -> bool {
    const PEEK: i32 = libc::WSTOPPED | libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    matches!(wait(libc::P_ALL, 0, PEEK), Ok(Some(_)))
}

/// The state of a descriptor, from poll(2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Nothing,
    Readable,
    /// Nothing will come any more.
    Ended,
}

/// Waits until one of two descriptors can be read or has ended; poll(2).
pub fn wait_readable(descriptors: [RawFd; 2], limit_ms: i32) -> [Readiness; 2] {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries = descriptors.map(entry);
    poll(&mut entries, limit_ms);
    entries.map(|entry| match entry.revents {
        0 => Readiness::Nothing,
        events if events & libc::POLLIN != 0 => Readiness::Readable,
        _ => Readiness::Ended,
    })
}

/// Reads all signals that a descriptor holds; signalfd(2).
pub fn drain_signals(descriptor: RawFd) {
    let mut room = MaybeUninit::<[libc::signalfd_siginfo; 4]>::uninit();
    // SAFETY: the pointer leads to as many writable bytes as the length says.
    unsafe { libc::read(descriptor, room.as_mut_ptr().cast(), size_of_val(&room)) };
}

struct Change {
    pid: i32,
    code: i32,
    status: i32,
}

fn wait(kind: libc::idtype_t, id: libc::id_t, options: i32) -> Result<Option<Change>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the pointer leads to a siginfo_t, which zeroes are a value of; waitid fills the part
    // for children, or leaves it zero.
    let (pid, code, status) = unsafe {
        request(libc::waitid(kind, id, info.as_mut_ptr(), options).into())?;
        let info = info.assume_init();
        (info.si_pid(), info.si_code, info.si_status())
    };
    Ok((pid != 0).then_some(Change { pid, code, status }))
}

fn register_set(operation: libc::c_uint, thread: i32, vector: &mut libc::iovec) -> Result<()> {
    let kind = without_provenance_mut::<()>(1);
    // SAFETY: the vector leads to as many bytes as its length says, which are alive; NT_PRSTATUS is 1.
    request(unsafe { libc::ptrace(operation, thread, kind, std::ptr::from_mut(vector)) })
}

fn request(result: libc::c_long) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}
