//! The HTTP/1.1 client.

mod connect;
mod connection;
mod exchange;
mod http_client;
mod pool;
mod request;
mod request_body;
mod stream;

pub(crate) use connect::{NotConnected, connect};
pub use exchange::HttpResponse;
pub use http_client::HttpClient;
pub(crate) use request::Origin;
pub use request::{BodyPart, HttpRequest, InvalidRequest};
pub(crate) use stream::{Stream, Wire};
