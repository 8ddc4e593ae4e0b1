use crate::hmac_sha256;

/// Does once, ahead of time, what the first secret would wait for: libraries ask the processor for
/// its features, and the stack of a guard gets its pages. Each question is an exception of a virtual
/// machine's, and there are ten.
pub fn get_ready() {
    memchr::memchr(0, &[0]);
    drop(hmac_sha256(&[], []));
}
