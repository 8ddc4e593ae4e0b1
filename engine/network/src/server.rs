//! The HTTP/1.1 server: one request a connection, bounded in everything that a stranger can make
//! grow. A [`Service`] answers the clients.

mod answer;
mod client_check;
mod crowd;
mod doorway;
mod head_reader;
mod http_server;
mod limits;
mod listen;
mod request_head;
mod server_tls;
mod service;
mod socket;
mod visit;
mod visits;

pub use answer::Answer;
pub use http_server::{HttpServer, HttpServerError, HttpServerOptions};
pub use limits::HttpServerLimits;
pub use request_head::{Refusal, RequestHead};
pub use server_tls::HttpServerTls;
pub use service::{Answering, Client, Service};
