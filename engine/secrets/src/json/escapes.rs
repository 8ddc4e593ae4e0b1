use std::{fmt::Write, str::Chars};

use crate::SecretBuilder;

/// Whether a code point is half of a UTF-16 pair, which has no UTF-8.
pub(super) fn is_surrogate(code_point: u32) -> bool {
    (0xd800..=0xdfff).contains(&code_point)
}

/// The code points of a JSON string's inside. A surrogate without its other half comes as it is.
pub(super) struct CodePoints<'a>(Chars<'a>);

impl<'a> CodePoints<'a> {
    /// `inside` must be of valid JSON.
    pub fn of(inside: &'a str) -> Self {
        Self(inside.chars())
    }

    /// The number behind `\u`.
    fn hexadecimal(&mut self) -> u32 {
        let digits = self.0.as_str().get(..4).unwrap_or_default();
        self.0 = self.0.as_str().get(4..).unwrap_or_default().chars();
        u32::from_str_radix(digits, 16).unwrap_or(0)
    }

    /// The second half of a pair, if it follows.
    fn second_half(&mut self) -> Option<u32> {
        let rest = self.0.as_str().strip_prefix("\\u")?;
        let mut behind = Self(rest.chars());
        let second = behind.hexadecimal();
        (0xdc00..=0xdfff).contains(&second).then(|| {
            self.0 = behind.0;
            second
        })
    }
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let character = self.0.next()?;
        if character != '\\' {
            return Some(u32::from(character));
        }
        let escaped = match self.0.next()? {
            'b' => 0x08,
            't' => 0x09,
            'n' => 0x0a,
            'f' => 0x0c,
            'r' => 0x0d,
            'u' => {
                let first = self.hexadecimal();
                if !(0xd800..=0xdbff).contains(&first) {
                    return Some(first);
                }
                let Some(second) = self.second_half() else { return Some(first) };
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => u32::from(other),
        };
        Some(escaped)
    }
}

impl SecretBuilder {
    /// Adds a text as the inside of a JSON string, without its quotes, as `JSON.stringify` of
    /// ECMAScript escapes it. It turns bytes that are not UTF-8 into U+FFFD.
    pub fn push_json_escaped(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                push_escaped(self, u32::from(character));
            }
            if !chunk.invalid().is_empty() {
                self.push("\u{fffd}".as_bytes());
            }
        }
    }
}

/// Adds a code point as `JSON.stringify` writes it within a string; ECMA-262, `QuoteJSONString`.
pub(super) fn push_escaped(builder: &mut SecretBuilder, code_point: u32) {
    match code_point {
        0x08 => builder.push(b"\\b"),
        0x09 => builder.push(b"\\t"),
        0x0a => builder.push(b"\\n"),
        0x0c => builder.push(b"\\f"),
        0x0d => builder.push(b"\\r"),
        0x22 => builder.push(b"\\\""),
        0x5c => builder.push(b"\\\\"),
        _ if code_point < 0x20 || is_surrogate(code_point) => {
            let mut escape = String::with_capacity(6);
            let _ = write!(escape, "\\u{code_point:04x}");
            builder.push(escape.as_bytes());
        }
        _ => push_utf8(builder, code_point),
    }
}

/// Adds a code point in UTF-8; a surrogate becomes U+FFFD.
pub(super) fn push_utf8(builder: &mut SecretBuilder, code_point: u32) {
    let character = char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER);
    builder.push(character.encode_utf8(&mut [0; 4]).as_bytes());
}
