//! The common case of following an execve, from its announcement to the program's first
//! instruction, without a turn of the script: decision 0055.
//!
//! TypeScript decides which files are ordinary programs, and gives the code and the registers.
//! `packages/wrapper/src/tracer/follower.ts` does the same steps in all other cases.

use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Result};
use std::os::fd::RawFd;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use crate::initial_stack::vdso_address;
use crate::sys::exec_listener::{self, Notification};
use crate::sys::tracee::{self, Readiness, Registers, Stop};

/// `PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC`, as packages/kernel has them.
#[allow(clippy::cast_sign_loss)]
const OPTIONS: u32 =
    (libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACEEXEC) as u32;
/// A few times the duration of one step of an execve.
const PATIENCE: Duration = Duration::from_millis(2);
/// The event loop has other work: a program that executes others all the time does not keep it.
const LONGEST_TURN: Duration = Duration::from_millis(5);
const MOST_FILES: usize = 256;
/// The jobs of a large `make`. The script handles further threads.
const MOST_THREADS: usize = 16;

/// The decisions of the script.
pub struct Preparation {
    pub listener: RawFd,
    /// Hears of SIGCHLD.
    pub child_signals: RawFd,
    pub region: RawFd,
    /// The main process, which is the script's.
    pub main: i32,
    /// The system calls of the filter that are not execve.
    pub changes_of_user: Vec<i32>,
    pub layout: Layout,
    /// Registers that the code begins with: offset and value.
    pub parameters: Vec<(usize, u64)>,
    pub code: Vec<u8>,
    /// The place of the code, behind the start of the vDSO.
    pub room: u64,
}

/// The places of registers, in bytes.
pub struct Layout {
    pub length: usize,
    pub instruction_pointer: usize,
    pub stack_pointer: usize,
    /// The register that tells the code the address of the program's beginning.
    pub beginning: usize,
}

/// The work that a turn leaves to the script.
#[derive(Default)]
pub struct Left {
    /// Threads that are seized and make an execve.
    pub expected: Vec<i32>,
    /// Processes that run the code and have not asked for the descriptor.
    pub asking: Vec<i32>,
    /// A seized thread that stands.
    pub stop: Option<Stop>,
    /// A system call that waits for its answer.
    pub notification: Option<Notification>,
    /// Whether a SIGCHLD was taken that is about another child.
    pub has_change: bool,
    /// Whether no process has the filter any more.
    pub is_closed: bool,
}

/// Prepares programs at their execve.
pub struct ExecPreparer {
    preparation: Preparation,
    ordinary: HashSet<FileStamp>,
    expected: Vec<i32>,
    asking: Vec<i32>,
}

/// Device, inode, size, time of the last write and of the last change.
type FileStamp = (u64, u64, u64, (i64, i64), (i64, i64));

impl ExecPreparer {
    pub fn new(preparation: Preparation) -> Self {
        Self { preparation, ordinary: HashSet::new(), expected: Vec::new(), asking: Vec::new() }
    }

    /// Notes that the file which a stopped process executes is an ordinary program.
    pub fn note_ordinary(&mut self, process: i32) {
        let Ok(stamp) = stamp_of(process) else { return };
        if self.ordinary.len() >= MOST_FILES {
            self.ordinary.clear();
        }
        self.ordinary.insert(stamp);
    }

    /// Takes announcements, and prepares their programs as long as each step comes soon. Leaves the
    /// rest to the script. Does not wait when no step is under way.
    pub fn run(&mut self) -> Left {
        let mut left = Left::default();
        let mut took_signal = false;
        let turn_end = Instant::now() + LONGEST_TURN;
        let mut end = Instant::now() + PATIENCE;
        while Instant::now() < turn_end && left.stop.is_none() && left.notification.is_none() {
            let sources = [self.preparation.child_signals, self.preparation.listener];
            match tracee::wait_readable(sources, self.rest_ms(end)) {
                [Readiness::Readable, _] => {
                    tracee::drain_signals(self.preparation.child_signals);
                    took_signal = true;
                    left.stop = self.take_stops();
                }
                [_, Readiness::Readable] => left.notification = self.take_notification(),
                [_, Readiness::Ended] => {
                    left.is_closed = true;
                    break;
                }
                _ => break,
            }
            end = Instant::now() + PATIENCE;
        }
        left.expected = std::mem::take(&mut self.expected);
        left.asking = std::mem::take(&mut self.asking);
        left.has_change = took_signal && tracee::has_change();
        left
    }

    /// 0 if nothing is under way: the event loop waits better.
    fn rest_ms(&self, end: Instant) -> i32 {
        if self.expected.is_empty() && self.asking.is_empty() {
            return 0;
        }
        let rest = end.saturating_duration_since(Instant::now());
        i32::try_from(rest.as_micros().div_ceil(1000)).unwrap_or(0)
    }

    /// Returns the notification if it is the script's.
    fn take_notification(&mut self) -> Option<Notification> {
        let notification = exec_listener::receive(self.preparation.listener).ok()?;
        let is_taken = match notification.arguments[0] {
            0 => self.answer(&notification),
            _ => self.announced(&notification),
        };
        (!is_taken).then_some(notification)
    }

    /// Answers the execve without a path by which the code asks for the region's descriptor.
    fn answer(&mut self, notification: &Notification) -> bool {
        let Some(thread) = thread_of(notification) else { return false };
        let Some(at) = self.asking.iter().position(|asking| *asking == thread) else {
            return false;
        };
        let Preparation { listener, region, .. } = self.preparation;
        match exec_listener::answer_with_descriptor(listener, notification.id, region) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => return false,
        }
        self.asking.swap_remove(at);
        true
    }

    /// Seizes the thread for its execve, and lets it go on.
    fn announced(&mut self, notification: &Notification) -> bool {
        let Some(thread) = thread_of(notification) else { return false };
        if thread == self.preparation.main
            || self.preparation.changes_of_user.contains(&notification.call)
        {
            return false;
        }
        // One that was killed before it asked may have had this number.
        self.asking.retain(|asking| *asking != thread);
        let is_expected = self.expected.contains(&thread);
        if !is_expected {
            let is_full = self.expected.len() + self.asking.len() >= MOST_THREADS;
            if is_full || tracee::seize(thread, OPTIONS).is_err() {
                return false;
            }
            self.expected.push(thread);
        }
        // If the thread is gone, the script will see its end.
        let _ = exec_listener::let_continue(self.preparation.listener, notification.id);
        true
    }

    /// Returns a stop that is the script's.
    fn take_stops(&mut self) -> Option<Stop> {
        for thread in self.expected.clone() {
            // The event loop hears of a thread that has ended, or has taken its leader's number.
            let Ok(Some(stop)) = tracee::take_stop(thread) else { continue };
            if !stop.is_exec() || self.prepare(thread).is_err() {
                return Some(stop);
            }
            self.expected.retain(|expected| *expected != thread);
            self.asking.push(thread);
        }
        None
    }

    /// Takes a process that stands in the exec event, has it run the code, and lets it go on. If
    /// this fails, the process still stands, and the script can repeat every step.
    fn prepare(&self, process: i32) -> Result<()> {
        let Preparation { layout, parameters, code, room, .. } = &self.preparation;
        if !self.ordinary.contains(&stamp_of(process)?) {
            return Err(ErrorKind::Unsupported.into());
        }
        let mut registers = tracee::registers(process)?;
        let (start, stack) = entry_of(&registers, layout).ok_or(ErrorKind::Unsupported)?;
        let memory = memory_of(process)?;
        let vdso = vdso_address(&memory, stack)?.ok_or(ErrorKind::Unsupported)?;
        let address = vdso.wrapping_add(*room);
        memory.write_all_at(code, address)?;
        for (offset, value) in parameters {
            registers.set(*offset, *value);
        }
        registers.set(layout.beginning, start);
        registers.set(layout.instruction_pointer, address);
        tracee::set_registers(process, &mut registers)?;
        tracee::detach(process)
    }
}

/// The address of a program's beginning, and its stack; `None` for one of another architecture or
/// of 32 bits.
fn entry_of(registers: &Registers, layout: &Layout) -> Option<(u64, u64)> {
    if registers.length() != layout.length {
        return None;
    }
    Some((registers.get(layout.instruction_pointer)?, registers.get(layout.stack_pointer)?))
}

fn thread_of(notification: &Notification) -> Option<i32> {
    i32::try_from(notification.thread).ok()
}

fn stamp_of(process: i32) -> Result<FileStamp> {
    let file = std::fs::metadata(format!("/proc/{process}/exe"))?;
    Ok(stamp(&file))
}

fn stamp(file: &Metadata) -> FileStamp {
    let (written, changed) =
        ((file.st_mtime(), file.st_mtime_nsec()), (file.st_ctime(), file.st_ctime_nsec()));
    (file.st_dev(), file.st_ino(), file.st_size(), written, changed)
}

fn memory_of(process: i32) -> Result<File> {
    OpenOptions::new().read(true).write(true).open(format!("/proc/{process}/mem"))
}

#[cfg(test)]
mod tests {
    use super::{Layout, entry_of};
    use crate::sys::tracee::Registers;

    #[test]
    fn takes_registers_of_its_own_architecture_only() {
        let layout =
            |length| Layout { length, instruction_pointer: 128, stack_pointer: 152, beginning: 8 };
        let mut registers = Registers::of_length(216);
        registers.set(128, 0x40_1000);
        registers.set(152, 0x7ffc_0000_1000);
        assert_eq!(entry_of(&registers, &layout(216)), Some((0x40_1000, 0x7ffc_0000_1000)));
        // The registers of a program of 32 bits: 17 words of 4 bytes.
        assert_eq!(entry_of(&Registers::of_length(68), &layout(216)), None);
    }
}
