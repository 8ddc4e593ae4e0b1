//! Makes an image.

use std::alloc::Layout;
use std::fs;
use std::ops::Range;
use std::path::Path;

use super::mappings::Mapping;
use super::payload::{self, HEAD_BYTES, Head, MOST_POINTERS, PayloadPlace, ROOM_BYTES};
use super::seeds::{self, Before};
use super::{arena, executable, mappings};
use crate::script::Script;

/// An image that is being made. All blocks that are allocated from now on are in it.
pub struct Making {
    before: Before,
    /// Offset of the state of `Math.random`.
    random_state: Option<usize>,
    first_bytes: usize,
}

impl Making {
    /// # Errors
    ///
    /// If the arena cannot be mapped, or the keys of hash tables cannot be fixed.
    pub fn begin() -> Result<Self, String> {
        seeds::fix_hash_keys()?;
        let before = Before::now();
        arena::begin_making().ok_or("map the arena of the image")?;
        // The place in which `restore` finds it.
        arena::allocate(Layout::new::<Script>());
        Ok(Self { before, random_state: None, first_bytes: 0 })
    }

    /// To be called once the script's context was made, before it evaluates anything.
    ///
    /// # Errors
    ///
    /// If a seed is not found.
    pub fn fix_seeds(&mut self, script: &Script) -> Result<(), String> {
        let address = script.with(|ctx| seeds::fix(ctx, self.before))?;
        self.random_state = Some(address - arena::content().addr().get());
        Ok(())
    }

    /// To be called once the functions of the Web are there, before the wrapper's own modules.
    pub fn end_first(&mut self) {
        self.first_bytes = arena::content().len().next_multiple_of(HEAD_BYTES);
    }

    /// Ends the image with a script that waits for nothing. Later blocks are not in it.
    pub fn end(self, script: Script) -> Self {
        // SAFETY: the first block has room for it, and nothing else uses that block.
        unsafe { arena::first_block::<Script>().write(script) };
        arena::end_making();
        self
    }
}

/// Writes the payload with the image, as it is to stand in the executable's file.
///
/// # Errors
///
/// If the heap points to memory that another process has not got, or has no room in the
/// executable.
pub fn write(made: &Making, place: PayloadPlace, path: &Path) -> Result<(), String> {
    // SAFETY: the script does not run any more.
    let mut words = unsafe { arena::words() };
    let pointers = relocate(&mut words)?;
    words.resize(words.len().next_multiple_of(HEAD_BYTES / size_of::<u64>()), 0);
    let pack = place.pack();
    let heap_bytes = size_of_val(words.as_slice());
    let heap_offset = payload::heap_offset(pack.len());
    let wanted = heap_offset + heap_bytes;
    if wanted > ROOM_BYTES {
        return Err(format!(
            "modules and image have {wanted} bytes, and the executable room for {ROOM_BYTES}"
        ));
    }
    let count = pointers.len();
    if count > MOST_POINTERS {
        return Err(format!(
            "it has {count} pointers, and the executable room for {MOST_POINTERS}"
        ));
    }
    let random_state = made.random_state.ok_or("the seeds were not fixed")?;
    // The mark and the sizes of the executable's own payload.
    let head = Head {
        heap_bytes: heap_bytes as u64,
        pointers: count as u64,
        random_state: random_state as u64,
        first_bytes: made.first_bytes as u64,
        ..place.head()
    };
    let mut bytes = payload::bytes_of(&head).to_vec();
    bytes.extend(pointers.iter().flat_map(|index| index.to_le_bytes()));
    bytes.resize(HEAD_BYTES, 0);
    bytes.extend(pack);
    bytes.resize(HEAD_BYTES + heap_offset, 0);
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    fs::write(path, bytes).map_err(|error| format!("write {}: {error}", path.display()))
}

/// Makes the words independent of the places of the executable and its stack, and returns the
/// places of pointers into the executable.
fn relocate(words: &mut [u64]) -> Result<Vec<u32>, String> {
    let own = executable::addresses();
    let mappings = mappings::read()?;
    let stack = mappings.iter().filter(|found| found.is_stack()).map(Mapping::reach);
    let remains: Vec<_> = stack.chain([own.clone()]).collect();
    let mut pointers = Vec::new();
    for (index, word) in words.iter_mut().enumerate() {
        let Ok(address) = usize::try_from(*word) else { continue };
        if own.contains(&address) {
            *word -= own.start as u64;
            pointers.push(u32::try_from(index).map_err(|error| error.to_string())?);
            continue;
        }
        match mappings.iter().find(|found| found.reach().contains(&address)) {
            Some(found) if found.is_arena() => {}
            // The interpreter notes its stack, and gets the new one in each process.
            Some(found) if found.is_stack() => *word = 0,
            Some(Mapping { name, .. }) => {
                return Err(format!("its word {index} points to other memory: {name:?}"));
            }
            None => *word = without_remains(*word, &remains),
        }
    }
    Ok(pointers)
}

/// The interpreter does not clear the memory that it uses again. Behind a short text or a number of
/// 32 bits, the last bytes of a pointer may remain. They differ from run to run, and nothing reads
/// them.
///
/// A number may look like remains by chance, in one run: the build takes an image that several runs
/// have made.
fn without_remains(word: u64, pointed: &[Range<usize>]) -> u64 {
    let is_remains = |bits: &u32| {
        pointed.iter().any(|range| {
            let high = (range.start as u64 >> bits)..=(range.end as u64 >> bits);
            high.contains(&(word >> bits))
        })
    };
    let remains = (1..=4).map(|bytes| bytes * 8).find(is_remains);
    remains.map_or(word, |bits| word & ((1 << bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::without_remains;

    #[test]
    fn clears_the_remains_of_pointers() {
        let pointed = [0x7f29_1234_5000..0x7f29_1299_0000, 0x7ffd_0000_0000..0x7ffd_0010_0000];
        for (word, cleared) in [
            (0x7f29_0074_696d, 0x0074_696d),
            (0x7ffd_0000_0001, 1),
            (0x7f29_1234_0061, 0x61),
            (0x7f29_1300_0061, 0x1300_0061),
            (0x7f2a_0074_696d, 0x7f2a_0074_696d),
            (0x7f29, 0x7f29),
            (0x0001_7f29_0074_696d, 0x0001_7f29_0074_696d),
        ] {
            assert_eq!(without_remains(word, &pointed), cleared, "{word:#x}");
        }
    }
}
