//! What /proc/PID/cmdline shows; `proc_pid_cmdline(5)`.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

/// The place of the words of this process, one behind the other.
#[derive(Clone, Copy)]
pub struct Words {
    start: *mut u8,
    /// With the NUL of each.
    length: usize,
}

thread_local! {
    static WORDS: Cell<Words> = const { Cell::new(Words { start: ptr::null_mut(), length: 0 }) };
}

impl Words {
    /// Takes the arguments of `main`.
    ///
    /// # Safety
    ///
    /// They must be these: `count` C strings, laid out by execve(2).
    #[must_use]
    pub unsafe fn new(count: c_int, words: *const *const c_char) -> Self {
        let count = usize::try_from(count).unwrap_or(0);
        if count == 0 {
            return Self { start: ptr::null_mut(), length: 0 };
        }
        // SAFETY: the caller says so; the kernel lays the strings out in their order, without gaps.
        unsafe {
            let start = (*words).cast_mut().cast::<u8>();
            let last = *words.add(count - 1);
            let end = last.add(CStr::from_ptr(last).to_bytes_with_nul().len());
            Self { start, length: end.addr() - start.addr() }
        }
    }

    pub(crate) fn note(self) {
        WORDS.set(self);
    }
}

/// Makes a text the only word. It is cut if the words have less room.
pub fn set(text: &str) {
    let Words { start, length } = WORDS.get();
    if length == 0 {
        return;
    }
    let shown = &text.as_bytes()[..text.len().min(length - 1)];
    // SAFETY: the words are on the initial stack, `length` bytes, writable and used by nothing but
    // the standard library's arguments, which the script has read before.
    unsafe {
        ptr::write_bytes(start, 0, length);
        ptr::copy_nonoverlapping(shown.as_ptr(), start, shown.len());
    }
}
