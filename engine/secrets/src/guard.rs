use std::{
    cell::Cell,
    future::{Future, poll_fn},
    hint::black_box,
    pin::{Pin, pin},
    task::{Context, Poll},
};

/// How much stack the work of a guard takes at most: that much is wiped behind it. Builds with
/// debug assertions stop if a call goes deeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// 8 KiB: a digest, or a copy.
    Small,
    /// 16 KiB: a poll of an HTTP/1.1 connection without TLS.
    Medium,
    /// 48 KiB: a handshake with ring takes about 20 KiB.
    Large,
}

#[cfg(debug_assertions)]
use crate::sys::stack_depth;

/// Code without optimisation takes several times the stack.
const TIMES: usize = if cfg!(unoptimised) { 8 } else { 1 };

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether blocks are to be allocated in locked pages now.
pub(crate) fn is_guarded() -> bool {
    DEPTH.get() > 0
}

/// Does work that has secrets in its hands. Its allocations are in locked pages that no core dump
/// has, with [`WipingAllocator`](crate::WipingAllocator). Its stack is wiped when it returns.
pub fn guarded<R>(work: impl FnOnce() -> R) -> R {
    guarded_on(Stack::Large, work)
}

/// The same for work that takes less stack: wiping 48 KiB empties the processor's first cache.
pub fn guarded_on<R>(stack: Stack, work: impl FnOnce() -> R) -> R {
    if is_guarded() {
        return work();
    }
    #[cfg(debug_assertions)]
    stack_depth::paint();
    let result = {
        let _guard = Guard::begin();
        call(work)
    };
    #[cfg(debug_assertions)]
    stack_depth::check(stack.bytes());
    match stack {
        Stack::Small => wipe_stack::<{ Stack::Small.bytes() }>(),
        Stack::Medium => wipe_stack::<{ Stack::Medium.bytes() }>(),
        Stack::Large => wipe_stack::<{ Stack::Large.bytes() }>(),
    }
    result
}

impl Stack {
    const fn bytes(self) -> usize {
        TIMES
            * match self {
                Self::Small => 8 << 10,
                Self::Medium => 16 << 10,
                Self::Large => 48 << 10,
            }
    }
}

/// Waits for a future that is polled within [`guarded`]. The future itself is where it was made.
pub async fn poll_guarded<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| guarded(|| future.as_mut().poll(context))).await
}

/// A future that lies in locked pages itself, and is polled within [`guarded`].
pub struct Guarded<F>(Pin<Box<F>>);

impl<F: Future> Guarded<F> {
    /// Makes the future.
    pub fn new(make: impl FnOnce() -> F) -> Self {
        Self(guarded(|| Box::pin(make())))
    }
}

impl<F: Future> Future for Guarded<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        guarded(|| self.0.as_mut().poll(context))
    }
}

struct Guard;

impl Guard {
    fn begin() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// In a separate frame, which lies in the place that `wipe_stack` has for its own later.
#[inline(never)]
fn call<R>(work: impl FnOnce() -> R) -> R {
    work()
}

// It has to be that large: it lies over the frames of `call`.
#[allow(clippy::large_stack_arrays)]
#[inline(never)]
fn wipe_stack<const BYTES: usize>() {
    let mut below = [0_u8; BYTES];
    black_box(&mut below);
}
