//! Brings an image to life.

use std::ptr::NonNull;

use super::{Payload, arena, executable, heap_offset};
use crate::script::Script;
use crate::sys::processes;

/// The script of an image; none if the executable has no image, or its place is not free: then the
/// script boots from its modules.
pub fn restore(payload: &'static Payload) -> Option<Script> {
    if !payload.has_image() {
        return None;
    }
    let pack = payload.pack();
    let payload = payload.as_written();
    let length = usize::try_from(payload.heap_bytes).ok()?;
    let indices = payload.indices.get(..usize::try_from(payload.pointers).ok()?)?;
    let random_state = usize::try_from(payload.random_state).ok()?;
    let first_bytes = usize::try_from(payload.first_bytes).ok()?;
    let heap = payload.room.get(heap_offset(pack.len())..)?.get(..length)?;
    let pages = NonNull::from(heap);
    let base = executable::addresses().start as u64;
    // SAFETY: the heap begins with a page and has whole pages, and nothing else refers to it. The
    // indices are those of words in it, and the first block holds a script in the layout of this
    // very executable: it has made the image.
    unsafe {
        let heap = arena::begin_restored(pages, first_bytes)?;
        arena::populate();
        let words = heap.cast::<u64>();
        for index in indices {
            let word = words.add(*index as usize);
            word.write(word.read().wrapping_add(base));
        }
        renew(&mut *heap.add(random_state).cast::<[u8; 8]>().as_ptr());
        Some(arena::first_block::<Script>().read())
    }
}

/// Gives `Math.random` a state of this process's own. Without random bytes the image's stays.
fn renew(state: &mut [u8; 8]) {
    let mut random = [0; 8];
    // The state must not be 0: it would stay 0.
    if processes::fill_random(&mut random).is_ok() && random != [0; 8] {
        *state = random;
    }
}
