//! The words of name servers, for the error of a lookup.

use std::{cell::RefCell, fmt, io, net::IpAddr};

use super::outcome::Outcome;

/// Everything that was asked in one lookup.
#[derive(Default)]
pub(super) struct Report {
    said: RefCell<Vec<Said>>,
}

struct Said {
    server: IpAddr,
    name: String,
    word: Word,
}

/// The answer of a server, in a few words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    NoSuchName,
    NoAddress,
    Nothing,
    Code(u8),
    Lame,
    Failure(String),
}

impl Report {
    pub fn clear(&self) {
        self.said.borrow_mut().clear();
    }

    /// Notes a question; the number is for `answered`.
    pub fn asked(&self, server: IpAddr, name: &str) -> usize {
        let mut said = self.said.borrow_mut();
        said.push(Said { server, name: name.into(), word: Word::Nothing });
        said.len() - 1
    }

    pub fn answered(&self, question: usize, outcome: &Outcome) {
        let word = match outcome {
            Outcome::Found(_) | Outcome::NoAddress => Word::NoAddress,
            Outcome::NoSuchName => Word::NoSuchName,
            Outcome::Code(code) => Word::Code(*code),
            Outcome::Lame => Word::Lame,
            Outcome::Silent => Word::Nothing,
            Outcome::Failed(error) | Outcome::NoDescriptor(error) => Word::Failure(words_of(error)),
        };
        if let Some(said) = self.said.borrow_mut().get_mut(question) {
            said.word = word;
        }
    }

    /// Drops a question that needs no answer any more.
    pub fn forget_unanswered(&self, name: &str) {
        let is_kept = |said: &Said| said.word != Word::Nothing || said.name != name;
        self.said.borrow_mut().retain(is_kept);
    }

    /// One part for each server and answer. If a server failed, the names that do not exist say
    /// less.
    pub fn text(&self) -> String {
        let said = self.said.borrow();
        let failed = said.iter().any(Said::is_failure);
        let mut parts: Vec<&Said> = Vec::new();
        for one in said.iter().rev().filter(|one| !failed || one.is_failure()) {
            if !parts.iter().any(|part| part.server == one.server && part.word == one.word) {
                parts.insert(0, one);
            }
        }
        let parts: Vec<_> = parts.into_iter().map(ToString::to_string).collect();
        parts.join(", ")
    }
}

impl Said {
    fn is_failure(&self) -> bool {
        self.word > Word::NoAddress
    }
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, name, word } = self;
        let name = name.trim_end_matches('.');
        match word {
            Word::Nothing => write!(formatter, "DNS server {server} has not answered for {name}"),
            Word::Failure(error) => write!(formatter, "DNS server {server}: {error}"),
            Word::NoSuchName => write!(formatter, "DNS server {server}: there is no {name}"),
            Word::NoAddress => write!(formatter, "DNS server {server}: {name} has no address"),
            Word::Lame => write!(formatter, "DNS server {server} knows nothing about {name}"),
            Word::Code(code) => {
                write!(formatter, "DNS server {server} answered {} for {name}", CodeName(*code))
            }
        }
    }
}

/// RFC 1035 section 4.1.1.
struct CodeName(u8);

impl fmt::Display for CodeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => formatter.write_str("FORMERR"),
            2 => formatter.write_str("SERVFAIL"),
            4 => formatter.write_str("NOTIMP"),
            5 => formatter.write_str("REFUSED"),
            code => write!(formatter, "error {code}"),
        }
    }
}

fn words_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        _ => error.to_string(),
    }
}
