//! A watchdog over the script. It keeps the deadline of a start and the grace of a stop although the
//! script stands still, and needs no memory and no thread: a timer's signal; `timer_create(2)`.
//!
//! The script keeps both by itself; the watchdog comes a while later. A timer runs only while the
//! loop works or a deadline is set: a process that waits is not woken.
//!
//! The kernel may freeze the process, or stop it, and its script with it. That time does not count:
//! the timer fires each second, and a look that comes late tells how much was lost.

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::last_resort;
use super::signals::{self, Mask, TIMER};

/// The script's work for one event takes milliseconds. After that time it stands still, and the
/// signals that wait for it are looked at.
const STANDSTILL_MS: i64 = 3000;
const LOOK_EVERY_MS: i64 = 200;
/// While a deadline is set, it looks that often: a shorter time may be lost without being noticed.
const PULSE_MS: i64 = 1000;
/// A look that comes that late had no processor. A busy machine runs it sooner.
const LATE_MS: i64 = 1000;
/// The first late looks of a stage do not count. Further ones do, so that each stage has an end.
const MOST_SHIFTS: u32 = 8;
/// The script has that long to keep the grace of a stop by itself.
const STOP_SLACK_MS: i64 = 1000;
/// It has that long to revoke its token and to end leftovers.
const CLEARING_MS: i64 = 10_000;
/// No timer is there yet, or the kernel refuses timers.
const NONE: i64 = 0;

static TIMER_NUMBER: AtomicI32 = AtomicI32::new(-1);
/// Times of `CLOCK_MONOTONIC` in milliseconds; `NONE` without one.
static DEADLINE: AtomicI64 = AtomicI64::new(NONE);
static DEADLINE_SINCE: AtomicI64 = AtomicI64::new(NONE);
static WORKS_SINCE: AtomicI64 = AtomicI64::new(NONE);
static STOPPING_SINCE: AtomicI64 = AtomicI64::new(NONE);
/// When the timer fires, and when that was set.
static ARMED_FOR: AtomicI64 = AtomicI64::new(NONE);
static ARMED_AT: AtomicI64 = AtomicI64::new(NONE);
static SHIFTS: AtomicU32 = AtomicU32::new(0);
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
    let now = catch_up();
    DEADLINE.store(if after_ms == 0 { NONE } else { now + after_ms }, Relaxed);
    DEADLINE_SINCE.store(now, Relaxed);
    SHIFTS.store(0, Relaxed);
    arm(now);
}

/// The loop begins with the next event.
pub fn works() {
    let now = catch_up();
    WORKS_SINCE.store(now, Relaxed);
    arm(now);
}

/// The loop waits.
pub fn waits() {
    let now = catch_up();
    WORKS_SINCE.store(NONE, Relaxed);
    arm(now);
}

/// The script hears of a signal.
pub fn note_signal(signal: i32) {
    let is_stop = STOP_SIGNALS.load(Relaxed) & signals::bit(signal) != 0;
    if is_stop && STOPPING_SINCE.load(Relaxed) == NONE {
        let now = catch_up();
        STOPPING_SINCE.store(now, Relaxed);
        arm(now);
    }
}

extern "C" fn on_timer(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel gives it to a handler with SA_SIGINFO.
    if unsafe { (*info).si_code } != libc::SI_TIMER {
        return;
    }
    let now = catch_up();
    ARMED_FOR.store(NONE, Relaxed);
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
    arm(now);
}

/// Takes the time that a late look has lost out of all that is counted. Returns the time.
fn catch_up() -> i64 {
    let now = now_ms();
    let shifts = SHIFTS.load(Relaxed);
    let lost = lost_ms(ARMED_AT.load(Relaxed), ARMED_FOR.load(Relaxed), now, shifts);
    if lost > 0 {
        // It is noticed once.
        ARMED_FOR.store(NONE, Relaxed);
        SHIFTS.store(shifts + 1, Relaxed);
        for time in [&DEADLINE, &DEADLINE_SINCE, &WORKS_SINCE, &STOPPING_SINCE] {
            let since = time.load(Relaxed);
            time.store(if since == NONE { NONE } else { since + lost }, Relaxed);
        }
    }
    now
}

/// A process that had no processor when its look was due may have had none since the timer was set.
fn lost_ms(armed_at: i64, due: i64, now: i64, shifts: u32) -> i64 {
    let is_late = due != NONE && now - due >= LATE_MS;
    if is_late && shifts < MOST_SHIFTS { now - armed_at } else { 0 }
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
fn arm(now: i64) {
    let number = TIMER_NUMBER.load(Relaxed);
    if number < 0 {
        return;
    }
    let next = next_look(now);
    if next == ARMED_FOR.swap(next, Relaxed) {
        return;
    }
    ARMED_AT.store(now, Relaxed);
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
    let pulse = || deadline.min(look_after(DEADLINE_SINCE.load(Relaxed), PULSE_MS, now));
    let from = |at: i64| look_after(at, LOOK_EVERY_MS, now);
    let looks = [(deadline != NONE).then(pulse), standstill().map(from), kill_at().map(from)];
    looks.into_iter().flatten().min().unwrap_or(NONE)
}

/// From a time on it looks again and again, and no event puts that off.
fn look_after(at: i64, every: i64, now: i64) -> i64 {
    at + (now - at + every).max(0) / every * every
}

fn now_ms() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer leads to a struct timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // A machine has run for a millisecond at least: it is never NONE.
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::{LATE_MS, MOST_SHIFTS, NONE, PULSE_MS, look_after, lost_ms};

    #[test]
    fn leaves_out_the_time_of_a_freeze() {
        for (armed_at, due, now, shifts, lost) in [
            (4000, NONE, 90_000, 0, 0),
            (4000, 5000, 5000, 0, 0),
            (4000, 5000, 5000 + LATE_MS - 1, 0, 0),
            (4000, 5000, 5000 + LATE_MS, 0, 1000 + LATE_MS),
            (4000, 5000, 65_000, MOST_SHIFTS - 1, 61_000),
            (4000, 5000, 65_000, MOST_SHIFTS, 0),
        ] {
            let found = lost_ms(armed_at, due, now, shifts);
            assert_eq!(found, lost, "due at {due}, comes at {now}, {shifts} before");
        }
    }

    #[test]
    fn looks_again_and_again_however_often_it_is_armed() {
        for (now, next) in
            [(2000, 7000), (6500, 7000), (7000, 8000), (7999, 8000), (8000, 9000), (70_500, 71_000)]
        {
            assert_eq!(look_after(7000, PULSE_MS, now), next, "at {now}");
        }
    }

    #[test]
    fn keeps_the_rest_of_a_stage_for_the_time_after_a_freeze() {
        // It is frozen half a second before its deadline, for a minute.
        let (deadline, armed_at, due, now) = (31_000, 30_000, 31_000, 91_000);
        assert!(deadline + lost_ms(armed_at, due, now, 0) - now >= 500);
    }

    #[test]
    fn ends_a_stage_although_each_look_is_late() {
        let (mut deadline, mut since, mut now, mut looks) = (30_000, 1000, 1000, 0);
        while now < deadline {
            let due = deadline.min(look_after(since, PULSE_MS, now));
            let late = due + 2 * LATE_MS;
            let lost = lost_ms(now, due, late, looks);
            (deadline, since, now, looks) = (deadline + lost, since + lost, late, looks + 1);
            assert!(looks < 30);
        }
        assert!(looks > MOST_SHIFTS);
    }
}
