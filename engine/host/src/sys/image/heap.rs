//! The heaps of Rust and of the script. Both have blocks in the image, and others elsewhere.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;

use rquickjs::allocator::Allocator;
use svc_secrets::WipingAllocator;

use super::arena;
use crate::sys::last_resort;

/// Rust's heap.
pub struct Heap;

// SAFETY: a block of the arena goes back to the arena, and every other one to `WipingAllocator`,
// which gave it.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if arena::is_making() {
            return arena::allocate(layout);
        }
        // SAFETY: the caller's promise.
        given(unsafe { WipingAllocator.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if arena::is_making() {
            return arena::allocate(layout);
        }
        // SAFETY: the caller's promise.
        given(unsafe { WipingAllocator.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if arena::has(block) {
            // SAFETY: nothing uses the block any more. It is wiped as every other.
            unsafe {
                block.write_bytes(0, layout.size());
                arena::free(block);
            }
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { WipingAllocator.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !arena::has(block) && !arena::is_making() {
            // SAFETY: the caller's promise.
            return given(unsafe { WipingAllocator.realloc(block, layout, size) });
        }
        // SAFETY: the caller promises that `size` fits the alignment, and that the block has
        // `layout.size()` bytes that nothing else uses.
        unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

/// Rust code cannot go on without memory, and would end by SIGABRT. The script can: it throws.
fn given(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        last_resort::end_without_memory("no memory is left: a limit on memory is too small");
    }
    block
}

/// The script throws an error, which may be lost on its way.
fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        last_resort::note_lack_of_memory();
    }
    block
}

/// The script's heap.
pub struct ScriptHeap;

/// The alignment of malloc(3).
const ALIGN: usize = 16;

// SAFETY: a block of the arena has as many bytes as its header says and stays where it is;
// malloc(3) and its kin give and take all others.
unsafe impl Allocator for ScriptHeap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if arena::is_making() {
            return Layout::from_size_align(size, ALIGN).map_or(ptr::null_mut(), arena::allocate);
        }
        // SAFETY: it takes a number.
        noted(unsafe { libc::malloc(size) }.cast())
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if arena::is_making() {
            // Blocks of the arena are zeroes.
            return count.checked_mul(size).map_or(ptr::null_mut(), |size| self.alloc(size));
        }
        // SAFETY: it takes numbers.
        noted(unsafe { libc::calloc(count, size) }.cast())
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            if arena::has(block) {
                arena::free(block);
            } else {
                libc::free(block.cast());
            }
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        if !arena::has(block) && !arena::is_making() {
            // SAFETY: the caller's promise.
            let moved = unsafe { libc::realloc(block.cast(), size) }.cast();
            return if size == 0 { moved } else { noted(moved) };
        }
        let moved = self.alloc(size);
        if !moved.is_null() && !block.is_null() {
            // SAFETY: both blocks have that many bytes, and nothing uses the former any more.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, Self::usable_size(block).min(size));
                self.dealloc(block);
            }
        }
        moved
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            if arena::has(block) {
                arena::size_of(block)
            } else {
                libc::malloc_usable_size(block.cast())
            }
        }
    }
}
