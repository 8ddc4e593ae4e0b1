#![allow(unsafe_code)]

/// Without an answer of the kernel; every kernel has one.
const USUAL_BYTES: usize = 4096;

/// The bytes of a page of memory, which the kernel chooses: 4 KiB on x86-64, 4 to 64 KiB on arm64;
/// getauxval(3). It takes no system call.
#[must_use]
pub fn page_bytes() -> usize {
    // SAFETY: it takes a number.
    let bytes = unsafe { libc::getauxval(libc::AT_PAGESZ) };
    usize::try_from(bytes).ok().filter(|bytes| bytes.is_power_of_two()).unwrap_or(USUAL_BYTES)
}

#[cfg(test)]
mod tests {
    #[test]
    fn is_what_sysconf_says() {
        // SAFETY: it takes a number.
        let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        assert_eq!(usize::try_from(bytes), Ok(super::page_bytes()));
    }
}
