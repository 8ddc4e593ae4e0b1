//! A damaged executable. A start does not look for damage: that would take longer than the start
//! may. A process that cannot go on does (`last_resort.rs`), so that it names the true cause.
//!
//! docs/decisions/0122-a-damaged-executable.md

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// For people.
pub const DAMAGED: &str = "the executable is damaged: its file is not the one that was built";

/// Set in the sum of an executable that has one.
const HAS_SUM: u64 = 1 << 32;
const SUM_BYTES: u64 = size_of::<u64>() as u64;
const CHUNK_BYTES: usize = 16 << 10;

/// The sum of the executable's file, and the place of the sum in it.
static SUM: AtomicU64 = AtomicU64::new(0);
static SUM_AT: AtomicU64 = AtomicU64::new(0);
static IS_LOOKING: AtomicBool = AtomicBool::new(false);

/// Room for a part of the file. It is not on the stack, which may be full.
struct Chunk(UnsafeCell<[u8; CHUNK_BYTES]>);

// SAFETY: only the search uses it, and there is one at a time.
unsafe impl Sync for Chunk {}

static CHUNK: Chunk = Chunk(UnsafeCell::new([0; CHUNK_BYTES]));

/// Notes the sum that the build has put into the executable, and its place in the file.
pub fn note(sum: u64, at: u64) {
    SUM.store(sum, Relaxed);
    SUM_AT.store(at, Relaxed);
}

/// Whether the executable's file has other bytes than the build has given it. False if that cannot
/// be known. It uses no heap, and may be called in a signal handler; signal-safety(7).
pub fn is_found() -> bool {
    let sum = SUM.load(Relaxed);
    // The search itself may fail for damage.
    if sum & HAS_SUM == 0 || IS_LOOKING.swap(true, Relaxed) {
        return false;
    }
    let found = file_sum(SUM_AT.load(Relaxed));
    IS_LOOKING.store(false, Relaxed);
    found.is_some_and(|found| u64::from(found) | HAS_SUM != sum)
}

/// CRC-32 of the executable's file with zeroes in the sum's own place.
fn file_sum(sum_at: u64) -> Option<u32> {
    let fd = open()?;
    let mut sum = Crc32::new();
    let mut at = 0;
    // SAFETY: `IS_LOOKING` is set, so that nothing else refers to it.
    let chunk = unsafe { &mut *CHUNK.0.get() };
    let ended = loop {
        // SAFETY: the pointer leads to as many writable bytes as the length says.
        let count = unsafe { libc::read(fd, chunk.as_mut_ptr().cast::<c_void>(), chunk.len()) };
        match usize::try_from(count) {
            Ok(0) => break Some(()),
            Ok(count) => {
                let bytes = &mut chunk[..count];
                without_sum(bytes, at, sum_at);
                sum.add(bytes);
                at += count as u64;
            }
            Err(_) => break None,
        }
    };
    // SAFETY: it takes a number.
    unsafe { libc::close(fd) };
    ended.map(|()| sum.end())
}

/// The file that this process executes: by /proc, or by its path if that is not there.
fn open() -> Option<c_int> {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero byte.
    let fd = unsafe { libc::open(c"/proc/self/exe".as_ptr(), flags) };
    if fd >= 0 {
        return Some(fd);
    }
    // SAFETY: the kernel has put the address of a C string there, on the initial stack; getauxval(3).
    let fd = unsafe {
        let path = libc::getauxval(libc::AT_EXECFN);
        if path == 0 {
            return None;
        }
        #[allow(clippy::cast_possible_truncation)]
        libc::open(std::ptr::with_exposed_provenance(path as usize), flags)
    };
    (fd >= 0).then_some(fd)
}

/// Replaces the bytes of the sum by zeroes in a part of the file.
fn without_sum(bytes: &mut [u8], at: u64, sum_at: u64) {
    let within = |offset: u64| {
        usize::try_from(offset.saturating_sub(at)).map_or(bytes.len(), |at| at.min(bytes.len()))
    };
    let range = within(sum_at)..within(sum_at.saturating_add(SUM_BYTES));
    bytes[range].fill(0);
}

/// CRC-32 of ISO 3309, as zlib has it; eight bytes a step.
struct Crc32(u32);

const STEP_BYTES: usize = 8;

impl Crc32 {
    fn new() -> Self {
        Self(u32::MAX)
    }

    fn add(&mut self, bytes: &[u8]) {
        let (steps, rest) = bytes.as_chunks::<STEP_BYTES>();
        for step in steps {
            let mut word = u64::from_le_bytes(*step) ^ u64::from(self.0);
            self.0 = 0;
            for table in TABLES.iter().rev() {
                let [low, ..] = word.to_le_bytes();
                self.0 ^= table[usize::from(low)];
                word >>= 8;
            }
        }
        for byte in rest {
            let [low, ..] = self.0.to_le_bytes();
            self.0 = TABLES[0][usize::from(low ^ byte)] ^ (self.0 >> 8);
        }
    }

    fn end(self) -> u32 {
        !self.0
    }
}

/// The sums of a byte with that many zero bytes behind it.
static TABLES: [[u32; 256]; STEP_BYTES] = tables();

#[allow(clippy::cast_possible_truncation)]
const fn tables() -> [[u32; 256]; STEP_BYTES] {
    let mut tables = [[0; 256]; STEP_BYTES];
    let mut at = 0;
    while at < 256 {
        let mut word = at as u32;
        let mut zeroes = 0;
        while zeroes < STEP_BYTES {
            let mut bit = 0;
            while bit < 8 {
                word = if word & 1 == 0 { word >> 1 } else { (word >> 1) ^ 0xEDB8_8320 };
                bit += 1;
            }
            tables[zeroes][at] = word;
            zeroes += 1;
        }
        at += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::{Crc32, without_sum};

    fn sum(parts: &[&[u8]]) -> u32 {
        let mut sum = Crc32::new();
        for part in parts {
            sum.add(part);
        }
        sum.end()
    }

    #[test]
    fn sums_as_zlib_does() {
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[b"123456789"]), 0xCBF4_3926);
        assert_eq!(sum(&[b"1234", b"", b"56789"]), 0xCBF4_3926);
        assert_eq!(sum(&[b"The quick brown fox jumps over the lazy dog"]), 0x414F_A339);
        assert_eq!(sum(&[b"The quick brown f", b"ox jumps over the lazy dog"]), 0x414F_A339);
    }

    #[test]
    fn leaves_the_sum_itself_out_in_every_part_of_the_file() {
        for part in 1..=20 {
            let mut file: Vec<u8> = (1..=20).collect();
            for (index, bytes) in file.chunks_mut(part).enumerate() {
                without_sum(bytes, (index * part) as u64, 6);
            }
            let wanted: Vec<u8> =
                (1..=20).map(|byte| if (7..15).contains(&byte) { 0 } else { byte }).collect();
            assert_eq!(file, wanted, "in parts of {part} bytes");
        }
    }
}
