//! The HTTP/1.1 server: one request a connection, bounded in everything that a stranger can make
//! grow. It decides nothing: a [`Doorkeeper`] lets clients in, a [`Service`] answers them.

mod answer;
mod client_check;
mod door;
mod door_tls;
mod listen;
mod request_head;
mod service;
mod socket;
mod visit;
mod visits;

pub use answer::Answer;
pub use door::{Door, DoorError, DoorLimits, DoorOptions};
pub use door_tls::DoorTls;
pub use request_head::{Refusal, RequestHead};
pub use service::{Answering, Client, Doorkeeper, Entry, Service};
