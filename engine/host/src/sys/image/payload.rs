//! The modules and the image, in their place in the executable.

use std::hint::black_box;
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::slice;

/// Bytes of the modules and of the image's heap together that the executable has room for.
pub const ROOM_BYTES: usize = 2528 << 10;

/// Whole pages: those of arm64 have up to 64 KiB.
pub const HEAD_BYTES: usize = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 16 << 10 };
/// Words of the heap that may point into the executable.
pub const MOST_POINTERS: usize = (HEAD_BYTES - size_of::<Head>()) / size_of::<u32>();

/// Tells the build the place of the payload in the executable's file.
const MARK: [u8; 16] = *b"svc payload here";

/// The numbers of a payload, in the executable's own order of bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Head {
    pub mark: [u8; 16],
    /// Offset of `room`, for the build.
    pub room_offset: u64,
    /// Length of `room`, for the build.
    pub room_bytes: u64,
    /// Length of the pack at the start of `room`; 0 before the build has put it there.
    pub pack_bytes: u64,
    /// Length of the heap in bytes: whole pages; 0 if there is no image.
    pub heap_bytes: u64,
    /// How many words of the heap point into the executable.
    pub pointers: u64,
    /// Offset of the state of `Math.random` in the heap.
    pub random_state: u64,
    /// Bytes at the beginning of the heap that the interpreter itself allocated.
    pub first_bytes: u64,
    /// Offset of the payload in the executable's file; 0 before the build has noted it.
    pub file_offset: u64,
    /// CRC-32 of that file with zeroes in this place, and a bit above it that says so.
    pub file_sum: u64,
}

/// The modules, and the image of their evaluation. The build writes the bytes into the linked
/// executable, and the kernel maps them: scripts/engine/payload.ts.
#[repr(C)]
#[cfg_attr(target_arch = "aarch64", repr(align(65536)))]
#[cfg_attr(not(target_arch = "aarch64"), repr(align(16384)))]
pub struct Payload {
    head: Head,
    /// The index of each word of the heap that points into the executable.
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
        let head = Head {
            mark: MARK,
            room_offset: HEAD_BYTES as u64,
            room_bytes: ROOM_BYTES as u64,
            pack_bytes: 0,
            heap_bytes: 0,
            pointers: 0,
            random_state: 0,
            first_bytes: 0,
            file_offset: 0,
            file_sum: 0,
        };
        Self { head, indices: [0; MOST_POINTERS], room: [0; ROOM_BYTES] }
    }
}

/// The place of a payload. It is read through this pointer alone. A reference to the payload would
/// promise that its bytes stay as they are, and a start moves the pages of the heap away.
#[derive(Clone, Copy)]
pub struct PayloadPlace(*const Payload);

impl PayloadPlace {
    /// # Safety
    ///
    /// A payload is there for good. Nothing else reads or writes it, and no reference leads there.
    #[must_use]
    pub unsafe fn new(payload: *const Payload) -> Self {
        // The compiler knows the empty payload, and would not look.
        Self(black_box(payload))
    }

    /// The modules, as engine/compiler wrote them; empty before the build has put them here.
    #[must_use]
    pub fn pack(self) -> &'static [u8] {
        let length = usize::try_from(self.head().pack_bytes).unwrap_or(0);
        if length > ROOM_BYTES {
            return &[];
        }
        // SAFETY: the pack is in the room, before the first page of the heap: it stays.
        unsafe { slice::from_raw_parts(self.room().as_ptr(), length) }
    }

    /// Whether the build has put an image here.
    pub(crate) fn has_image(self) -> bool {
        self.head().heap_bytes != 0
    }

    /// The sum of the executable's file, and the place of the sum in that file.
    pub(crate) fn file_sum(self) -> (u64, u64) {
        let Head { file_sum, file_offset, .. } = self.head();
        (file_sum, file_offset.wrapping_add(offset_of!(Head, file_sum) as u64))
    }

    /// A copy of the numbers.
    pub(super) fn head(self) -> Head {
        // SAFETY: a payload is there, and its head stays.
        unsafe { (&raw const (*self.0).head).read() }
    }

    /// The indices of the heap's words that point into the executable; none if they are too many.
    pub(super) fn indices(self) -> Option<&'static [u32]> {
        let count = usize::try_from(self.head().pointers).ok()?;
        if count > MOST_POINTERS {
            return None;
        }
        // SAFETY: the indices are in the first pages of the payload, which stay.
        Some(unsafe { slice::from_raw_parts((&raw const (*self.0).indices).cast(), count) })
    }

    /// The pages of the heap; none if there is no image, or they would be outside of the room.
    pub(super) fn heap(self) -> Option<NonNull<[u8]>> {
        let length = usize::try_from(self.head().heap_bytes).ok().filter(|length| *length > 0)?;
        let start = heap_offset(self.pack().len());
        if !length.is_multiple_of(HEAD_BYTES) || length > ROOM_BYTES.checked_sub(start)? {
            return None;
        }
        // SAFETY: it is an offset within the room.
        let pages = unsafe { self.room().add(start) };
        Some(NonNull::slice_from_raw_parts(pages, length))
    }

    fn room(self) -> NonNull<u8> {
        // SAFETY: a payload is there.
        let room = unsafe { &raw const (*self.0).room };
        NonNull::new(room.cast::<u8>().cast_mut()).unwrap_or(NonNull::dangling())
    }
}

/// The offset of the heap in the room behind a pack of a length.
pub const fn heap_offset(pack_bytes: usize) -> usize {
    pack_bytes.next_multiple_of(HEAD_BYTES)
}

const _: () = assert!(offset_of!(Payload, room) == HEAD_BYTES);
const _: () = assert!(offset_of!(Payload, indices) == size_of::<Head>());
// The places that scripts/engine/payload.ts knows.
const _: () = assert!(offset_of!(Head, room_offset) == 16 && offset_of!(Head, pack_bytes) == 32);
const _: () = assert!(offset_of!(Head, file_offset) == 72 && offset_of!(Head, file_sum) == 80);

/// The head of an image as its bytes, for the build.
pub fn bytes_of(head: &Head) -> [u8; size_of::<Head>()] {
    // SAFETY: it is numbers and bytes without room between them: 16 bytes, and nine words.
    unsafe { ptr::from_ref(head).cast::<[u8; size_of::<Head>()]>().read() }
}

const _: () = assert!(size_of::<Head>() == 16 + 9 * size_of::<u64>());

#[cfg(test)]
mod tests {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::{HEAD_BYTES, Payload, PayloadPlace, ROOM_BYTES};

    /// A payload in the heap, whose head a test changes.
    fn with_payload(change: impl FnOnce(&mut super::Head), look: impl FnOnce(PayloadPlace)) {
        let layout = Layout::new::<Payload>();
        // SAFETY: the layout has a size; zeroes are a payload. It is freed after its last use.
        unsafe {
            // It has the alignment of the layout.
            #[allow(clippy::cast_ptr_alignment)]
            let payload = alloc_zeroed(layout).cast::<Payload>();
            change(&mut (*payload).head);
            look(PayloadPlace::new(payload));
            dealloc(payload.cast(), layout);
        }
    }

    #[test]
    fn has_a_pack_and_a_heap_behind_it() {
        let lengths = |head: &mut super::Head| {
            head.pack_bytes = 5;
            head.heap_bytes = 2 * HEAD_BYTES as u64;
            head.pointers = 3;
        };
        with_payload(lengths, |place| {
            assert!(place.has_image());
            assert_eq!(place.pack(), [0; 5]);
            assert_eq!(place.indices(), Some(&[0; 3][..]));
            let heap = place.heap().unwrap();
            assert_eq!(heap.len(), 2 * HEAD_BYTES);
            let pack = place.pack().as_ptr().addr();
            assert_eq!(heap.cast::<u8>().addr().get() - pack, HEAD_BYTES);
        });
    }

    #[test]
    fn has_nothing_outside_of_its_room() {
        for (pack, heap) in [
            (0, ROOM_BYTES + HEAD_BYTES),
            (1, ROOM_BYTES),
            (ROOM_BYTES, HEAD_BYTES),
            (ROOM_BYTES + 1, ROOM_BYTES + HEAD_BYTES),
            (0, HEAD_BYTES - 1),
            (0, 0),
        ] {
            let lengths = |head: &mut super::Head| {
                (head.pack_bytes, head.heap_bytes) = (pack as u64, heap as u64);
                head.pointers = u64::MAX;
            };
            with_payload(lengths, |place| {
                assert!(place.heap().is_none(), "{pack} and {heap}");
                assert!(place.indices().is_none());
                assert!(place.pack().len() <= ROOM_BYTES);
            });
        }
    }
}
