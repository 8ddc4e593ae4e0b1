//! The stack that the script runs on.

use rquickjs::{Ctx, qjs};

/// Tells the interpreter the beginning of this thread's stack, for its limit.
pub fn note(ctx: &Ctx<'_>) {
    // SAFETY: the context is alive, and so is its runtime.
    unsafe { qjs::JS_UpdateStackTop(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) };
}
