//! Blocks in a range of zeroed memory: the heap of an image while it is made.
//!
//! There is one thread; the atomics only spare `unsafe`.

use std::alloc::Layout;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// In front of each block: its size.
pub const HEADER_BYTES: usize = 16;
const ALIGN: usize = 16;

/// The blocks of a range: each behind the one before, and free ones are used again.
pub struct Blocks {
    start: AtomicUsize,
    /// The place of the next block; the end of the blocks.
    end: AtomicUsize,
    /// The first free block, by address; each holds the address of the next, and the last one 0.
    free: AtomicUsize,
}

impl Blocks {
    /// No blocks, at an address that is a multiple of 16.
    pub const fn new(start: usize) -> Self {
        Self {
            start: AtomicUsize::new(start),
            end: AtomicUsize::new(start),
            free: AtomicUsize::new(0),
        }
    }

    /// Bytes from the first header to the end of the last block.
    pub fn length(&self) -> usize {
        self.end.load(Relaxed) - self.start.load(Relaxed)
    }

    /// Takes over blocks that are there already.
    pub fn take_over(&self, length: usize) {
        self.end.store(self.start.load(Relaxed) + length, Relaxed);
    }

    /// Whether an address is that of a block.
    pub fn has(&self, block: *const u8) -> bool {
        (self.start.load(Relaxed)..self.end.load(Relaxed)).contains(&block.addr())
    }

    /// A block of zeroes. Null if there is no more room before `limit`, and for an alignment of
    /// more than 16.
    ///
    /// # Safety
    ///
    /// The memory up to `limit` is mapped, and zero behind the blocks.
    pub unsafe fn allocate(&self, layout: Layout, limit: usize) -> *mut u8 {
        if layout.align() > ALIGN || layout.size() > limit {
            return ptr::null_mut();
        }
        let size = layout.size().max(1).next_multiple_of(ALIGN);
        ptr::with_exposed_provenance_mut(
            self.take_free(size).or_else(|| self.append(size, limit)).unwrap_or(0),
        )
    }

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// It is one of these blocks, and nothing uses it any more.
    pub unsafe fn free(&self, block: *mut u8) {
        let (mut before, mut after) = (0, self.free.load(Relaxed));
        while after != 0 && after < block.addr() {
            before = after;
            after = word(after);
        }
        let block = block.expose_provenance();
        // Zeroes, so that an image holds no remains of a run.
        let bytes = ptr::with_exposed_provenance_mut::<u8>(block);
        // SAFETY: the block has that many bytes, which nothing uses.
        unsafe { bytes.write_bytes(0, size_of(block)) };
        set_word(block, after);
        self.link(before, block);
        join(block, after);
        join(before, block);
    }

    fn append(&self, size: usize, limit: usize) -> Option<usize> {
        let block = self.end.load(Relaxed) + HEADER_BYTES;
        if block + size > limit {
            return None;
        }
        self.end.store(block + size, Relaxed);
        set_size(block, size);
        Some(block)
    }

    /// The first free block that is large enough; its rest stays free.
    fn take_free(&self, size: usize) -> Option<usize> {
        let (mut before, mut block) = (0, self.free.load(Relaxed));
        while block != 0 && size_of(block) < size {
            before = block;
            block = word(block);
        }
        if block == 0 {
            return None;
        }
        let rest = size_of(block) - size;
        let mut after = word(block);
        if rest > HEADER_BYTES {
            let remains = block + size + HEADER_BYTES;
            set_size(remains, rest - HEADER_BYTES);
            set_word(remains, after);
            set_size(block, size);
            after = remains;
        }
        self.link(before, after);
        set_word(block, 0);
        Some(block)
    }

    fn link(&self, before: usize, block: usize) {
        if before == 0 { self.free.store(block, Relaxed) } else { set_word(before, block) }
    }
}

/// The bytes that a block has.
pub fn size_of(block: usize) -> usize {
    word(block - HEADER_BYTES)
}

fn set_size(block: usize, size: usize) {
    set_word(block - HEADER_BYTES, size);
}

/// Makes one block of two free ones that follow each other. The address 0 stands for no block.
fn join(first: usize, second: usize) {
    if first == 0 || first + size_of(first) + HEADER_BYTES != second {
        return;
    }
    set_word(first, word(second));
    set_size(first, size_of(first) + HEADER_BYTES + size_of(second));
    set_size(second, 0);
    set_word(second, 0);
}

/// The word at an address of a header or of a free block.
fn word(address: usize) -> usize {
    // SAFETY: only this file calls it, with such addresses; they are multiples of 16.
    unsafe { ptr::with_exposed_provenance::<usize>(address).read() }
}

fn set_word(address: usize, word: usize) {
    // SAFETY: as above; the script's and Rust's own objects are in blocks that are not free.
    unsafe { ptr::with_exposed_provenance_mut::<usize>(address).write(word) };
}

#[cfg(test)]
mod tests {
    use std::alloc::Layout;

    use super::{Blocks, HEADER_BYTES, size_of};

    /// Zeroed memory, at an address that is a multiple of 16.
    struct Room(Vec<u128>);

    impl Room {
        fn blocks(bytes: usize) -> (Self, Blocks, usize) {
            let room = Self(vec![0; bytes / 16]);
            let start = room.0.as_ptr().expose_provenance();
            (room, Blocks::new(start), start + bytes)
        }
    }

    fn allocate(blocks: &Blocks, limit: usize, size: usize) -> *mut u8 {
        // SAFETY: the room reaches up to the limit.
        unsafe { blocks.allocate(Layout::from_size_align(size, 8).unwrap(), limit) }
    }

    fn fill(block: *mut u8, size: usize) {
        // SAFETY: it is a block of that many bytes.
        unsafe { block.write_bytes(0xff, size) };
    }

    fn bytes<'block>(block: *mut u8, size: usize) -> &'block [u8] {
        // SAFETY: it is a block of that many bytes, and the room outlives the test.
        unsafe { std::slice::from_raw_parts(block, size) }
    }

    #[test]
    fn gives_blocks_of_zeroes_one_behind_the_other() {
        let (_room, blocks, limit) = Room::blocks(1024);
        let first = allocate(&blocks, limit, 10);
        let second = allocate(&blocks, limit, 0);
        assert_eq!(second.addr() - first.addr(), 16 + HEADER_BYTES);
        assert_eq!([first, second].map(|block| size_of(block.addr())), [16, 16]);
        assert_eq!(bytes(first, 16), [0; 16]);
        assert_eq!(blocks.length(), 2 * (16 + HEADER_BYTES));
        assert!(blocks.has(first) && blocks.has(second));
    }

    #[test]
    fn has_no_block_behind_the_limit() {
        let (_room, blocks, limit) = Room::blocks(128);
        assert!(allocate(&blocks, limit, 113).is_null());
        assert!(allocate(&blocks, limit, usize::MAX / 4).is_null());
        assert!(!allocate(&blocks, limit, 112).is_null());
        assert!(allocate(&blocks, limit, 1).is_null());
    }

    #[test]
    fn has_no_block_for_a_large_alignment() {
        let (_room, blocks, limit) = Room::blocks(1024);
        let layout = Layout::from_size_align(64, 64).unwrap();
        // SAFETY: the room reaches up to the limit.
        assert!(unsafe { blocks.allocate(layout, limit) }.is_null());
    }

    #[test]
    fn uses_free_blocks_again_as_zeroes() {
        let (_room, blocks, limit) = Room::blocks(1024);
        let first = allocate(&blocks, limit, 64);
        let second = allocate(&blocks, limit, 64);
        fill(first, 64);
        // SAFETY: nothing uses it.
        unsafe { blocks.free(first) };
        let length = blocks.length();
        let again = allocate(&blocks, limit, 64);
        assert_eq!(again, first);
        assert_eq!(bytes(again, 64), [0; 64]);
        assert_eq!(blocks.length(), length);
        assert!(blocks.has(second));
    }

    #[test]
    fn splits_a_free_block() {
        let (_room, blocks, limit) = Room::blocks(1024);
        let first = allocate(&blocks, limit, 128);
        allocate(&blocks, limit, 16);
        // SAFETY: nothing uses it.
        unsafe { blocks.free(first) };
        let small = allocate(&blocks, limit, 32);
        let rest = allocate(&blocks, limit, 80);
        assert_eq!(small, first);
        assert_eq!(rest.addr() - small.addr(), 32 + HEADER_BYTES);
        assert_eq!(size_of(rest.addr()), 80);
    }

    #[test]
    fn joins_free_blocks_in_every_order() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (_room, blocks, limit) = Room::blocks(1024);
            let three = [48, 64, 80].map(|size| allocate(&blocks, limit, size));
            allocate(&blocks, limit, 16);
            let length = blocks.length();
            for index in order {
                fill(three[index], size_of(three[index].addr()));
                // SAFETY: nothing uses it.
                unsafe { blocks.free(three[index]) };
            }
            let whole = 48 + 64 + 80 + 2 * HEADER_BYTES;
            let joined = allocate(&blocks, limit, whole);
            assert_eq!(joined, three[0], "{order:?}");
            assert!(bytes(joined, whole).iter().all(|byte| *byte == 0), "{order:?}");
            assert_eq!(blocks.length(), length, "{order:?}");
        }
    }
}
