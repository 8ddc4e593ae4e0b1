//! Questions and answers of DNS; RFC 1035 section 4.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const HEADER: usize = 12;
const RECURSION_DESIRED: u16 = 1 << 8;
const IS_ANSWER: u16 = 1 << 15;
const OPCODE: u16 = 0xf << 11;
const AUTHORITATIVE: u16 = 1 << 10;
const TRUNCATED: u16 = 1 << 9;
const RECURSION_AVAILABLE: u16 = 1 << 7;
const CODE: u16 = 0xf;
const CLASS_IN: u16 = 1;
const MOST_LABEL: usize = 63;
const MOST_NAME: usize = 255;

/// The record type of a family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4 = 1,
    V6 = 28,
}

/// A question, as it is sent.
#[derive(Clone)]
pub(super) struct Question {
    pub bytes: Vec<u8>,
    family: Family,
}

/// An answer to a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// RCODE; 0 if there is no error.
    pub code: u8,
    pub is_truncated: bool,
    /// True if the server has asked no other and knows the name itself no better.
    pub is_lame: bool,
    pub addresses: Vec<IpAddr>,
}

impl Question {
    /// None if the name cannot be one of DNS. A name has any characters of ASCII: many machines
    /// have one with an underscore.
    pub fn new(id: u16, name: &str, family: Family) -> Option<Self> {
        let mut bytes = Vec::with_capacity(HEADER + name.len() + 6);
        for word in [id, RECURSION_DESIRED, 1, 0, 0, 0] {
            bytes.extend(word.to_be_bytes());
        }
        for label in name.strip_suffix('.').unwrap_or(name).split('.') {
            let length = u8::try_from(label.len()).ok()?;
            if label.is_empty() || label.len() > MOST_LABEL || !label.is_ascii() {
                return None;
            }
            bytes.push(length);
            bytes.extend(label.bytes());
        }
        bytes.push(0);
        if bytes.len() - HEADER > MOST_NAME {
            return None;
        }
        bytes.extend((family as u16).to_be_bytes());
        bytes.extend(CLASS_IN.to_be_bytes());
        Some(Self { bytes, family })
    }

    /// Reads an answer. None for everything that answers another question.
    pub fn answer(&self, bytes: &[u8]) -> Option<Answer> {
        let mut reader = Reader { bytes, at: 0 };
        let (id, flags) = (reader.word()?, reader.word()?);
        let [questions, records, authorities, _] =
            [reader.word()?, reader.word()?, reader.word()?, reader.word()?];
        if id.to_be_bytes() != self.bytes[..2] || flags & IS_ANSWER == 0 || flags & OPCODE != 0 {
            return None;
        }
        let code = u8::try_from(flags & CODE).ok()?;
        let asked = &self.bytes[HEADER..];
        // A server that does not understand the question may leave it out.
        let repeats = questions == 1 && reader.take(asked.len())?.eq_ignore_ascii_case(asked);
        if !repeats && (questions != 0 || code == 0) {
            return None;
        }
        let is_truncated = flags & TRUNCATED != 0;
        let addresses = if code == 0 { reader.addresses(records, self.family) } else { Vec::new() };
        let knows = flags & (AUTHORITATIVE | RECURSION_AVAILABLE) != 0;
        let is_lame = code == 0 && !knows && records == 0 && authorities > 0;
        Some(Answer { code, is_truncated, is_lame, addresses })
    }
}

struct Record<'a> {
    kind: u16,
    class: u16,
    data: &'a [u8],
}

impl Family {
    fn address(self, data: &[u8]) -> Option<IpAddr> {
        match self {
            Self::V4 => <[u8; 4]>::try_from(data).ok().map(|data| Ipv4Addr::from(data).into()),
            Self::V6 => <[u8; 16]>::try_from(data).ok().map(|data| Ipv6Addr::from(data).into()),
        }
    }
}

/// The part of a message that was not read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn word(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Those of records up to the first that is incomplete. Aliases need no look: the server has
    /// followed them.
    fn addresses(&mut self, records: u16, family: Family) -> Vec<IpAddr> {
        let read = (0..records).map_while(|_| self.record());
        let own = read.filter(|record| record.kind == family as u16 && record.class == CLASS_IN);
        own.filter_map(|record| family.address(record.data)).collect()
    }

    fn record(&mut self) -> Option<Record<'a>> {
        self.skip_name()?;
        let (kind, class) = (self.word()?, self.word()?);
        self.take(4)?;
        let length = self.word()?;
        Some(Record { kind, class, data: self.take(length.into())? })
    }

    /// A name ends with an empty label, or with a pointer.
    fn skip_name(&mut self) -> Option<()> {
        loop {
            match self.take(1)?[0] {
                0 => return Some(()),
                pointer if pointer >= 0xc0 => return self.take(1).map(|_| ()),
                length => self.take(length.into()).map(|_| ())?,
            }
        }
    }
}
