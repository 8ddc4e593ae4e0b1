//! HTTP/2 over TLS: many requests on one connection; RFC 9113.

mod connection;
mod exchange;
mod seats;
mod signal;

pub(super) use connection::{Http2Connection, Seat};
pub(super) use exchange::exchange;
pub(super) use seats::{Seats, Way};
