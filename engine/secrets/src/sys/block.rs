#![allow(unsafe_code)]

use std::{
    alloc::{Layout, handle_alloc_error},
    ptr::NonNull,
    slice,
};

use zeroize::Zeroize;

use super::{mapping::Mapping, page_size::page_bytes, secret_heap};

/// Bytes that one owner may write; wiped when it releases them.
pub(crate) struct Block(Place);

enum Place {
    /// In the secret heap; every byte is initialised.
    Shared {
        start: NonNull<u8>,
        length: usize,
    },
    Own(Mapping),
}

impl Block {
    /// A block of zeros of at least that many bytes. Ends the process if there is no memory, as
    /// the ordinary heap does.
    pub fn new(at_least: usize) -> Self {
        if at_least > most_shared_bytes() {
            return Self(Place::Own(map(at_least)));
        }
        let length = at_least.max(1);
        let Some(start) = secret_heap::allocate(layout(length)) else {
            return Self(Place::Own(map(at_least)));
        };
        // SAFETY: the heap gave these bytes to this block alone.
        unsafe { start.write_bytes(0, length) };
        Self(Place::Shared { start, length })
    }

    /// Makes it hold at least that many bytes; those that it has stay.
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

    /// Gives memory back behind the first that many bytes. Nothing may have been written there.
    pub fn shrink(&mut self, length: usize) {
        if length > most_shared_bytes() {
            if let Place::Own(mapping) = &mut self.0 {
                // A mapping that stays too long does no harm.
                let _ = mapping.resize(length);
            }
            return;
        }
        let mut smaller = Self::new(length);
        smaller.as_mut_slice()[..length].copy_from_slice(&self.as_slice()[..length]);
        *self = smaller;
    }

    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            // SAFETY: the bytes are this block's alone, so that only `&mut self` leads to a writer.
            Place::Shared { start, length } => unsafe {
                slice::from_raw_parts(start.as_ptr(), *length)
            },
            Place::Own(mapping) => mapping.as_slice(),
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.0 {
            // SAFETY: as above, and `self` is borrowed only here.
            Place::Shared { start, length } => unsafe {
                slice::from_raw_parts_mut(start.as_ptr(), *length)
            },
            Place::Own(mapping) => mapping.as_mut_slice(),
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // A mapping wipes itself.
        if matches!(self.0, Place::Own(_)) {
            return;
        }
        self.as_mut_slice().zeroize();
        if let Place::Shared { start, length } = self.0 {
            // SAFETY: it came from there with that layout, and no slice of it outlives `self`.
            unsafe { secret_heap::deallocate(start, layout(length).align()) };
        }
    }
}

/// Blocks of at most this many bytes share pages: a mapping has no smaller one.
fn most_shared_bytes() -> usize {
    page_bytes()
}

fn layout(length: usize) -> Layout {
    // The alignment is 1, and no shared block is near the largest length.
    Layout::array::<u8>(length).unwrap_or(Layout::new::<u8>())
}

fn map(at_least: usize) -> Mapping {
    Mapping::new(at_least).unwrap_or_else(|_| no_memory(at_least))
}

fn no_memory(bytes: usize) -> ! {
    handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()))
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
    }

    #[test]
    fn a_block_begins_with_zeros_whatever_was_there() {
        for length in [1, 64, 4096, 5000] {
            let mut block = Block::new(length);
            assert!(block.as_slice().iter().all(|byte| *byte == 0), "{length}");
            block.as_mut_slice().fill(7);
            drop(block);
        }
        let block = Block::new(4096);
        assert_eq!(block.as_slice(), [0; 4096]);
    }

    #[test]
    fn a_block_keeps_its_bytes_as_it_grows_and_shrinks() {
        let mut block = Block::new(10);
        block.as_mut_slice()[..10].copy_from_slice(b"0123456789");
        for at_least in [100, 4000, 5000, 100_000] {
            block.grow(at_least);
            assert!(block.as_slice().len() >= at_least);
            assert!(block.as_slice().starts_with(b"0123456789"));
        }
        for length in [9000, 10] {
            block.shrink(length);
            assert!(block.as_slice().starts_with(b"0123456789"));
        }
    }
}
