//! The stack that the script runs on.

use rquickjs::{Ctx, qjs};

/// The interpreter's own limit, as of a script that was booted here.
const MOST_BYTES: u64 = 1 << 20;
/// The native code below the interpreter, TLS above all.
const NATIVE_BYTES: u64 = 128 << 10;
/// With less, a start ends by SIGSEGV: the interpreter alone takes more than half of it.
const LEAST_BYTES: u64 = 256 << 10;

/// Tells the interpreter the beginning of this thread's stack, for its limit, and the limit.
pub fn note(ctx: &Ctx<'_>) {
    let room = limit().saturating_sub(NATIVE_BYTES).min(MOST_BYTES);
    let room = usize::try_from(room).unwrap_or_default();
    // SAFETY: the context is alive, and so is its runtime.
    unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        qjs::JS_UpdateStackTop(runtime);
        qjs::JS_SetMaxStackSize(runtime, room.try_into().unwrap_or_default());
    }
}

/// Tells whether the stack may grow as far as the wrapper needs.
///
/// # Errors
///
/// The limit, for people.
pub fn suffices() -> Result<(), String> {
    match limit() {
        LEAST_BYTES.. => Ok(()),
        limit => Err(format!(
            "RLIMIT_STACK is {limit} bytes, and the wrapper needs {LEAST_BYTES}: raise it (ulimit -s, LimitSTACK=)"
        )),
    }
}

/// The soft `RLIMIT_STACK` in bytes; getrlimit(2). If that is refused, it counts as large.
fn limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer leads to a struct rlimit.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    if result < 0 { u64::MAX } else { limit.rlim_cur }
}
