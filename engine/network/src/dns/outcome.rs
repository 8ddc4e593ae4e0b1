//! The results of questions.

use std::{io, net::IpAddr};

use super::message::Answer;

// errno(3)
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
// RFC 1035 section 4.1.1
const NAME_ERROR: u8 = 3;

/// Why there is no address for a name.
#[derive(Debug)]
pub(crate) enum LookupError {
    /// The process or the machine has no descriptor left: `EMFILE` or `ENFILE`.
    NoDescriptor(io::Error),
    /// The words of the servers.
    NotFound(String),
}

/// The result of a question.
#[derive(Debug)]
pub(super) enum Outcome {
    Found(Vec<IpAddr>),
    /// The name does not exist, for no record type.
    NoSuchName,
    /// It exists, without an address of the family.
    NoAddress,
    /// The server answers with an error.
    Code(u8),
    Lame,
    Silent,
    Failed(io::Error),
    NoDescriptor(io::Error),
}

impl Outcome {
    pub fn of(answered: io::Result<Answer>) -> Self {
        match answered {
            Ok(Answer { is_lame: true, .. }) => Self::Lame,
            Ok(Answer { code: 0, addresses, .. }) if addresses.is_empty() => Self::NoAddress,
            Ok(Answer { code: 0, addresses, .. }) => Self::Found(addresses),
            Ok(Answer { code: NAME_ERROR, .. }) => Self::NoSuchName,
            Ok(Answer { code, .. }) => Self::Code(code),
            Err(error) if matches!(error.raw_os_error(), Some(EMFILE | ENFILE)) => {
                Self::NoDescriptor(error)
            }
            Err(error) => Self::Failed(error),
        }
    }

    /// True if the other family can add something, but change nothing.
    pub fn settles(&self) -> bool {
        matches!(self, Self::Found(_) | Self::NoSuchName)
    }

    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Found(mut addresses), Self::Found(more)) => {
                addresses.extend(more);
                Self::Found(addresses)
            }
            (found @ Self::Found(_), _) | (_, found @ Self::Found(_)) => found,
            (none @ Self::NoDescriptor(_), _) | (_, none @ Self::NoDescriptor(_)) => none,
            (settled @ Self::NoSuchName, _) | (_, settled @ Self::NoSuchName) => settled,
            (silent @ Self::Silent, _) | (_, silent @ Self::Silent) => silent,
            (first, _) => first,
        }
    }
}
