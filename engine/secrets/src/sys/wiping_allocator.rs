#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr::{self, NonNull},
    slice,
};

use zeroize::Zeroize;

use super::secret_heap;
use crate::guard;

/// The system's allocator, which wipes every block before it is free again: copies that hyper,
/// rustls and other libraries made vanish with their buffers. Allocations within
/// [`guarded`](crate::guarded) are in locked pages. To be installed by the executable:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: svc_secrets::WipingAllocator = svc_secrets::WipingAllocator;
/// ```
///
/// Blocks that C code allocates do not belong to it.
pub struct WipingAllocator;

// SAFETY: `System` or the secret heap allocates, and the same one frees; every layout reaches it as
// it came. Blocks are written only between their allocation and their end.
unsafe impl GlobalAlloc for WipingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(block) = guarded_block(layout) {
            return block.as_ptr();
        }
        // SAFETY: the caller's promise for `layout` is the one that `System` wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if let Some(block) = guarded_block(layout) {
            // SAFETY: the block has that many bytes.
            unsafe { block.write_bytes(0, layout.size()) };
            return block.as_ptr();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block has `layout.size()` bytes that nothing uses any more. MaybeUninit: its
        // owner may have left some unwritten.
        unsafe {
            slice::from_raw_parts_mut(block.cast::<std::mem::MaybeUninit<u8>>(), layout.size())
                .zeroize();
        }
        match NonNull::new(block) {
            // SAFETY: it is one of that heap's, with that alignment.
            Some(block) if secret_heap::has(block.as_ptr()) => unsafe {
                secret_heap::deallocate(block, layout.align());
            },
            // SAFETY: all others are the system's.
            _ => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // realloc(3) would move without wiping. So a copy is made here, and the former block wiped.
        // SAFETY: the caller promises that `size` fits the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // A block in locked pages stays in locked pages when it grows.
        let secret = if secret_heap::has(block) { secret_block(wanted) } else { None };
        let moved = match secret {
            Some(moved) => moved.as_ptr(),
            // SAFETY: the caller's promise for `size`.
            None => unsafe { self.alloc(wanted) },
        };
        if !moved.is_null() {
            // SAFETY: both blocks are separate, and so long; nothing uses the former any more.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

/// A block in locked pages, if there is to be one.
fn guarded_block(layout: Layout) -> Option<NonNull<u8>> {
    if guard::is_guarded() { secret_block(layout) } else { None }
}

/// If there is no more room for them, the ordinary heap has it, if that is allowed.
fn secret_block(layout: Layout) -> Option<NonNull<u8>> {
    let block = secret_heap::allocate(layout);
    if block.is_none() {
        secret_heap::go_without();
    }
    block
}
