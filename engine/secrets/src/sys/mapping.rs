#![allow(unsafe_code)]

use std::{io, ptr::NonNull, slice};

use rustix::mm::{
    Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, munlock, munmap,
};
use zeroize::Zeroize;

use super::{
    locking::{self, NotLocked},
    page_size::page_bytes,
};

/// Private pages, zero at first, wiped before they go back to the kernel; mmap(2).
pub(super) struct Mapping {
    start: NonNull<u8>,
    length: usize,
    is_locked: bool,
}

impl Mapping {
    /// Maps at least that many bytes. They are locked if RLIMIT_MEMLOCK allows it; if they
    /// must be and it does not, the process ends here.
    pub fn new(at_least: usize) -> io::Result<Self> {
        let length = whole_pages(at_least, page_bytes())?;
        // SAFETY: the kernel chooses an address that nothing else has.
        let start = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        }?;
        // SAFETY: the range was mapped right now; neither call changes its contents. A kernel
        // without MADV_DONTDUMP has no other way to leave pages out of a core dump.
        let locked = unsafe {
            let _ = madvise(start, length, Advice::LinuxDontDump);
            locking::lock(start, length)
        };
        let is_locked = locked.map_err(|refused| locking::go_unlocked(&refused)).is_ok();
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length, is_locked })
    }

    /// Makes it longer or shorter. The kernel moves the pages themselves, so that no copy is left;
    /// mremap(2). The part that is cut off must hold no secret.
    pub fn resize(&mut self, at_least: usize) -> io::Result<()> {
        let length = whole_pages(at_least, page_bytes())?;
        let start = self.start.as_ptr().cast();
        // SAFETY: the range is this mapping, which no slice borrows beside `&mut self`; afterwards
        // `start` and `length` are the moved one's. A locked mapping that would pass the limit is
        // not moved (EAGAIN), and goes on without its lock.
        let moved = unsafe {
            mremap(start, self.length, length, MremapFlags::MAYMOVE).or_else(|error| {
                if !self.is_locked {
                    return Err(error);
                }
                let wanted_bytes = locking::with_another(length - self.length);
                locking::go_unlocked(&NotLocked { wanted_bytes, errno: error.raw_os_error() });
                munlock(start, self.length)?;
                locking::forget_locked(self.length);
                self.is_locked = false;
                mremap(start, self.length, length, MremapFlags::MAYMOVE)
            })
        }?;
        if self.is_locked {
            locking::resize_locked(self.length, length);
        }
        self.start = NonNull::new(moved.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        self.length = length;
        Ok(())
    }

    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the range stays mapped as long as `self`, and every byte of it was zeroed by the
        // kernel.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed only here.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

fn whole_pages(at_least: usize, page_bytes: usize) -> io::Result<usize> {
    let pages = at_least.max(1).checked_next_multiple_of(page_bytes);
    Ok(pages.ok_or(io::ErrorKind::OutOfMemory)?)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.as_mut_slice().zeroize();
        // SAFETY: the range is this mapping, and no slice of it outlives `self`. munmap(2) fails
        // for no range that was mapped, and unlocks it.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
        if self.is_locked {
            locking::forget_locked(self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mapping, page_bytes, whole_pages};

    #[test]
    fn is_of_whole_pages_of_every_size() {
        for (at_least, page_bytes, length) in [
            (0, 4096, 4096),
            (1, 4096, 4096),
            (4097, 4096, 8192),
            (0, 65536, 65536),
            (65536, 65536, 65536),
            (65537, 65536, 131_072),
        ] {
            assert_eq!(whole_pages(at_least, page_bytes).unwrap(), length);
        }
        assert!(whole_pages(usize::MAX, 65536).is_err());
    }

    #[test]
    fn counts_in_the_pages_of_this_kernel() {
        let mut mapping = Mapping::new(1).unwrap();
        assert_eq!(mapping.as_slice().len(), page_bytes());
        mapping.resize(page_bytes() + 1).unwrap();
        assert_eq!(mapping.as_slice().len(), 2 * page_bytes());
    }
}
