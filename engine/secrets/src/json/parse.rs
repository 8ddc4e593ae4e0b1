use std::{cmp::Ordering, str};

use serde::de::IgnoredAny;

use super::{
    escapes::CodePoints,
    scan::{end_of_string, skip_white_space},
};

/// As deep as Go's encoding/json goes, in which Vault and `OpenBao` are written.
const MOST_DEPTH: usize = 10_000;

/// Why a text is not taken as JSON. It never quotes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// RFC 8259 does not allow it, or it is nested more than 10,000 times.
    NotJson,
    /// An object names a key twice: readers differ in which they take; RFC 8259 section 4.
    RepeatedKey,
}

/// The place in the text of an open object's key: the inside of its string.
#[derive(Clone, Copy)]
struct Key {
    start: u32,
    end: u32,
}

/// Checks a text. Nothing of its values is copied; of its keys, their places.
pub(super) fn check(bytes: &[u8]) -> Result<&str, JsonProblem> {
    // serde_json looks at the bytes of strings that it ignores only for their end.
    let text = str::from_utf8(bytes).map_err(|_| JsonProblem::NotJson)?;
    if u32::try_from(text.len()).is_err() {
        return Err(JsonProblem::NotJson);
    }
    // Its error is dropped: a reader of it could learn the places of a value's characters.
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| JsonProblem::NotJson)?;
    check_keys(text)?;
    Ok(text)
}

/// Compares two insides of strings by their texts, however they are escaped.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    if one.contains('\\') || other.contains('\\') {
        CodePoints::of(one).cmp(CodePoints::of(other))
    } else {
        // UTF-8 is in the order of its code points.
        one.cmp(other)
    }
}

fn check_keys(text: &str) -> Result<(), JsonProblem> {
    let bytes = text.as_bytes();
    let mut keys: Vec<Key> = Vec::new();
    // The places of the first keys of each open object. An array has none.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                open.push(keys.len());
                if open.len() > MOST_DEPTH {
                    return Err(JsonProblem::NotJson);
                }
                at += 1;
            }
            b'}' | b']' => {
                let first = open.pop().unwrap_or(0);
                if is_repeated(text, &mut keys[first..]) {
                    return Err(JsonProblem::RepeatedKey);
                }
                keys.truncate(first);
                at += 1;
            }
            b'"' => {
                let end = end_of_string(bytes, at);
                // In JSON a colon follows nothing but a key.
                if bytes.get(skip_white_space(bytes, end)) == Some(&b':') {
                    keys.push(key(at + 1, end - 1)?);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    Ok(())
}

fn key(start: usize, end: usize) -> Result<Key, JsonProblem> {
    let position = |at| u32::try_from(at).map_err(|_| JsonProblem::NotJson);
    Ok(Key { start: position(start)?, end: position(end)? })
}

fn is_repeated(text: &str, keys: &mut [Key]) -> bool {
    let inside = |key: &Key| &text[key.start as usize..key.end as usize];
    keys.sort_unstable_by(|one, other| compare(inside(one), inside(other)));
    keys.windows(2).any(|pair| compare(inside(&pair[0]), inside(&pair[1])).is_eq())
}
