//! The only code of this crate with `unsafe`. Each block says why it is sound.

mod block;
mod locking;
mod mapping;
mod page_size;
mod secret_heap;
#[cfg(debug_assertions)]
pub(crate) mod stack_depth;
mod wiping_allocator;

pub(crate) use block::Block;
pub use locking::{NotLocked, OnRefusal, are_secrets_locked, yield_locks};
pub use page_size::page_bytes;
pub use secret_heap::{begin_child, require_locked};
pub use wiping_allocator::WipingAllocator;
