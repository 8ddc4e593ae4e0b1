use std::{error::Error, fmt};

/// Why a stream is over, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentEnd {
    /// As `gRPC status 7: not a descendant`.
    pub reason: String,
}

impl AgentEnd {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    pub(super) fn of_h2(error: &h2::Error) -> Self {
        match error.reason() {
            // RFC 9113 section 7 has the names.
            Some(reason) => Self::new(format!("the stream was closed: {reason:?}")),
            None => Self::new("the connection was closed"),
        }
    }
}

impl fmt::Display for AgentEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl Error for AgentEnd {}
