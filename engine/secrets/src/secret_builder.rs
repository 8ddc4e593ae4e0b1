use crate::{SecretBytes, sys::Block};

/// Smaller blocks would only be outgrown.
const FIRST_BYTES: usize = 64;
/// A finished secret gives that much room back, at least.
const WORTH_GIVING_BACK_BYTES: usize = 512;

/// Makes a secret of parts. As it grows, no copy of its bytes is left behind unwiped.
#[derive(Default)]
pub struct SecretBuilder {
    block: Option<Block>,
    length: usize,
}

impl SecretBuilder {
    /// A builder with room for that many bytes, which may be outgrown.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self { block: Some(Block::new(capacity)), length: 0 }
    }

    /// How many bytes there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True before the first byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.spare(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Forgets all bytes behind the first `length`.
    pub fn truncate(&mut self, length: usize) {
        if let Some(block) = self.block.as_mut().filter(|_| length < self.length) {
            block.as_mut_slice()[length..self.length].fill(0);
            self.length = length;
        }
    }

    /// The finished secret.
    #[must_use]
    pub fn finish(self) -> SecretBytes {
        let Self { block, length } = self;
        let mut block = block.unwrap_or_else(|| Block::new(0));
        if block.as_slice().len() - length >= WORTH_GIVING_BACK_BYTES {
            block.shrink(length);
        }
        SecretBytes::of_block(block, length)
    }

    /// Room for at least that many bytes behind those that are there.
    pub(crate) fn spare(&mut self, at_least: usize) -> &mut [u8] {
        let wanted = self.length + at_least;
        let block = self.block.get_or_insert_with(|| Block::new(wanted.max(FIRST_BYTES)));
        let capacity = block.as_slice().len();
        if capacity < wanted {
            block.grow(wanted.max(capacity * 2));
        }
        &mut block.as_mut_slice()[self.length..]
    }

    /// Says that the first that many bytes of `spare` were written.
    pub(crate) fn advance(&mut self, count: usize) {
        self.length += count;
        debug_assert!(self.block.as_ref().is_some_and(|b| self.length <= b.as_slice().len()));
    }
}

impl From<SecretBuilder> for SecretBytes {
    fn from(builder: SecretBuilder) -> Self {
        builder.finish()
    }
}
