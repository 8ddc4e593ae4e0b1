use std::{cell::OnceCell, ops::Range, rc::Rc, str};

use super::{
    escapes::{CodePoints, is_surrogate, push_escaped, push_utf8},
    parse::{JsonProblem, check},
    scan::{end_of_string, end_of_value, skip_white_space},
};
use crate::{SecretBuilder, SecretBytes};

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `{}`
    Object,
    /// `[]`
    Array,
    /// A text.
    String,
    /// A number, to the letter.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`
    Null,
}

/// A value in a JSON text that stays a secret. It keeps all of the text in memory.
///
/// The members of an object are in the order of the text. `JSON.parse` of ECMAScript differs: it
/// puts keys that are integers first. Numbers keep every character.
#[derive(Clone)]
pub struct SecretJson {
    text: SecretBytes,
    value: Range<usize>,
    members: Rc<OnceCell<Members>>,
}

/// The members of an object, found when the first is asked for. Their names are not secrets.
struct Members {
    in_order: Vec<(String, Range<usize>)>,
    /// Indices of `in_order`.
    by_name: Vec<usize>,
}

impl SecretBytes {
    /// Parses JSON; RFC 8259.
    ///
    /// # Errors
    /// `NotJson`, or `RepeatedKey` if an object in it names a key twice.
    pub fn parse_json(&self) -> Result<SecretJson, JsonProblem> {
        SecretJson::parse(self)
    }
}

impl SecretJson {
    fn parse(text: &SecretBytes) -> Result<Self, JsonProblem> {
        let bytes = check(text.expose())?.as_bytes();
        let start = skip_white_space(bytes, 0);
        let value = start..end_of_value(bytes, start);
        Ok(Self { text: text.clone(), value, members: Rc::default() })
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(&self) -> JsonKind {
        match self.source().bytes().next() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Boolean,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The names of an object's members, in the order of the text; else empty. A lone surrogate in
    /// one is U+FFFD here, and `is_well_formed` tells.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        self.members().in_order.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// An object's member of that name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let members = self.members();
        let name_of = |index: usize| members.in_order[index].0.as_str();
        let at = members.by_name.partition_point(|index| name_of(*index) < name);
        let index = *members.by_name.get(at)?;
        (name_of(index) == name).then(|| self.part(members.in_order[index].1.clone()))
    }

    /// The items of an array; else empty.
    #[must_use]
    pub fn items(&self) -> Vec<Self> {
        if self.kind() != JsonKind::Array {
            return Vec::new();
        }
        self.parts(|_, at| at).map(|(_, value)| self.part(value)).collect()
    }

    /// False if a text in it, or a name, has a lone surrogate, which has no UTF-8.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        let source = self.source();
        let mut at = 0;
        while let Some(ahead) = memchr::memchr(b'"', &source.as_bytes()[at..]) {
            let start = at + ahead;
            at = end_of_string(source.as_bytes(), start);
            if CodePoints::of(&source[start + 1..at - 1]).any(is_surrogate) {
                return false;
            }
        }
        true
    }

    /// As it is delivered: a string's text in UTF-8, anything else as JSON without white space,
    /// with escapes as `JSON.stringify` writes them and numbers to the letter.
    #[must_use]
    pub fn bytes(&self) -> SecretBytes {
        let source = self.source();
        if self.kind() != JsonKind::String {
            return compact(source);
        }
        let inside = &source[1..source.len() - 1];
        if !inside.contains('\\') {
            return SecretBytes::copy_of(inside.as_bytes());
        }
        let mut builder = SecretBuilder::with_capacity(inside.len());
        CodePoints::of(inside).for_each(|code_point| push_utf8(&mut builder, code_point));
        builder.finish()
    }

    /// The same as a text, for messages and decisions.
    #[must_use]
    pub fn open(&self) -> String {
        String::from_utf8_lossy(self.bytes().expose()).into_owned()
    }

    fn source(&self) -> &str {
        // `check` found all of the text to be UTF-8.
        str::from_utf8(&self.text.expose()[self.value.clone()]).unwrap_or_default()
    }

    fn part(&self, value: Range<usize>) -> Self {
        Self { text: self.text.clone(), value, members: Rc::default() }
    }

    fn members(&self) -> &Members {
        self.members.get_or_init(|| {
            let bytes = self.text.expose();
            let in_order: Vec<_> = match self.kind() {
                JsonKind::Object => {
                    self.parts(behind_name).map(|(at, value)| (name_at(bytes, at), value)).collect()
                }
                _ => Vec::new(),
            };
            let mut by_name: Vec<usize> = (0..in_order.len()).collect();
            by_name.sort_by(|one, other| in_order[*one].0.cmp(&in_order[*other].0));
            Members { in_order, by_name }
        })
    }

    /// The place of each member or item, and its value. `value_of` leads from the one to the other.
    fn parts(
        &self,
        value_of: impl Fn(&[u8], usize) -> usize,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let bytes = self.text.expose();
        let mut at = skip_white_space(bytes, self.value.start + 1);
        std::iter::from_fn(move || {
            if matches!(bytes.get(at)?, b'}' | b']') {
                return None;
            }
            let first = at;
            let start = value_of(bytes, first);
            let end = end_of_value(bytes, start);
            at = skip_white_space(bytes, end);
            if bytes.get(at) == Some(&b',') {
                at = skip_white_space(bytes, at + 1);
            }
            Some((first, start..end))
        })
    }
}

/// The index of the value whose name begins at `at`.
fn behind_name(bytes: &[u8], at: usize) -> usize {
    let colon = skip_white_space(bytes, end_of_string(bytes, at));
    skip_white_space(bytes, colon + 1)
}

fn name_at(bytes: &[u8], at: usize) -> String {
    let inside = str::from_utf8(&bytes[at + 1..end_of_string(bytes, at) - 1]).unwrap_or_default();
    CodePoints::of(inside)
        .map(|code_point| char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn compact(source: &str) -> SecretBytes {
    let bytes = source.as_bytes();
    let mut builder = SecretBuilder::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let word = bytes[at..].iter().take_while(|byte| !b"\" \t\r\n".contains(byte)).count();
        builder.push(&bytes[at..at + word]);
        at = skip_white_space(bytes, at + word);
        if bytes.get(at) == Some(&b'"') {
            let end = end_of_string(bytes, at);
            builder.push(b"\"");
            CodePoints::of(&source[at + 1..end - 1])
                .for_each(|code_point| push_escaped(&mut builder, code_point));
            builder.push(b"\"");
            at = end;
        }
    }
    builder.finish()
}
