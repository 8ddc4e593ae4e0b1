//! The place of an image's heap in a process, while it is made and afterwards.

use std::alloc::Layout;
use std::ffi::c_void;
use std::mem;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::blocks::{self, Blocks, HEADER_BYTES};

/// The address of every image. Linux puts nothing there by itself: executables, libraries and
/// stacks of x86-64 and of arm64 with 48 bits lie higher. The upper half of no pair of numbers
/// looks like it.
const ADDRESS: usize = 0x1c3a_5000_0000;
/// Room while an image is made.
const CAPACITY_BYTES: usize = 8 << 20;
/// The end of an image that has most of the room for new objects.
const LAST_BYTES: usize = 192 << 10;

static BLOCKS: Blocks = Blocks::new(ADDRESS);
static IS_MAKING: AtomicBool = AtomicBool::new(false);
/// Length of the part that the interpreter itself needs, of an image that was restored.
static FIRST_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Maps the arena for an image that is to be made: zeroes. Blocks come from it from now on.
pub fn begin_making() -> Option<()> {
    map(CAPACITY_BYTES)?;
    IS_MAKING.store(true, Relaxed);
    Some(())
}

/// Blocks come from elsewhere from now on.
pub fn end_making() {
    IS_MAKING.store(false, Relaxed);
}

/// Moves the heap of an image to the arena: its pages stay those of the executable's file until
/// they are written. None if something else is there.
///
/// # Safety
///
/// These are whole pages of the executable, to which nothing refers.
pub unsafe fn begin_restored(pages: NonNull<[u8]>, first_bytes: usize) -> Option<NonNull<u8>> {
    let length = pages.len();
    let reserved = map(length)?;
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    let from = pages.cast::<c_void>().as_ptr();
    // SAFETY: the pages are the caller's to move, and replace those that were just reserved.
    let moved = unsafe { libc::mremap(from, length, length, flags, reserved.as_ptr()) };
    if moved == libc::MAP_FAILED {
        // SAFETY: this function has just mapped it.
        unsafe { libc::munmap(reserved.cast().as_ptr(), length) };
        return None;
    }
    // SAFETY: these are the pages that were just moved. A write gives this process its own page.
    if unsafe { libc::mprotect(moved, length, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        return None;
    }
    BLOCKS.take_over(length);
    FIRST_BYTES.store(first_bytes.min(length), Relaxed);
    Some(reserved)
}

/// Has the pages ready that a start writes: those of the interpreter's own objects, and those that
/// still have room for new ones. Also those that a fork has left to be copied;
/// `MADV_POPULATE_WRITE` of madvise(2), which does nothing before Linux 5.14.
pub fn populate() {
    let first = FIRST_BYTES.load(Relaxed);
    let length = BLOCKS.length();
    let last = LAST_BYTES.min(length - first);
    for (start, bytes) in [(0, first), (length - last, last)] {
        if bytes > 0 {
            let address = ptr::with_exposed_provenance_mut(ADDRESS + start);
            // SAFETY: the content of the pages stays.
            unsafe { libc::madvise(address, bytes, libc::MADV_POPULATE_WRITE) };
        }
    }
}

/// The blocks and their headers, from the first to the end of the last.
pub fn content() -> NonNull<[u8]> {
    let start = ptr::with_exposed_provenance_mut(ADDRESS);
    let content = ptr::slice_from_raw_parts_mut(start, BLOCKS.length());
    NonNull::new(content).expect("the address is not 0")
}

/// The arena's words.
///
/// # Safety
///
/// No reference into the arena is used while the result lives.
pub unsafe fn words() -> &'static mut [u64] {
    let content = content();
    // SAFETY: blocks and headers are of whole words and follow each other; the mapping stays.
    unsafe {
        slice::from_raw_parts_mut(content.cast().as_ptr(), content.len() / mem::size_of::<u64>())
    }
}

/// The first block that was ever allocated; blocks begin at multiples of 16.
pub fn first_block<T>() -> *mut T {
    const { assert!(align_of::<T>() <= HEADER_BYTES) };
    ptr::with_exposed_provenance_mut(ADDRESS + HEADER_BYTES)
}

/// Whether new blocks come from here.
pub fn is_making() -> bool {
    IS_MAKING.load(Relaxed)
}

/// Whether a block is one of the image's.
pub fn has(block: *const u8) -> bool {
    BLOCKS.has(block)
}

/// The bytes that a block of the image has.
///
/// # Safety
///
/// It is one of the image's blocks.
pub unsafe fn size_of(block: *const u8) -> usize {
    blocks::size_of(block.addr())
}

/// A block of zeroes, for the image that is being made; null if there is no more room.
pub fn allocate(layout: Layout) -> *mut u8 {
    // SAFETY: `begin_making` has mapped that much, and nothing writes behind the blocks.
    unsafe { BLOCKS.allocate(layout, ADDRESS + CAPACITY_BYTES) }
}

/// Takes a block back: it is used again while the image is made, and stays as it is later.
///
/// # Safety
///
/// It is one of the image's blocks, and nothing uses it any more.
pub unsafe fn free(block: *mut u8) {
    if is_making() {
        // SAFETY: the caller says so.
        unsafe { BLOCKS.free(block) };
    }
}

/// mmap(2) at the arena's address; none if something is there, and before Linux 4.17.
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let place = ptr::with_exposed_provenance_mut(ADDRESS);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: it replaces no mapping.
    let mapped = unsafe { libc::mmap(place, bytes, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return None;
    }
    if mapped.addr() != ADDRESS {
        // SAFETY: this function has just made it. An older kernel takes the address for a hint.
        unsafe { libc::munmap(mapped, bytes) };
        return None;
    }
    NonNull::new(mapped.cast())
}
