#![allow(unsafe_code)]

use std::{
    alloc::{Layout, handle_alloc_error},
    cell::{Cell, RefCell},
    ptr::NonNull,
    rc::Rc,
    slice,
};

use zeroize::Zeroize;

use super::mapping::Mapping;

/// Blocks of at most this many bytes share pages.
const MOST_SHARED_BYTES: usize = 4096;
/// Blocks in shared pages are multiples of it.
const GRAIN_BYTES: usize = 32;
/// A quarter of the 64 KiB that Linux lets everybody lock before 5.16, and containers often still.
const CHUNK_BYTES: usize = 16 << 10;
const GRAINS: usize = CHUNK_BYTES / GRAIN_BYTES;

thread_local! {
    static CHUNKS: RefCell<Vec<Rc<Chunk>>> = const { RefCell::new(Vec::new()) };
}

/// Bytes that one owner may write; wiped when it lets them go.
pub(crate) struct Block(Place);

enum Place {
    Shared { chunk: Rc<Chunk>, first: usize, grains: usize },
    Own(Mapping),
}

/// Pages that blocks share.
struct Chunk {
    mapping: Mapping,
    /// One bit for each grain that a block has.
    taken: Cell<[u64; GRAINS / 64]>,
}

impl Block {
    /// A block of zeros of at least so many bytes. Ends the process where there is no memory, as
    /// the ordinary heap does.
    pub fn new(at_least: usize) -> Self {
        if at_least > MOST_SHARED_BYTES {
            return Self(Place::Own(map(at_least)));
        }
        let grains = at_least.div_ceil(GRAIN_BYTES).max(1);
        CHUNKS.with_borrow_mut(|chunks| {
            let fitting = chunks.iter().find_map(|chunk| Some((chunk, chunk.take(grains)?)));
            if let Some((chunk, first)) = fitting {
                return Self(Place::Shared { chunk: Rc::clone(chunk), first, grains });
            }
            let chunk = Rc::new(Chunk { mapping: map(CHUNK_BYTES), taken: Cell::default() });
            let first = chunk.take(grains).expect("a chunk holds the largest shared block");
            chunks.push(Rc::clone(&chunk));
            Self(Place::Shared { chunk, first, grains })
        })
    }

    /// Makes it hold at least so many bytes; those that it has stay.
    pub fn grow(&mut self, at_least: usize) {
        match &mut self.0 {
            Place::Own(mapping) => mapping.resize(at_least).unwrap_or_else(|_| no_memory(at_least)),
            Place::Shared { .. } => {
                let mut larger = Self::new(at_least);
                let length = self.as_slice().len();
                larger.as_mut_slice()[..length].copy_from_slice(self.as_slice());
                *self = larger;
            }
        }
    }

    /// Gives pages back behind the first so many bytes. Nothing may have been written there.
    pub fn shrink(&mut self, length: usize) {
        if length > MOST_SHARED_BYTES {
            if let Place::Own(mapping) = &mut self.0 {
                // A mapping that stays too long is no harm.
                let _ = mapping.resize(length);
            }
            return;
        }
        let mut smaller = Self::new(length);
        smaller.as_mut_slice()[..length].copy_from_slice(&self.as_slice()[..length]);
        *self = smaller;
    }

    /// True where no page of it goes to swap.
    pub fn is_locked(&self) -> bool {
        match &self.0 {
            Place::Shared { chunk, .. } => chunk.mapping.is_locked(),
            Place::Own(mapping) => mapping.is_locked(),
        }
    }

    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Place::Shared { chunk, first, grains } => {
                // SAFETY: `take` gave these grains to this block alone, so that only `&mut self`
                // leads to a writer. The chunk keeps its pages mapped.
                unsafe { slice::from_raw_parts(chunk.at(*first).as_ptr(), grains * GRAIN_BYTES) }
            }
            Place::Own(mapping) => mapping.as_slice(),
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Place::Shared { chunk, first, grains } => {
                let length = *grains * GRAIN_BYTES;
                // SAFETY: as above, and `self` is borrowed only here. No slice of the whole
                // chunk is made while it has blocks.
                unsafe { slice::from_raw_parts_mut(chunk.at(*first).as_ptr(), length) }
            }
            Place::Own(mapping) => mapping.as_mut_slice(),
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // A mapping wipes itself.
        if matches!(self.0, Place::Shared { .. }) {
            self.as_mut_slice().zeroize();
        }
        let Place::Shared { chunk, first, grains } = &self.0 else { return };
        chunk.give_back(*first, *grains);
        if chunk.is_free() {
            // The last chunk stays for the next secret. At the thread's end there is no list.
            let _ = CHUNKS.try_with(|chunks| {
                let mut chunks = chunks.borrow_mut();
                if chunks.len() > 1 {
                    chunks.retain(|other| !Rc::ptr_eq(other, chunk));
                }
            });
        }
    }
}

impl Chunk {
    /// Takes a run of free grains; the index of the first.
    fn take(&self, grains: usize) -> Option<usize> {
        let mut taken = self.taken.get();
        let mut run = 0;
        for at in 0..GRAINS {
            run = if taken[at / 64] >> (at % 64) & 1 == 0 { run + 1 } else { 0 };
            if run == grains {
                let first = at + 1 - grains;
                (first..=at).for_each(|grain| taken[grain / 64] |= 1 << (grain % 64));
                self.taken.set(taken);
                return Some(first);
            }
        }
        None
    }

    fn give_back(&self, first: usize, grains: usize) {
        let mut taken = self.taken.get();
        (first..first + grains).for_each(|grain| taken[grain / 64] &= !(1 << (grain % 64)));
        self.taken.set(taken);
    }

    fn is_free(&self) -> bool {
        self.taken.get().iter().all(|bits| *bits == 0)
    }

    fn at(&self, grain: usize) -> NonNull<u8> {
        debug_assert!(grain < GRAINS);
        // SAFETY: every grain lies within the mapping.
        unsafe { self.mapping.start().add(grain * GRAIN_BYTES) }
    }
}

fn map(at_least: usize) -> Mapping {
    Mapping::new(at_least).unwrap_or_else(|_| no_memory(at_least))
}

fn no_memory(bytes: usize) -> ! {
    handle_alloc_error(Layout::from_size_align(bytes, 1).unwrap_or(Layout::new::<u8>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_pages_and_never_bytes() {
        let mut blocks: Vec<Block> = (0..600).map(|index| Block::new(index % 97 + 1)).collect();
        for (index, block) in (0_u32..).zip(&mut blocks) {
            block.as_mut_slice().fill(u8::try_from(index % 251).unwrap());
        }
        for (index, block) in (0_u32..).zip(&blocks) {
            assert!(block.as_slice().iter().all(|byte| u32::from(*byte) == index % 251));
        }
        let bytes: usize = blocks.iter().map(|block| block.as_slice().len()).sum();
        assert_eq!(CHUNKS.with_borrow(Vec::len), bytes.div_ceil(CHUNK_BYTES));
    }

    #[test]
    fn a_block_is_wiped_before_its_bytes_are_used_again() {
        let mut block = Block::new(64);
        block.as_mut_slice().fill(7);
        let start = block.as_slice().as_ptr();
        drop(block);
        let next = Block::new(64);
        assert_eq!(next.as_slice().as_ptr(), start);
        assert_eq!(next.as_slice(), [0; 64]);
    }

    #[test]
    fn of_empty_chunks_one_is_kept() {
        let blocks: Vec<Block> = (0..12).map(|_| Block::new(MOST_SHARED_BYTES)).collect();
        assert_eq!(CHUNKS.with_borrow(Vec::len), 3);
        drop(blocks);
        assert_eq!(CHUNKS.with_borrow(Vec::len), 1);
    }
}
