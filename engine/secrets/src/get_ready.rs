use crate::{SecretBuilder, hmac_sha256};

/// Does the work of the first secret once, ahead of time. Libraries ask the processor for its
/// features. The stack of a guard and the heap for secrets get their first pages. Each question is
/// an exception of a virtual machine's, and there are ten.
pub fn get_ready() {
    memchr::memchr(0, &[0]);
    let mut first = SecretBuilder::with_capacity(1);
    first.push(&[0]);
    drop(first.finish());
    drop(hmac_sha256(&[], []));
}
