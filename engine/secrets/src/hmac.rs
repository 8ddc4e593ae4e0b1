use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::{Stack, guarded_on};

/// HMAC-SHA256 over parts, one behind the other, as 64 hexadecimal digits; RFC 2104.
#[must_use]
pub fn hmac_sha256<'a>(key: &[u8], parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    // The digest keeps the last bytes of each part on the stack.
    let digest = guarded_on(Stack::Small, || {
        let mut mac = keyed(key);
        parts.into_iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes()
    });
    digest.iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key may have any length")
}

#[cfg(test)]
mod tests {
    use super::hmac_sha256;

    type Case<'a> = (&'a [u8], &'a [&'a [u8]], &'a str);

    /// RFC 4231 section 4: test cases 1, 2 and 6.
    #[test]
    fn digests_as_rfc_4231_has_it() {
        let cases: [Case; 3] = [
            (
                &[0x0b; 20],
                &[b"Hi ", b"There"],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                &[b"what do ya ", b"want for nothing?"],
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                &[b"Test Using Larger Than Block-Size Key - Hash Key First"],
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, parts, digest) in cases {
            assert_eq!(hmac_sha256(key, parts.iter().copied()), digest);
        }
    }
}
