//! The pages of this executable that no process writes: code and constants.

use std::ffi::{c_int, c_void};
use std::ptr;

use svc_secrets::page_bytes;

/// Takes them out of this process's memory: most belong to the start. A page that is used again
/// comes back from the page cache. `MADV_DONTNEED` of madvise(2).
pub fn release() {
    // SAFETY: the callback has the signature that dl_iterate_phdr(3) wants, and needs no data.
    unsafe { libc::dl_iterate_phdr(Some(release_segments), ptr::null_mut()) };
}

unsafe extern "C" fn release_segments(
    object: *mut libc::dl_phdr_info,
    _: usize,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the C library passes the description of an object of this process; the headers that
    // it names are mapped.
    let (base, headers) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        (object.dlpi_addr, std::slice::from_raw_parts(object.dlpi_phdr, count))
    };
    for header in headers {
        if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W != 0 {
            continue;
        }
        // The kernel refuses an address within a page.
        let start = usize::try_from(base + header.p_vaddr).unwrap_or(0) & !(page_bytes() - 1);
        let end = usize::try_from(base + header.p_vaddr + header.p_memsz).unwrap_or(0);
        let address = ptr::with_exposed_provenance_mut(start);
        // SAFETY: the pages are the file's, and nothing has written them. The linker puts segments
        // that are written behind these. In the place that the image has left are zeroes.
        unsafe { libc::madvise(address, end - start, libc::MADV_DONTNEED) };
    }
    // The first object is the executable, and it has no others.
    1
}
