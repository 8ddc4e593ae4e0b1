//! The C library's heap: makes pages at once that a start needs anyway.
//!
//! The first touch of a page is a page fault, and so is the first write to it after a fork. Some
//! hundred of them took a sixth of a start. One call makes many pages in a tenth of that time.

use std::cell::Cell;
use std::ffi::c_int;
use std::hint::black_box;
use std::ptr;

use svc_secrets::page_bytes;

use super::image;

/// The step by which the heap grows: about as much as the supervisor needs until it forks, and as
/// each process needs then.
const STEP_BYTES: c_int = 64 << 10;
/// Three of them are more than the heap holds at the beginning; malloc(3) takes larger blocks from
/// elsewhere.
const BLOCK_BYTES: usize = 16 << 10;
/// A heap of a start is far smaller.
const MOST_BYTES: usize = 8 << 20;

/// The C library's own step; mallopt(3).
const USUAL_STEP_BYTES: c_int = 128 << 10;

thread_local! {
    /// The address of the heap's beginning, nearly.
    static START: Cell<usize> = const { Cell::new(0) };
    static IS_STARTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes the heap grow in large steps, and the first one now; mallopt(3).
pub fn prepare() {
    // SAFETY: it takes numbers.
    unsafe { libc::mallopt(libc::M_TOP_PAD, STEP_BYTES) };
    grow();
}

/// Makes pages for the work of a process after its first fork. Later it keeps no more than it
/// needs: the C library never gives the last step back.
pub fn grow_once() {
    if IS_STARTED.replace(true) {
        return;
    }
    image::populate();
    grow();
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_TOP_PAD, USUAL_STEP_BYTES) };
}

/// The same in a child. Only the first child needs most of its parent's pages; later children would
/// make a program wait.
pub fn grow_child() {
    if !IS_STARTED.get() {
        image::populate();
        grow();
    }
}

/// Makes pages before they are needed, also those that a fork has left to be copied.
/// `MADV_POPULATE_WRITE` of madvise(2) does it, and does nothing before Linux 5.14.
fn grow() {
    // SAFETY: it takes a number; the blocks are freed below and never read.
    let blocks = [(); 3].map(|()| black_box(unsafe { libc::malloc(BLOCK_BYTES) }));
    let page_of = |address: usize| address & !(page_bytes() - 1);
    if START.get() == 0 {
        START.set(page_of(blocks[0].addr()));
    }
    for block in blocks {
        // SAFETY: it is a block of malloc's, or null.
        unsafe { libc::free(block) };
    }
    // SAFETY: with 0 it tells the end of the heap and changes nothing.
    let end = page_of(unsafe { libc::sbrk(0) }.addr());
    let start = START.get();
    // The first block is elsewhere if no heap can be had; mallopt(3).
    if start == 0 || start >= end || end - start > MOST_BYTES {
        return;
    }
    let address = ptr::with_exposed_provenance_mut(start);
    // SAFETY: the pages keep their content, and the pages of the heap are this process's own.
    unsafe { libc::madvise(address, end - start, libc::MADV_POPULATE_WRITE) };
}
