//! Secrets of the engine: bytes that stay in memory of their own until they are let go.
//!
//! - [`SecretBytes`] holds bytes in pages that are wiped before they are used again. The pages are
//!   locked where RLIMIT_MEMLOCK allows it, and never part of a core dump. Small secrets share
//!   pages: 64 KiB of locked memory hold about 2,000 of them.
//! - [`SecretBuilder`] makes one of parts, without a copy that is left behind as it grows.
//! - [`SecretJson`] looks into JSON without copying its texts. A value that is asked for is copied
//!   into a [`SecretBytes`].
//! - [`hmac_sha256`] digests secrets.
//! - [`WipingAllocator`] makes the ordinary heap forget libraries' copies.
//!
//! Everything here belongs to one thread. A fork(2) has a copy of its parent's secrets, and no
//! lock on it: a process that forks holds no secret then.
//!
//! All `unsafe` is in `sys`.

mod hmac;
mod json;
mod read_file;
mod secret_builder;
mod secret_bytes;
mod sys;

pub use hmac::hmac_sha256;
pub use json::{JsonKind, JsonProblem, SecretJson};
pub use read_file::ReadError;
pub use secret_builder::SecretBuilder;
pub use secret_bytes::SecretBytes;
pub use sys::WipingAllocator;
