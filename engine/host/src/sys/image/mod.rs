//! The image of a booted script: its heap once the modules of a start are evaluated. The build
//! makes it, so that no start evaluates them again (docs/decisions/0080-image-of-a-start.md).
//!
//! All blocks of the image lie at one address, which is the same in every process, so pointers
//! between them need no change. Pointers into the executable are numbers behind its start in the
//! image, and get the start's address in each process: that address stays random.
//!
//! `svc-wrapper` is linked with an empty [`Payload`]. The build puts the modules into it, runs that
//! executable once with `--make-image FILE`, and puts the file's bytes in place of the payload. An
//! executable with an image does not know that flag.

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

/// Bytes of the modules and of the image's heap together that the executable has room for.
const ROOM_BYTES: usize = 2304 << 10;

/// Whole pages: those of arm64 have up to 64 KiB.
const HEAD_BYTES: usize = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 16 << 10 };
/// Words of the heap that may point into the executable.
const MOST_POINTERS: usize = (HEAD_BYTES - 72) / size_of::<u32>();

/// Tells the build the place of the payload in the executable's file.
const MARK: [u8; 16] = *b"svc payload here";

/// The modules, and the image of their evaluation. The build writes the bytes into the linked
/// executable, and the kernel maps them: scripts/engine/payload.ts.
#[repr(C)]
#[cfg_attr(target_arch = "aarch64", repr(align(65536)))]
#[cfg_attr(not(target_arch = "aarch64"), repr(align(16384)))]
pub struct Payload {
    mark: [u8; 16],
    /// Offset of `room`, for the build.
    head_bytes: u64,
    /// Length of `room`, for the build.
    room_bytes: u64,
    /// Length of the pack at the start of `room`; 0 before the build has put it there.
    pack_bytes: u64,
    /// Length of the heap in bytes: whole pages; 0 if there is no image.
    heap_bytes: u64,
    /// How many words of the heap point into the executable.
    pointers: u64,
    /// Offset of the state of `Math.random` in the heap.
    random_state: u64,
    /// Bytes at the beginning of the heap that the interpreter itself allocated.
    first_bytes: u64,
    /// The index of each of those words.
    indices: [u32; MOST_POINTERS],
    /// The pack, and from the next page on the heap.
    room: [u8; ROOM_BYTES],
}

impl Payload {
    /// The payload of an executable that was just linked.
    #[must_use]
    // It is evaluated by the compiler alone.
    #[allow(clippy::large_stack_arrays)]
    pub const fn empty() -> Self {
        Self {
            mark: MARK,
            head_bytes: HEAD_BYTES as u64,
            room_bytes: ROOM_BYTES as u64,
            pack_bytes: 0,
            heap_bytes: 0,
            pointers: 0,
            random_state: 0,
            first_bytes: 0,
            indices: [0; MOST_POINTERS],
            room: [0; ROOM_BYTES],
        }
    }

    /// The modules, as engine/compiler wrote them; empty before the build has put them here.
    #[must_use]
    pub fn pack(&'static self) -> &'static [u8] {
        let payload = self.as_written();
        let length = usize::try_from(payload.pack_bytes).unwrap_or(0);
        payload.room.get(..length).unwrap_or_default()
    }

    /// Whether the build has not put an image here yet.
    pub(crate) fn has_image(&'static self) -> bool {
        self.as_written().heap_bytes != 0
    }

    /// The compiler knows the empty payload, and would not look.
    fn as_written(&'static self) -> &'static Self {
        std::hint::black_box(self)
    }
}

/// The offset of the heap in the room behind a pack of a length.
const fn heap_offset(pack_bytes: usize) -> usize {
    pack_bytes.next_multiple_of(HEAD_BYTES)
}

const _: () = assert!(std::mem::offset_of!(Payload, room) == HEAD_BYTES);
