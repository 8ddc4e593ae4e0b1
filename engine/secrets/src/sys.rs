//! The one place of this crate with `unsafe`: mappings, blocks within them, and the allocator.

mod block;
mod mapping;
mod wiping_allocator;

pub(crate) use block::Block;
pub use wiping_allocator::WipingAllocator;
