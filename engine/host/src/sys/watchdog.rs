//! A watchdog over the script. It keeps the deadline of a start and the grace of a stop although the
//! script stands still, and needs no memory and no thread: a timer's signal; `timer_create(2)`.
//!
//! The script keeps both by itself; the watchdog comes a while later. A timer runs only while the
//! loop works or a deadline is set: a process that waits is not woken.

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering::Relaxed};

use super::last_resort;
use super::signals::{self, Mask, TIMER};

/// The script's work for one event takes milliseconds. After that time it stands still, and the
/// signals that wait for it are looked at.
const STANDSTILL_MS: i64 = 3000;
const LOOK_EVERY_MS: i64 = 200;
/// The script has that long to keep the grace of a stop by itself.
const STOP_SLACK_MS: i64 = 1000;
/// It has that long to revoke its token and to end leftovers.
const CLEARING_MS: i64 = 10_000;
/// No timer is there yet, or the kernel refuses timers.
const NONE: i64 = 0;

static TIMER_NUMBER: AtomicI32 = AtomicI32::new(-1);
/// Times of `CLOCK_MONOTONIC` in milliseconds; `NONE` without one.
static DEADLINE: AtomicI64 = AtomicI64::new(NONE);
static WORKS_SINCE: AtomicI64 = AtomicI64::new(NONE);
static STOPPING_SINCE: AtomicI64 = AtomicI64::new(NONE);
/// When the timer fires.
static ARMED_FOR: AtomicI64 = AtomicI64::new(NONE);
static STOP_SIGNALS: AtomicU64 = AtomicU64::new(0);
static GRACE_MS: AtomicI64 = AtomicI64::new(0);

/// Begins to watch this process. False if the kernel gives no timer.
pub fn begin() -> bool {
    signals::handle(TIMER, on_timer);
    let mut event: libc::sigevent = {
        // SAFETY: a struct sigevent of zeroes is a valid one.
        unsafe { mem::zeroed() }
    };
    event.sigev_notify = libc::SIGEV_SIGNAL;
    event.sigev_signo = TIMER;
    let mut number: c_int = -1;
    // SAFETY: the pointers lead to a struct sigevent and to the kernel's timer_t, an int.
    let result = unsafe {
        libc::syscall(
            libc::SYS_timer_create,
            libc::CLOCK_MONOTONIC,
            &raw const event,
            &raw mut number,
        )
    };
    TIMER_NUMBER.store(if result < 0 { -1 } else { number }, Relaxed);
    result >= 0
}

/// Ends the watch in a child of a fork: timers stay with the parent.
pub fn begin_child() {
    TIMER_NUMBER.store(-1, Relaxed);
}

/// Notes the signals that ask the wrapper to end, and how long the program has then.
pub fn set_stop(stop_signals: Mask, grace_ms: i64) {
    STOP_SIGNALS.store(stop_signals, Relaxed);
    GRACE_MS.store(grace_ms, Relaxed);
}

/// Ends the process with 125 at that time from now, unless it is set again before; 0 takes it away.
pub fn set_deadline(after_ms: i64) {
    DEADLINE.store(if after_ms == 0 { NONE } else { now_ms() + after_ms }, Relaxed);
    arm();
}

/// The loop begins with the next event.
pub fn works() {
    WORKS_SINCE.store(now_ms(), Relaxed);
    arm();
}

/// The loop waits.
pub fn waits() {
    WORKS_SINCE.store(NONE, Relaxed);
    arm();
}

/// The script hears of a signal.
pub fn note_signal(signal: i32) {
    let is_stop = STOP_SIGNALS.load(Relaxed) & signals::bit(signal) != 0;
    if is_stop && STOPPING_SINCE.load(Relaxed) == NONE {
        STOPPING_SINCE.store(now_ms(), Relaxed);
        arm();
    }
}

extern "C" fn on_timer(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel gives it to a handler with SA_SIGINFO.
    if unsafe { (*info).si_code } != libc::SI_TIMER {
        return;
    }
    ARMED_FOR.store(NONE, Relaxed);
    let now = now_ms();
    let deadline = DEADLINE.load(Relaxed);
    if deadline != NONE && now >= deadline {
        last_resort::end_stage();
    }
    if is_standing(now)
        && STOPPING_SINCE.load(Relaxed) == NONE
        && signals::pending() & STOP_SIGNALS.load(Relaxed) != 0
    {
        STOPPING_SINCE.store(now, Relaxed);
    }
    if let Some(kill_at) = kill_at().filter(|at| now >= *at) {
        if is_standing(now) || now >= kill_at + CLEARING_MS {
            last_resort::end_with_program("it was asked to end, and stands still");
        }
        last_resort::kill_group(last_resort::program());
    }
    arm();
}

fn is_standing(now: i64) -> bool {
    standstill().is_some_and(|since| now >= since)
}

/// When the loop has worked for too long on one event.
fn standstill() -> Option<i64> {
    let since = WORKS_SINCE.load(Relaxed);
    (since != NONE).then(|| since + STANDSTILL_MS)
}

/// When the grace of a stop is over, and the script's time for it.
fn kill_at() -> Option<i64> {
    let since = STOPPING_SINCE.load(Relaxed);
    (since != NONE).then(|| since + GRACE_MS.load(Relaxed) + STOP_SLACK_MS)
}

/// Sets the timer for the next thing that may be due.
fn arm() {
    let number = TIMER_NUMBER.load(Relaxed);
    if number < 0 {
        return;
    }
    let now = now_ms();
    let next = next_look(now);
    if next == ARMED_FOR.swap(next, Relaxed) {
        return;
    }
    let left_ms = if next == NONE { 0 } else { (next - now).max(1) };
    let time = libc::itimerspec {
        it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: libc::timespec { tv_sec: left_ms / 1000, tv_nsec: (left_ms % 1000) * 1_000_000 },
    };
    // SAFETY: the pointer leads to a struct itimerspec.
    unsafe {
        libc::syscall(
            libc::SYS_timer_settime,
            number,
            0,
            &raw const time,
            ptr::null_mut::<c_void>(),
        );
    }
}

fn next_look(now: i64) -> i64 {
    let deadline = DEADLINE.load(Relaxed);
    // From a time on it looks again and again, and no event puts that off.
    let from = |at: i64| at + (now - at + LOOK_EVERY_MS).max(0) / LOOK_EVERY_MS * LOOK_EVERY_MS;
    let looks =
        [(deadline != NONE).then_some(deadline), standstill().map(from), kill_at().map(from)];
    looks.into_iter().flatten().min().unwrap_or(NONE)
}

fn now_ms() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer leads to a struct timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // A machine has run for a millisecond at least: it is never NONE.
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}
