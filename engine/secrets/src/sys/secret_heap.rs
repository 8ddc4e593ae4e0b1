#![allow(unsafe_code)]

use std::{
    alloc::Layout,
    ffi::c_void,
    io,
    ptr::{self, NonNull},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicPtr, Ordering::Relaxed},
    },
};

use rlsf::Tlsf;
use rustix::{
    io::Errno,
    mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect},
};

use super::{
    locking::{self, NotLocked, OnRefusal},
    mapping::PAGE_BYTES,
};

/// Addresses that are kept for it. A page counts as memory, and is locked, when it is needed.
const RESERVED_BYTES: usize = 8 << 20;
/// No block is longer.
const MOST_BYTES: usize = 1 << 20;
/// It grows by so much, or by less where RLIMIT_MEMLOCK is near.
const STEP_BYTES: usize = 16 << 10;
/// The most that bookkeeping adds to a block.
const OVERHEAD_BYTES: usize = 128;

/// Blocks of any size in pages that are locked and never part of a core dump. The pages stay when
/// blocks are free again: freeing wipes a block, and the next one is made there.
///
/// There is one, for every thread. It is small, so that it fits the 64 KiB that RLIMIT_MEMLOCK
/// allows on older systems.
struct SecretHeap {
    blocks: Tlsf<'static, u16, u16, 16, 16>,
    /// So many bytes from the start of the range are in use.
    length: usize,
    /// Whether all of them are locked.
    is_locked: bool,
}

static HEAP: Mutex<SecretHeap> =
    Mutex::new(SecretHeap { blocks: Tlsf::new(), length: 0, is_locked: true });
/// Where the range begins; null before the first block.
static START: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Whether a block is one of this heap.
pub(super) fn has(block: *const u8) -> bool {
    let start = START.load(Relaxed);
    !start.is_null() && block.addr().wrapping_sub(start.addr()) < RESERVED_BYTES
}

/// A block of memory; what it holds is not known. `None` where the range is full.
///
/// Where pages must be locked and cannot be, the process ends here.
pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    let allocated = with_heap(|heap| match heap.blocks.allocate(layout) {
        Some(block) => Ok((block, None)),
        None => {
            let refused = heap.grow(layout)?;
            heap.blocks.allocate(layout).map(|block| (block, refused)).ok_or(FULL)
        }
    });
    // The heap is not borrowed any more: the process may end in here.
    match allocated {
        Ok((block, None)) => Some(block),
        Ok((block, Some(refused))) => {
            locking::go_unlocked(&refused);
            Some(block)
        }
        Err(full) => {
            locking::go_unlocked(&full);
            None
        }
    }
}

/// Makes a block free.
///
/// # Safety
/// `block` is one of `allocate`, with that alignment. Nothing uses it any more, and nothing secret
/// is left in it.
pub(super) unsafe fn deallocate(block: NonNull<u8>, align: usize) {
    // SAFETY: the caller's promise.
    with_heap(|heap| unsafe { heap.blocks.deallocate(block, align) });
}

/// Sees to it that no secret is in a page that is not locked, from now on.
///
/// # Errors
/// Where not even the first pages can be locked, or secrets are in others already.
pub fn require_locked(on_refusal: OnRefusal) -> Result<(), NotLocked> {
    let layout = Layout::new::<u8>();
    if let Some(block) = allocate(layout) {
        // SAFETY: it was allocated right now, and nothing was written there.
        unsafe { deallocate(block, layout.align()) };
    }
    with_heap(SecretHeap::lock_all)?;
    locking::refuse_by(on_refusal);
    Ok(())
}

/// To be called in the child of a fork, which has its parent's pages without the locks.
pub fn begin_child() {
    locking::begin_anew();
    let locked = with_heap(|heap| {
        heap.is_locked = false;
        heap.lock_all()
    });
    if let Err(refused) = locked {
        locking::go_unlocked(&refused);
    }
}

const FULL: NotLocked =
    NotLocked { wanted_bytes: RESERVED_BYTES, errno: Errno::NOMEM.raw_os_error() };

fn with_heap<R>(work: impl FnOnce(&mut SecretHeap) -> R) -> R {
    // Nothing panics while it is borrowed.
    work(&mut HEAP.lock().unwrap_or_else(PoisonError::into_inner))
}

impl SecretHeap {
    /// Makes room for a block. `Some` where the new pages are not locked.
    fn grow(&mut self, layout: Layout) -> Result<Option<NotLocked>, NotLocked> {
        let wanted = layout.size().saturating_add(layout.align()).saturating_add(OVERHEAD_BYTES);
        let needed = wanted.checked_next_multiple_of(PAGE_BYTES).ok_or(FULL)?;
        let rest = RESERVED_BYTES - self.length;
        if needed > rest || needed > MOST_BYTES {
            return Err(FULL);
        }
        let start = self.start().map_err(|_| FULL)?;
        let mut step = needed.max(STEP_BYTES).min(rest);
        // SAFETY: the pages are within the range, behind those in use.
        let added = unsafe { start.add(self.length) };
        let at = added.as_ptr().cast::<c_void>();
        // SAFETY: as above; no block is there yet.
        unsafe { mprotect(at, step, MprotectFlags::READ | MprotectFlags::WRITE) }
            .map_err(|_| FULL)?;
        // SAFETY: they are mapped.
        let mut locked = unsafe { locking::lock(at, step) };
        if locked.is_err() && step > needed {
            step = needed;
            // SAFETY: as above.
            locked = unsafe { locking::lock(at, step) };
        }
        self.add(added, step);
        self.is_locked &= locked.is_ok();
        Ok(locked.err())
    }

    fn add(&mut self, added: NonNull<u8>, step: usize) {
        let pages = NonNull::slice_from_raw_parts(added, step);
        // SAFETY: the pages are mapped for good, nothing else uses them, and those added later
        // begin where the former ones end: all are multiples of the granularity.
        unsafe {
            if self.length == 0 {
                self.blocks.insert_free_block_ptr(pages);
            } else {
                self.blocks.append_free_block_ptr(pages);
            }
        }
        self.length += step;
    }

    fn start(&mut self) -> io::Result<NonNull<u8>> {
        if let Some(start) = NonNull::new(START.load(Relaxed)) {
            return Ok(start);
        }
        // SAFETY: the kernel chooses an address that nothing else has. A kernel without
        // MADV_DONTDUMP has no other way to leave pages out of a core dump.
        let start = unsafe {
            let start = mmap_anonymous(
                ptr::null_mut(),
                RESERVED_BYTES,
                ProtFlags::empty(),
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )?;
            let _ = madvise(start, RESERVED_BYTES, Advice::LinuxDontDump);
            start
        };
        START.store(start.cast(), Relaxed);
        NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory.into())
    }

    fn lock_all(&mut self) -> Result<(), NotLocked> {
        if self.length > 0 && !self.is_locked {
            // SAFETY: these pages are mapped for good.
            unsafe { locking::lock(START.load(Relaxed).cast(), self.length) }?;
        }
        self.is_locked = true;
        Ok(())
    }
}
