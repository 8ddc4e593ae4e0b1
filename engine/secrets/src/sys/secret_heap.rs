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
    page_size::page_bytes,
};

/// Addresses that are kept for it. A page counts as memory, and is locked, when it is needed.
const RESERVED_BYTES: usize = 8 << 20;
/// The most that it grows by at a time.
const MOST_STEP_BYTES: usize = 128 << 10;
/// The most pages that a block takes beside its own length. They are for headers, and because a
/// free block is found by the class of its size, which is a sixteenth.
const OVERHEAD_PAGES: usize = 4;

/// Blocks of any size in pages that are locked and never part of a core dump. The pages stay when
/// blocks are free again: freeing wipes a block, and the next one is made there.
///
/// There is one, for every thread. It is small, so that it fits the 64 KiB that RLIMIT_MEMLOCK
/// allows on older systems.
struct SecretHeap {
    /// With 59 classes it takes pools of any size, and only so does it join pages that are added.
    blocks: Tlsf<'static, u64, u16, 59, 16>,
    /// That many bytes from the start of the range are in use.
    length: usize,
    /// Whether all of them are locked.
    is_locked: bool,
    /// The step by which it grows; 0 before that is known.
    step: usize,
}

static HEAP: Mutex<SecretHeap> =
    Mutex::new(SecretHeap { blocks: Tlsf::new(), length: 0, is_locked: true, step: 0 });
/// The address of the range; null before the first block.
static START: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Whether a block is one of this heap.
pub(super) fn has(block: *const u8) -> bool {
    let start = START.load(Relaxed);
    !start.is_null() && block.addr().wrapping_sub(start.addr()) < RESERVED_BYTES
}

/// A block of memory with unknown content. `None` if the range is full.
///
/// If pages must be locked and cannot be, the process ends here.
pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    let (block, refused) = with_heap(|heap| heap.allocate(layout))?;
    // The heap is not borrowed any more: the process may end in here.
    if let Some(refused) = refused {
        locking::go_unlocked(&refused);
    }
    Some(block)
}

/// Notes that a block of libraries' is in the ordinary heap, because the range is full. If pages
/// must be locked, the process ends here.
pub(super) fn go_without() {
    let errno = Errno::NOMEM.raw_os_error();
    locking::go_unlocked(&NotLocked { wanted_bytes: locking::with_another(page_bytes()), errno });
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

/// From now on no page for secrets is used that is not locked: the process ends instead.
///
/// # Errors
/// If the pages that there are already cannot be locked, of which there is at least one.
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

/// A page if RLIMIT_MEMLOCK is small, else a 64th of it, for each step takes two system calls. A
/// page that is locked and was never written takes no memory.
fn step_within(limit: usize, page_bytes: usize) -> usize {
    (limit / 64).min(MOST_STEP_BYTES).max(page_bytes) & !(page_bytes - 1)
}

/// How long the heap may grow in the search for room for a block: a bound for a heap that is full
/// of small parts.
fn most_length(length: usize, block_bytes: usize, page_bytes: usize) -> usize {
    let most = block_bytes / 16 * 17 + OVERHEAD_PAGES * page_bytes + length;
    most.min(RESERVED_BYTES)
}

fn with_heap<R>(work: impl FnOnce(&mut SecretHeap) -> R) -> R {
    // Nothing panics while it is borrowed.
    work(&mut HEAP.lock().unwrap_or_else(PoisonError::into_inner))
}

impl SecretHeap {
    /// A block; and why not, if pages had to be added that are not locked.
    fn allocate(&mut self, layout: Layout) -> Option<(NonNull<u8>, Option<NotLocked>)> {
        let most = most_length(self.length, layout.size(), page_bytes());
        let mut unlocked = None;
        loop {
            if let Some(block) = self.blocks.allocate(layout) {
                return Some((block, unlocked));
            }
            // Step by step: the free part at the end serves together with a little more.
            if self.length >= most {
                return None;
            }
            unlocked = self.add_pages().ok()?.or(unlocked);
        }
    }

    /// Adds pages; and why not, if they are not locked.
    fn add_pages(&mut self) -> io::Result<Option<NotLocked>> {
        let start = Self::start()?;
        if self.step == 0 {
            self.step = step_within(locking::limit(), page_bytes());
        }
        let length = self.step.min(RESERVED_BYTES - self.length);
        // SAFETY: the pages are within the range, behind those in use.
        let added = unsafe { start.add(self.length) };
        let at = added.as_ptr().cast::<c_void>();
        // SAFETY: as above; no block is there yet, and `lock` is called for pages that are mapped.
        let locked = unsafe {
            mprotect(at, length, MprotectFlags::READ | MprotectFlags::WRITE)?;
            locking::lock(at, length)
        };
        self.add(NonNull::slice_from_raw_parts(added, length));
        self.is_locked &= locked.is_ok();
        Ok(locked.err())
    }

    fn add(&mut self, pages: NonNull<[u8]>) {
        // SAFETY: the pages are mapped for good, nothing else uses them, and those added later
        // begin at the end of the former ones: all are multiples of the granularity.
        unsafe {
            if self.length == 0 {
                self.blocks.insert_free_block_ptr(pages);
            } else {
                self.blocks.append_free_block_ptr(pages);
            }
        }
        self.length += pages.len();
    }

    fn start() -> io::Result<NonNull<u8>> {
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

#[cfg(test)]
mod tests {
    use super::{MOST_STEP_BYTES, RESERVED_BYTES, most_length, step_within};

    const KIB: usize = 1 << 10;
    const PAGES: [usize; 3] = [4 * KIB, 16 * KIB, 64 * KIB];

    #[test]
    fn grows_by_a_page_if_little_may_be_locked() {
        for page in PAGES {
            for limit in [0, 64 * KIB, 128 * KIB] {
                assert_eq!(step_within(limit, page), page, "{limit}");
            }
        }
    }

    #[test]
    fn grows_by_whole_pages_of_every_size() {
        for page in PAGES {
            for limit in [8 << 20, 10_000_000, usize::MAX] {
                let step = step_within(limit, page);
                assert!(step.is_multiple_of(page) && step <= MOST_STEP_BYTES, "{step}");
            }
            assert!(RESERVED_BYTES.is_multiple_of(page));
        }
        assert_eq!(step_within(8 << 20, 4 * KIB), 128 * KIB);
        assert_eq!(step_within(1 << 20, 64 * KIB), 64 * KIB);
    }

    #[test]
    fn has_room_for_a_block_and_what_belongs_to_it() {
        for page in PAGES {
            assert_eq!(most_length(page, 16 * KIB, page), page + 17 * KIB + 4 * page);
            assert_eq!(most_length(RESERVED_BYTES, 1, page), RESERVED_BYTES);
        }
    }
}
