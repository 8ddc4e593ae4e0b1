//! Checks how deep the calls of a guard go, if debug assertions are on.
#![allow(unsafe_code)]

use std::{hint::black_box, ptr};

const PATTERN: u8 = 0xa5;
/// More than any guard wipes.
const PAINTED_BYTES: usize = if cfg!(unoptimised) { 512 << 10 } else { 96 << 10 };
/// As many bytes beyond the wiped ones must be untouched.
const BEYOND_BYTES: usize = 16 << 10;

/// Fills the stack below the caller with a pattern.
// It has to be that large: it lies over the frames of calls that follow.
#[allow(clippy::large_stack_arrays)]
#[inline(never)]
pub fn paint() {
    let mut below = [PATTERN; PAINTED_BYTES];
    black_box(&mut below);
}

/// # Panics
/// If calls since `paint` went deeper than that many bytes.
#[inline(never)]
pub fn check(allowed_bytes: usize) {
    let here = 0_u8;
    let deepest = ptr::from_ref(black_box(&here)).wrapping_sub(allowed_bytes);
    let is_untouched = (0..BEYOND_BYTES).all(|below| {
        let byte = deepest.wrapping_sub(below);
        // SAFETY: the main thread's stack has grown so far for `paint`, and threads' stacks are
        // larger.
        unsafe { ptr::read_volatile(byte) == PATTERN }
    });
    assert!(is_untouched, "work of a guard took more than {allowed_bytes} bytes of stack");
}
