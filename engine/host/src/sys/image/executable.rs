//! The addresses of this executable.

use std::ops::Range;

unsafe extern "C" {
    // The linker defines both; ld(1).
    static __ehdr_start: u8;
    static _end: u8;
}

/// From the first byte of the executable's header to the last one of its data.
pub fn addresses() -> Range<usize> {
    (&raw const __ehdr_start).addr()..(&raw const _end).addr()
}
