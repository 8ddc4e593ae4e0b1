//! The place of an image's heap in a process, while it is made and afterwards.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
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
const WORD_BYTES: usize = std::mem::size_of::<u64>();

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
/// Pages of zeroes take their former place, which stays the executable's. Without them the kernel
/// would give it to another mapping, and `code_pages::release` would take that one's content.
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
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the pages were just moved away from there, and there is one thread. In the arena a
    // write gives this process its own page.
    let is_done = unsafe {
        libc::mmap(from, length, libc::PROT_READ, kind, -1, 0) == from
            && libc::mprotect(moved, length, libc::PROT_READ | libc::PROT_WRITE) == 0
    };
    if !is_done {
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

/// A copy of the arena's words.
///
/// # Safety
///
/// Nothing writes into the arena meanwhile.
pub unsafe fn words() -> Vec<u64> {
    let content = content();
    let words = NonNull::slice_from_raw_parts(content.cast(), content.len() / WORD_BYTES);
    // SAFETY: blocks and headers are of whole words and follow each other.
    unsafe { words.as_ref() }.to_vec()
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

#[cfg(test)]
mod tests {
    use std::ptr::{self, NonNull};

    use super::{ADDRESS, begin_restored, has};

    const BYTES: usize = 128 << 10;

    /// The only test that takes the arena: it stays.
    #[test]
    fn moves_pages_and_leaves_zeroes_in_their_place() {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the kernel chooses a place that nothing else has.
        let pages = unsafe { libc::mmap(ptr::null_mut(), BYTES, access, kind, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        let start = NonNull::new(pages.cast::<u8>()).unwrap();
        // SAFETY: these are the bytes of that mapping, which nothing refers to.
        let moved = unsafe {
            start.write_bytes(7, BYTES);
            begin_restored(NonNull::slice_from_raw_parts(start, BYTES), 0).unwrap()
        };
        assert_eq!(moved.addr().get(), ADDRESS);
        assert!(has(moved.as_ptr()) && !has(start.as_ptr()));
        // SAFETY: both ranges are mapped for good.
        unsafe {
            assert_eq!((moved.read(), moved.add(BYTES - 1).read()), (7, 7));
            assert_eq!((start.read(), start.add(BYTES - 1).read()), (0, 0));
            moved.write(8);
        }
        // SAFETY: as above; something else is there now, so the pages stay.
        let again = unsafe { begin_restored(NonNull::slice_from_raw_parts(start, BYTES), 0) };
        assert!(again.is_none());
    }
}
