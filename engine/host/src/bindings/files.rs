//! Files as a whole.

use rquickjs::module::Exports;
use rquickjs::{Ctx, Result};
use sha2::{Digest, Sha256};

use super::errors::throw_system_error;
use super::export_functions::export_functions;
use crate::sys::descriptors;

pub const EXPORTS: &[&str] = &["sha256OfFile"];

const CHUNK_BYTES: usize = 1 << 17;

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports, "sha256OfFile" => sha256_of_file }
    Ok(())
}

fn sha256_of_file(ctx: Ctx<'_>, fd: i32) -> Result<String> {
    digest(fd).map_err(|error| throw_system_error(&ctx, "pread", &error))
}

/// In pieces: the largest file of a bundle has some mebibytes.
fn digest(fd: i32) -> std::io::Result<String> {
    use std::fmt::Write;

    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut position = 0;
    loop {
        let count = descriptors::read_at(fd, &mut chunk, position)?;
        if count == 0 {
            break;
        }
        hash.update(&chunk[..count]);
        position += count as u64;
    }
    Ok(hash.finalize().iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    }))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::{CHUNK_BYTES, digest};

    /// The examples of FIPS 180-4, and one of several pieces.
    #[test]
    fn digests_from_the_start_to_the_end() {
        let long = vec![b'a'; 1_000_000];
        assert!(long.len() > CHUNK_BYTES);
        let cases: [(&[u8], &str); 3] = [
            (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (&long, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ];
        for (content, wanted) in cases {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(content).unwrap();
            assert_eq!(digest(file.as_raw_fd()).unwrap(), wanted);
            assert_eq!(digest(file.as_raw_fd()).unwrap(), wanted);
        }
    }

    #[test]
    fn a_descriptor_that_is_closed_is_an_error() {
        assert_eq!(digest(-1).unwrap_err().raw_os_error(), Some(libc::EBADF));
    }
}
