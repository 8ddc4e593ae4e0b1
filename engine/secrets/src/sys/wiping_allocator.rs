#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr, slice,
};

use zeroize::Zeroize;

/// The system's allocator, which wipes every block before it is free again: copies that hyper,
/// rustls and other libraries made vanish with their buffers. To be installed by the executable:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: svc_secrets::WipingAllocator = svc_secrets::WipingAllocator;
/// ```
///
/// Stacks are not wiped, and neither are blocks that C code allocates.
pub struct WipingAllocator;

// SAFETY: `System` allocates and frees; every layout reaches it as it came. Blocks are written only
// between their allocation and their end.
unsafe impl GlobalAlloc for WipingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise for `layout` is the one that `System` wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block has `layout.size()` bytes that nothing uses any more. MaybeUninit: its
        // owner may have left some unwritten.
        unsafe {
            slice::from_raw_parts_mut(block.cast::<std::mem::MaybeUninit<u8>>(), layout.size())
                .zeroize();
            System.dealloc(block, layout);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // realloc(3) would move without wiping. So a copy is made here, and the former block wiped.
        // SAFETY: the caller promises that `size` fits the alignment; both blocks are of their own.
        unsafe {
            let moved = System.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
