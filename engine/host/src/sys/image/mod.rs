//! The image of a booted script: its heap once the modules of a start are evaluated. The build
//! makes it, so that no start evaluates them again (docs/decisions/0080-image-of-a-start.md).
//!
//! All blocks of the image lie at one address, which is the same in every process, so pointers
//! between them need no change. Pointers into the executable are numbers behind its start in the
//! image, and get the start's address in each process: that address stays random.
//!
//! `svc-wrapper` is linked with an empty [`Payload`]. The build puts the modules into it, runs that
//! executable once with `--make-image FILE`, and puts the file's bytes in place of the payload. An
//! executable with an image does not know that flag.

mod arena;
mod blocks;
mod executable;
mod heap;
mod make;
mod mappings;
mod payload;
mod restore;
mod seeds;

pub use arena::populate;
pub use heap::{Heap, ScriptHeap};
pub use make::{Making, write};
pub use payload::{Payload, PayloadPlace};
pub use restore::restore;
