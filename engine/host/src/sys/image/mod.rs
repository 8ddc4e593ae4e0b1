//! The image of a booted script: its heap once the modules of a start are evaluated. The build
//! makes it, so that no start evaluates them again (docs/decisions/0080-image-of-a-start.md).
//!
//! All blocks of the image lie at one address, which is the same in every process, so pointers
//! between them need no change. Pointers into the executable are numbers behind its start in the
//! image, and get the start's address in each process: that address stays random.
//!
//! `svc-wrapper` is linked with an empty [`Image`]. The build runs that executable once, with
//! `--make-image FILE`, and puts the file's bytes in place of the empty image. An executable with
//! an image does not know that flag.

mod arena;
mod blocks;
mod executable;
mod heap;
mod make;
mod mappings;
mod restore;
mod seeds;

pub use arena::populate;
pub use heap::{Heap, ScriptHeap};
pub use make::{Making, write};
pub use restore::restore;

/// Bytes that the executable has room for, beside the head.
const ROOM_BYTES: usize = 1664 << 10;

/// Whole pages: those of arm64 have up to 64 KiB.
const HEAD_BYTES: usize = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 16 << 10 };
/// Words of the heap that may point into the executable.
const MOST_POINTERS: usize = (HEAD_BYTES - 64) / size_of::<u32>();

/// Tells the build where the image is in the executable's file.
const MARK: [u8; 16] = *b"svc image begins";

/// The image's place in the executable. The build writes the bytes, and the kernel maps them.
#[repr(C)]
#[cfg_attr(target_arch = "aarch64", repr(align(65536)))]
#[cfg_attr(not(target_arch = "aarch64"), repr(align(16384)))]
pub struct Image {
    mark: [u8; 16],
    /// Length of the heap in bytes: whole pages; 0 if there is no image.
    heap_bytes: u64,
    /// How many words of the heap point into the executable.
    pointers: u64,
    /// Offset of the state of `Math.random` in the heap.
    random_state: u64,
    /// Bytes at the beginning that the interpreter itself allocated.
    first_bytes: u64,
    reserved: [u64; 2],
    /// The index of each of those words.
    indices: [u32; MOST_POINTERS],
    heap: [u8; ROOM_BYTES],
}

impl Image {
    /// The image of an executable that was just linked.
    #[must_use]
    // It is evaluated by the compiler alone.
    #[allow(clippy::large_stack_arrays)]
    pub const fn empty() -> Self {
        Self {
            mark: MARK,
            heap_bytes: 0,
            pointers: 0,
            random_state: 0,
            first_bytes: 0,
            reserved: [0; 2],
            indices: [0; MOST_POINTERS],
            heap: [0; ROOM_BYTES],
        }
    }

    /// Whether the build has not put an image here yet.
    pub(crate) fn is_empty(&'static self) -> bool {
        // The compiler knows the empty image, and would not look.
        std::hint::black_box(self).heap_bytes == 0
    }
}

const _: () = assert!(std::mem::offset_of!(Image, heap) == HEAD_BYTES);
