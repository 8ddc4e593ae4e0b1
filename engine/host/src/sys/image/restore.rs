//! Brings an image to life.

use super::{PayloadPlace, arena, executable};
use crate::script::Script;
use crate::sys::{damage, last_resort, processes};

const WORD_BYTES: usize = size_of::<u64>();

/// The script of an image; none if the executable has no image, or its place is not free: then the
/// script boots from its modules.
pub fn restore(payload: PayloadPlace) -> Option<Script> {
    if !payload.has_image() {
        return None;
    }
    let (Some(pages), Some(indices)) = (payload.heap(), payload.indices()) else {
        last_resort::end(damage::DAMAGED)
    };
    let head = payload.head();
    let (Ok(random_state), Ok(first_bytes)) =
        (usize::try_from(head.random_state), usize::try_from(head.first_bytes))
    else {
        last_resort::end(damage::DAMAGED)
    };
    let words = pages.len() / WORD_BYTES;
    let is_word = |index: &u32| usize::try_from(*index).is_ok_and(|index| index < words);
    if random_state >= pages.len() || !indices.iter().all(is_word) {
        last_resort::end(damage::DAMAGED);
    }
    let base = executable::addresses().start as u64;
    // SAFETY: the heap begins with a page and has whole pages, and nothing refers to them: see
    // `PayloadPlace`. The indices and the state of `Math.random` are in it. The first block holds a
    // script in the layout of this very executable: it has made the image.
    unsafe {
        let moved = arena::begin_restored(pages, first_bytes)?.cast::<u64>();
        arena::populate();
        for index in indices {
            let word = moved.add(*index as usize);
            word.write(word.read().wrapping_add(base));
        }
        if let Some(state) = random_word() {
            moved.add(random_state / WORD_BYTES).write(state);
        }
        Some(arena::first_block::<Script>().read())
    }
}

/// A state of `Math.random` of this process's own; none without random bytes: the image's stays. It
/// is never 0, which would stay 0.
fn random_word() -> Option<u64> {
    let mut random = [0; WORD_BYTES];
    processes::fill_random(&mut random).ok()?;
    Some(u64::from_ne_bytes(random)).filter(|state| *state != 0)
}
