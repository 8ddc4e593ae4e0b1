//! The HTTP client: HTTP/1.1, and HTTP/2 if TLS agrees on it.

mod connect;
mod connection;
mod exchange;
mod gauge;
mod http2;
mod http_client;
mod pool;
mod request;
mod request_body;
mod stream;

pub(crate) use connect::{NotConnected, connect};
pub use exchange::HttpResponse;
pub(crate) use gauge::Gauge;
pub use http_client::HttpClient;
pub(crate) use request::Origin;
pub use request::{BodyPart, HttpRequest, InvalidRequest};
pub(crate) use stream::{Stream, Wire};
