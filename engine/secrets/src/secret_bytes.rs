use std::{fmt, ops::Range, rc::Rc, str};

use memchr::memmem;

use crate::sys::Block;

/// Shorter ones would mask half of a text.
const LEAST_MASKED_BYTES: usize = 4;
const MASK: &str = "[secret]";

/// Bytes that never change, in memory that is wiped when their last owner releases them. A clone is
/// one more owner of the same bytes.
#[derive(Clone)]
pub struct SecretBytes {
    block: Rc<Block>,
    /// White space may have been taken off both ends, or a line end off the last one.
    range: Range<usize>,
}

impl SecretBytes {
    /// Copies bytes.
    #[must_use]
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut block = Block::new(bytes.len());
        block.as_mut_slice()[..bytes.len()].copy_from_slice(bytes);
        Self::of_block(block, bytes.len())
    }

    pub(crate) fn of_block(block: Block, length: usize) -> Self {
        Self { block: Rc::new(block), range: 0..length }
    }

    /// The bytes themselves. Copies of them belong into secrets again.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.block.as_slice()[self.range.clone()]
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// True if the length is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Whether a byte is among them.
    #[must_use]
    pub fn includes(&self, byte: u8) -> bool {
        memchr::memchr(byte, self.expose()).is_some()
    }

    /// Whether they begin with a text.
    #[must_use]
    pub fn starts_with(&self, text: &str) -> bool {
        self.expose().starts_with(text.as_bytes())
    }

    /// Whether they are a text.
    #[must_use]
    pub fn equals(&self, text: &str) -> bool {
        self.expose() == text.as_bytes()
    }

    /// Whether they are UTF-8.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        str::from_utf8(self.expose()).is_ok()
    }

    /// Without the white space at both ends, as `String.prototype.trim` of ECMAScript has it. Bytes
    /// that are not UTF-8 stay as they are.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let Ok(text) = str::from_utf8(self.expose()) else { return self.clone() };
        let behind = text.trim_end_matches(is_white_space).len();
        let before = text.len() - text.trim_start_matches(is_white_space).len();
        let start = self.range.start;
        // A text of white space alone ends before it begins.
        Self { block: Rc::clone(&self.block), range: start + before.min(behind)..start + behind }
    }

    /// Without the end of the last line, `\n` or `\r\n`, if that is the end.
    #[must_use]
    pub fn without_line_end(&self) -> Self {
        let bytes = self.expose();
        let line = bytes.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let start = self.range.start;
        let range = start..start + line.unwrap_or(bytes).len();
        Self { block: Rc::clone(&self.block), range }
    }

    /// The index of the first byte outside of 0x21 to 0x7e.
    #[must_use]
    pub fn first_invisible(&self) -> Option<usize> {
        self.expose().iter().position(|byte| !byte.is_ascii_graphic())
    }

    /// Copies all of it to the start of `target`, and returns the length; `None` if the target
    /// is too short, which nothing is written to then.
    pub fn write_to(&self, target: &mut [u8]) -> Option<usize> {
        target.get_mut(..self.len())?.copy_from_slice(self.expose());
        Some(self.len())
    }

    /// The text, for messages: every occurrence of a masked secret of four bytes or more becomes
    /// `[secret]`, and so do occurrences that overlap. `None` if it is not UTF-8.
    #[must_use]
    pub fn open(&self, masked: &[SecretBytes]) -> Option<String> {
        let text = str::from_utf8(self.expose()).ok()?;
        let mut opened = String::with_capacity(text.len());
        let mut done = 0;
        for hidden in hidden_ranges(text, masked) {
            opened.push_str(&text[done..hidden.start]);
            opened.push_str(MASK);
            done = hidden.end;
        }
        opened.push_str(&text[done..]);
        Some(opened)
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

/// `WhiteSpace` and `LineTerminator` of ECMAScript: Unicode's, without NEL and with the byte order
/// mark.
fn is_white_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

/// The places of masked secrets, in ascending order and apart. A secret that is not UTF-8 may end
/// within a character: all of that is hidden.
fn hidden_ranges(text: &str, masked: &[SecretBytes]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for secret in masked.iter().filter(|secret| secret.len() >= LEAST_MASKED_BYTES) {
        let finder = memmem::Finder::new(secret.expose());
        let mut from = 0;
        while let Some(at) = finder.find(&text.as_bytes()[from..]) {
            let start = from + at;
            found.push(whole_characters(text, start..start + secret.len()));
            // The next occurrence may overlap this one.
            from = start + 1;
        }
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

fn whole_characters(text: &str, range: Range<usize>) -> Range<usize> {
    let start = (0..=range.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (range.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}
