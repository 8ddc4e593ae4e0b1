//! The memory that the script may name by its address: its own mappings, the environment, and the
//! kernel's vDSO. Native calls that take an address end the process for every other one.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::last_resort;
use super::views;

/// More than a vDSO has: two pages at most on x86-64 and arm64.
const VDSO_BYTES: usize = 64 << 10;

/// Ranges of addresses.
#[derive(Default)]
struct Ranges(Vec<Range<usize>>);

impl Ranges {
    /// Whether one of them has all of these bytes.
    fn have(&self, address: usize, length: usize) -> bool {
        address.checked_add(length).is_some_and(|end| {
            self.0.iter().any(|range| range.start <= address && end <= range.end)
        })
    }

    fn add(&mut self, address: usize, length: usize) {
        self.0.push(address..address + length);
    }

    /// Takes a range out; false if it is not one of them.
    fn remove(&mut self, address: usize, length: usize) -> bool {
        let found = self.0.iter().position(|range| *range == (address..address + length));
        found.map(|index| self.0.swap_remove(index)).is_some()
    }
}

static HAS_ARRAYS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static MAPPINGS: RefCell<Ranges> = RefCell::default();
    static INHERITED: Ranges = inherited();
}

/// The memory that the kernel has given to the process at its start.
fn inherited() -> Ranges {
    let mut ranges = Ranges::default();
    let variables = views::environment();
    let start = variables.iter().map(|variable| variable.address).min();
    let end = variables.iter().map(|variable| variable.address + variable.length).max();
    if let (Some(start), Some(end)) = (start, end) {
        ranges.add(start, end - start);
    }
    // SAFETY: it takes a number; getauxval(3).
    let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    if let Ok(vdso @ 1..) = usize::try_from(vdso) {
        ranges.add(vdso, VDSO_BYTES);
    }
    ranges
}

/// Notes a mapping that the script has made.
pub fn note_mapping(address: usize, length: usize) {
    MAPPINGS.with_borrow_mut(|mappings| mappings.add(address, length));
}

/// Forgets a mapping that the script takes away. The process ends if it is not the script's.
pub fn forget_mapping(address: usize, length: usize) {
    if !MAPPINGS.with_borrow_mut(|mappings| mappings.remove(address, length)) {
        refuse();
    }
}

/// Ends the process unless these bytes are in a mapping of the script's.
pub fn require_mapping(address: usize, length: usize) {
    if !MAPPINGS.with_borrow(|mappings| mappings.have(address, length)) {
        refuse();
    }
}

/// Lets the script name its arrays as well: tests put an environment there.
pub fn allow_arrays() {
    HAS_ARRAYS.store(true, Relaxed);
}

/// Ends the process unless the script may name these bytes.
pub fn require(address: usize, length: usize) {
    if HAS_ARRAYS.load(Relaxed) {
        return;
    }
    if !INHERITED.with(|ranges| ranges.have(address, length)) {
        require_mapping(address, length);
    }
}

fn refuse() -> ! {
    last_resort::end("a native call names memory that is not the script's")
}

#[cfg(test)]
mod tests {
    use super::{INHERITED, Ranges};
    use crate::sys::views;

    #[test]
    fn has_bytes_within_one_range() {
        let mut ranges = Ranges::default();
        ranges.add(4096, 4096);
        ranges.add(8192, 10);
        for (address, length, has) in [
            (4096, 4096, true),
            (5000, 0, true),
            (8191, 1, true),
            (8201, 1, true),
            (8202, 1, false),
            (4095, 1, false),
            // Two mappings beside each other: no call needs them together.
            (8191, 2, false),
            (usize::MAX, 2, false),
        ] {
            assert_eq!(ranges.have(address, length), has, "{address}, {length}");
        }
    }

    #[test]
    fn takes_back_what_was_added_and_nothing_else() {
        let mut ranges = Ranges::default();
        ranges.add(4096, 4096);
        assert!(!ranges.remove(4096, 4095));
        assert!(ranges.remove(4096, 4096));
        assert!(!ranges.remove(4096, 4096));
        assert!(!ranges.have(4096, 1));
    }

    #[test]
    fn knows_the_environment() {
        let variable = views::environment().pop().expect("cargo sets variables");
        INHERITED.with(|ranges| {
            assert!(ranges.have(variable.address, variable.length));
            assert!(!ranges.have((&raw const variable).addr(), 1));
        });
    }
}
