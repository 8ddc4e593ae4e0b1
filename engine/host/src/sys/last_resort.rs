//! The end of a process that cannot go on: out of memory, a panic, an assertion of the interpreter,
//! a fault, a script that stands still. It says the cause, ends every process of its family, and
//! exits with 125. It uses no heap and no lock, so that a signal handler can call it;
//! signal-safety(7).

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering::Relaxed};

use super::{damage, signals};

/// The exit status of a wrapper that could not do its work.
pub const BROKEN: i32 = 125;

/// `PATH_MAX` of the kernel.
const PATH_BYTES: usize = 4096;
const REPORT_BYTES: usize = 1024;
const LINE_BYTES: usize = 512;
const MOST_STRANGERS: usize = 256;
/// A line of the kernel's file of children, of as many as are killed in one pass.
const CHILDREN_BYTES: usize = 4096;
const PASSES: u32 = 200;
const PAUSE: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Files of libraries that panic if the kernel refuses one call, which has no replacement.
const REFUSED: [(&str, &str); 2] =
    [("/src/runtime/io/driver", "epoll_wait"), ("/sys/random/", "getrandom")];

/// The program while it runs; 0 without one.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// The status of the program with whose end this process ends; negative before that.
static STATUS: AtomicI32 = AtomicI32::new(-1);
/// Children that were there before the wrapper was.
static STRANGERS: [AtomicI32; MOST_STRANGERS] = [const { AtomicI32::new(0) }; MOST_STRANGERS];
/// A path of the kubelet's file, ended by a zero byte.
static TERMINATION_LOG: [AtomicU8; PATH_BYTES] = [const { AtomicU8::new(0) }; PATH_BYTES];
/// A descriptor and bytes for it, in a process without memory; no descriptor is negative.
static REPORT_FD: AtomicI32 = AtomicI32::new(-1);
static REPORT: [AtomicU8; REPORT_BYTES] = [const { AtomicU8::new(0) }; REPORT_BYTES];
static REPORT_LENGTH: AtomicUsize = AtomicUsize::new(0);
/// The script was refused memory once: it may have lost the step that it was at.
static LACKS_MEMORY: AtomicBool = AtomicBool::new(false);
/// A child of a fork ends alone: its parent looks after the family.
static IS_ALONE: AtomicBool = AtomicBool::new(false);
static IS_ENDING: AtomicBool = AtomicBool::new(false);
static HAS_SAID: AtomicBool = AtomicBool::new(false);

/// As `write_line` makes them of a cause, for a process that cannot make a line any more.
const DAMAGED_LINE: &str =
    "svc-wrapper: the executable is damaged: its file is not the one that was built\n";
const SECOND_LINE: &str = "svc-wrapper: a second fault in the wrapper itself, while it ended\n";

/// Notes the file that takes the cause, and the children that are not of the family. A path that is
/// too long is left out, as the kernel knows none.
pub fn note_family(termination_log: &str, strangers: &[i32]) {
    let bytes = termination_log.as_bytes();
    let path = if bytes.len() < PATH_BYTES { bytes } else { b"" };
    for (at, place) in TERMINATION_LOG.iter().enumerate() {
        place.store(path.get(at).copied().unwrap_or(0), Relaxed);
    }
    for (at, place) in STRANGERS.iter().enumerate() {
        place.store(strangers.get(at).copied().unwrap_or(0), Relaxed);
    }
}

/// Notes the bytes that a process without memory writes to a descriptor. They are left out if they
/// are too many.
pub fn note_report(fd: i32, bytes: &[u8]) {
    if bytes.len() > REPORT.len() {
        return;
    }
    for (place, byte) in REPORT.iter().zip(bytes) {
        place.store(*byte, Relaxed);
    }
    REPORT_LENGTH.store(bytes.len(), Relaxed);
    REPORT_FD.store(fd, Relaxed);
}

/// Notes that there was no memory for the script. Every later end has this cause.
pub fn note_lack_of_memory() {
    LACKS_MEMORY.store(true, Relaxed);
}

/// Notes the program that runs, before which no other one counts; 0 if none runs any more.
pub fn note_program(pid: i32) {
    PROGRAM.store(pid, Relaxed);
    STATUS.store(-1, Relaxed);
}

/// Notes the status of the program with whose end this process ends.
pub fn note_end(status: i32) {
    note_program(0);
    STATUS.store(status, Relaxed);
}

/// The program that runs; 0 without one.
pub fn program() -> i32 {
    PROGRAM.load(Relaxed)
}

/// Has a child of a fork end alone from now on.
pub fn begin_child() {
    IS_ALONE.store(true, Relaxed);
    note_program(0);
}

/// Ends the process with 125, and its family.
pub fn end(cause: &str) -> ! {
    end_because(&[cause])
}

/// The same with a cause in parts, which stand one behind the other.
pub fn end_because(cause: &[&str]) -> ! {
    if LACKS_MEMORY.load(Relaxed) {
        end_without_memory("no memory is left: a limit on memory is too small");
    }
    say("INTERNAL", cause);
    end_family();
    super::processes::exit(BROKEN)
}

/// Exits as the script says. A wrapper that could not do its work may be damaged, although it has
/// named another cause.
pub fn exit(status: i32) -> ! {
    if status == BROKEN && !IS_ALONE.load(Relaxed) && damage::is_found() {
        warn(damage::DAMAGED);
    }
    super::processes::exit(status)
}

/// Tells people of something that the process can do without. There is no log yet.
pub fn warn(problem: &str) {
    write_line(2, "svc-wrapper", &[problem]);
}

/// Ends a process that cannot begin. There is no log yet.
pub fn stop(problem: &str) -> ! {
    end_because(&["start the engine: ", problem])
}

/// The same for a process that has no memory left.
pub fn end_without_memory(cause: &str) -> ! {
    let fd = REPORT_FD.load(Relaxed);
    if fd >= 0 && takes_bytes(fd) {
        // SAFETY: the pointer leads to as many bytes. Nothing writes to them: there is one thread.
        unsafe { libc::write(fd, REPORT.as_ptr().cast(), REPORT_LENGTH.load(Relaxed)) };
    }
    say("OUT_OF_MEMORY", &[cause]);
    end_family();
    super::processes::exit(BROKEN)
}

/// Ends the family, and the process with the program's status as a shell gives it: 128 + n for
/// signal n. 125 if the program's end cannot be seen.
pub fn end_with_program(cause: &str) -> ! {
    say("INTERNAL", &[cause]);
    let seen = end_family();
    let noted = STATUS.load(Relaxed);
    super::processes::exit(seen.unwrap_or(if noted < 0 { BROKEN } else { noted }))
}

/// Ends a process whose stage has lasted for too long: a start, or the time after a program.
pub fn end_stage() -> ! {
    if STATUS.load(Relaxed) < 0 {
        end("the start deadline is over, and the wrapper stands still");
    }
    end_with_program("its program has ended, and the wrapper stands still")
}

/// Has a panic, an assertion of the interpreter or a fault end the process here.
pub fn catch_faults() {
    std::panic::set_hook(Box::new(|panic| {
        // The message may quote its input.
        let file = panic.location().map_or("a library", std::panic::Location::file);
        match REFUSED.iter().find(|(part, _)| file.contains(part)) {
            Some((_, call)) => end_because(&["the kernel refuses a system call: ", call]),
            None => end_because(&["the host panicked in ", file]),
        }
    }));
    for signal in signals::FAULTS {
        // An ignored one stays so for the program.
        if !signals::is_ignored(signal) {
            signals::handle(signal, on_fault);
        }
    }
}

/// A fault of this process ends it. The same signal from another process is the script's.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives both to a handler with SA_SIGINFO.
    let code = unsafe { (*info).si_code };
    let is_own = signal == libc::SIGABRT && code == libc::SI_TKILL;
    if code <= 0 && !is_own {
        // SAFETY: as above.
        unsafe { signals::leave_to_script(signal, info, context.cast()) };
        return;
    }
    // Another one, of the search for damage, comes here again.
    signals::unblock_faults();
    // SAFETY: the kernel gives both to a handler with SA_SIGINFO.
    if signal == libc::SIGSEGV && unsafe { signals::is_at_stack(info, context.cast()) } {
        end_without_memory("its stack cannot grow: a limit on stack or memory is too small");
    }
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGABRT => "SIGABRT",
        _ => "an illegal instruction or operation",
    };
    end_because(&["a fault in the wrapper itself: ", name])
}

fn say(code: &str, cause: &[&str]) {
    // Damage is the cause of every other failure.
    let is_damaged = damage::is_found();
    // A failure while ending must not begin it again.
    if IS_ENDING.swap(true, Relaxed) {
        if !HAS_SAID.swap(true, Relaxed) {
            write_ready(if is_damaged { DAMAGED_LINE } else { SECOND_LINE });
        }
        super::processes::exit(BROKEN);
    }
    let cause = if is_damaged { &[damage::DAMAGED] } else { cause };
    write_line(2, "svc-wrapper", cause);
    HAS_SAID.store(true, Relaxed);
    if IS_ALONE.load(Relaxed) || TERMINATION_LOG[0].load(Relaxed) == 0 {
        return;
    }
    let path: *const libc::c_char = TERMINATION_LOG.as_ptr().cast();
    let flags = libc::O_WRONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
    // SAFETY: the path ends with a zero byte, and nothing writes to it: there is one thread.
    let fd = unsafe { libc::open(path, flags) };
    if fd < 0 {
        return;
    }
    let mut facts = mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the pointer leads to a struct stat, which is read only if the kernel has filled it.
    let is_file = unsafe {
        libc::fstat(fd, facts.as_mut_ptr()) == 0
            && facts.assume_init().st_mode & libc::S_IFMT == libc::S_IFREG
    };
    // SAFETY: it takes numbers.
    if is_file && unsafe { libc::ftruncate(fd, 0) } == 0 {
        write_line(fd, code, cause);
    }
}

/// Whether a line can be written without waiting: the log may be a pipe that is full.
fn takes_bytes(fd: c_int) -> bool {
    let mut asked = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: the pointer leads to one struct pollfd.
    unsafe { libc::poll(&raw mut asked, 1, 0) == 1 && asked.revents & libc::POLLOUT != 0 }
}

/// A line of the log that is ready. The functions poll and write of the C library may be damaged.
fn write_ready(line: &str) {
    let mut asked = libc::pollfd { fd: 2, events: libc::POLLOUT, revents: 0 };
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let none = ptr::null::<c_void>();
    // SAFETY: the pointers lead to one struct pollfd and one struct timespec, or nowhere.
    let found = unsafe {
        libc::syscall(libc::SYS_ppoll, &raw mut asked, 1_usize, &raw const now, none, 0_usize)
    };
    if found == 1 && asked.revents & libc::POLLOUT != 0 {
        // SAFETY: the pointer leads to as many bytes as the length says.
        unsafe { libc::syscall(libc::SYS_write, 2_usize, line.as_ptr(), line.len()) };
    }
}

/// In one call, so that no line of another process comes between.
fn write_line(fd: c_int, head: &str, cause: &[&str]) {
    if !takes_bytes(fd) {
        return;
    }
    let mut line = [0_u8; LINE_BYTES];
    let mut length = 0;
    let parts = [head, ": "].into_iter().chain(cause.iter().copied());
    for byte in parts.flat_map(str::bytes).take(LINE_BYTES - 1).chain([b'\n']) {
        line[length] = byte;
        length += 1;
    }
    // SAFETY: the pointer leads to as many bytes as the length says.
    unsafe { libc::write(fd, line.as_ptr().cast(), length) };
}

/// Kills each child but strangers, and those that the kernel makes children of this process then,
/// until none is left. The status of the program if it was seen.
fn end_family() -> Option<i32> {
    // SAFETY: these take numbers or nothing. Nothing of this process is used any more.
    let is_first = unsafe {
        libc::close_range(3, libc::c_uint::MAX, 0);
        libc::getpid() == 1
    };
    if IS_ALONE.load(Relaxed) {
        return None;
    }
    let program = program();
    let pause = PAUSE;
    let mut status = None;
    for _ in 0..PASSES {
        if is_first {
            // SAFETY: it reaches all processes of this PID namespace but this one.
            unsafe { libc::kill(-1, libc::SIGKILL) };
        } else {
            kill_group(program);
            kill_children();
        }
        if reap_until_none(program, &mut status) {
            break;
        }
        // SAFETY: the pointer leads to a struct timespec.
        unsafe { libc::nanosleep(&raw const pause, ptr::null_mut()) };
    }
    status
}

/// Kills a child and its group; nothing for 0.
pub fn kill_group(pid: i32) {
    if pid > 0 {
        // SAFETY: these take numbers. A group with the number of a child is the child's.
        unsafe {
            libc::kill(-pid, libc::SIGKILL);
            libc::kill(pid, libc::SIGKILL);
        }
    }
}

/// Whether /proc has the numbers of this process's PID namespace; `pid_namespaces(7)`.
fn has_own_numbers() -> bool {
    let mut room = [0_u8; 16];
    // SAFETY: the path ends with a zero byte, and the room has as many bytes as the length says.
    let count =
        unsafe { libc::readlink(c"/proc/self".as_ptr(), room.as_mut_ptr().cast(), room.len()) };
    let number = usize::try_from(count).ok().and_then(|count| number_in(&room[..count]));
    // SAFETY: it takes nothing.
    number == Some(unsafe { libc::getpid() })
}

fn number_in(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// By the kernel's list; `proc_tid_children(5)`.
fn kill_children() {
    if !has_own_numbers() {
        return;
    }
    let mut room = [0_u8; CHILDREN_BYTES];
    // SAFETY: the path ends with a zero byte.
    let fd = unsafe { libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY) };
    if fd < 0 {
        return;
    }
    // SAFETY: the pointer leads to as many writable bytes as the length says.
    let count = unsafe { libc::read(fd, room.as_mut_ptr().cast(), room.len()) };
    // SAFETY: it takes a number.
    unsafe { libc::close(fd) };
    let text = &room[..usize::try_from(count).unwrap_or(0)];
    // The last number may be cut: it comes whole in a later pass.
    let whole = text.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    for number in text[..whole].split(|byte| *byte == b' ') {
        let Some(pid) = number_in(number) else { continue };
        if !STRANGERS.iter().any(|stranger| stranger.load(Relaxed) == pid) {
            kill_group(pid);
        }
    }
}

/// Takes the ends that there are; true if no child is left.
fn reap_until_none(program: i32, status: &mut Option<i32>) -> bool {
    loop {
        let mut word: c_int = 0;
        // SAFETY: the pointer leads to an int.
        let pid = unsafe { libc::waitpid(-1, &raw mut word, libc::WNOHANG) };
        if pid <= 0 {
            return pid < 0;
        }
        if pid == program {
            *status = status_of(word).or(*status);
        }
    }
}

fn status_of(word: c_int) -> Option<i32> {
    if libc::WIFEXITED(word) {
        return Some(libc::WEXITSTATUS(word));
    }
    libc::WIFSIGNALED(word).then(|| 128 + libc::WTERMSIG(word))
}

#[cfg(test)]
mod tests {
    use super::{DAMAGED_LINE, damage::DAMAGED};

    #[test]
    fn has_the_line_about_damage_ready() {
        assert_eq!(DAMAGED_LINE, format!("svc-wrapper: {DAMAGED}\n"));
    }
}
