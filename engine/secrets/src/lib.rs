//! Secrets of the engine: bytes that stay in separate memory until they are released.
//!
//! - [`SecretBytes`] holds bytes in pages that are wiped before they are used again. The pages are
//!   locked if RLIMIT_MEMLOCK allows it, and never part of a core dump. Small secrets share
//!   pages: 64 KiB of locked memory hold about 2,000 of them.
//! - [`SecretBuilder`] makes one of parts, without a copy that is left behind as it grows.
//! - [`SecretJson`] looks into JSON without copying its texts. A value that is asked for is copied
//!   into a [`SecretBytes`].
//! - [`hmac_sha256`] digests secrets.
//! - [`guarded`] does work of libraries that handle secrets. With [`WipingAllocator`] their buffers
//!   are in pages of the same kind, and every block is wiped when it is free.
//! - [`page_bytes`] is the size of a page, by which memory is mapped and locked.
//! - [`require_locked`] forbids pages that are not locked, [`yield_locks`] gives the locks up.
//!
//! Secrets belong to one thread. A fork(2) has a copy of its parent's, and no lock on it: a process
//! that forks holds no secret then, and its child calls [`begin_child`].
//!
//! All `unsafe` is in `sys`.

mod get_ready;
mod guard;
mod hmac;
mod json;
mod read_file;
mod secret_builder;
mod secret_bytes;
mod sys;

pub use get_ready::get_ready;
pub use guard::{Guarded, Stack, guarded, guarded_on, poll_guarded};
pub use hmac::hmac_sha256;
pub use json::{JsonKind, JsonProblem, SecretJson};
pub use read_file::ReadError;
pub use secret_builder::SecretBuilder;
pub use secret_bytes::SecretBytes;
pub use sys::{
    NotLocked, OnRefusal, WipingAllocator, are_secrets_locked, begin_child, page_bytes,
    require_locked, yield_locks,
};
