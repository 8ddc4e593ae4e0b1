//! The engine's network: HTTP client and server, TLS and DNS.
//!
//! - [`HttpClient`] sends requests over one connection by HTTP/2 if TLS agrees on it, and over a
//!   small pool of them by HTTP/1.1. It follows no redirect, asks no proxy, and unpacks nothing.
//!   Bodies of answers are secrets from the first byte on.
//! - [`HttpServer`] serves requests, one a connection, and bounds connections, time and bytes.
//! - [`agent`] has the stream to the kernel agent: gRPC over HTTP/2.
//! - TLS is rustls with ring; [`HttpTls`] has its CA certificates.
//! - Names are looked up as /etc/hosts and /etc/resolv.conf say, without the system's resolver.
//!
//! Everything is for one thread: a tokio runtime of the flavor `current_thread`, with io and time
//! enabled. No thread is ever started. A future that is dropped closes its connection, or resets
//! its stream.
//!
//! No error quotes a request or an answer.

pub mod agent;
mod client;
mod dns;
mod fault;
mod headers;
mod server;
mod sys;
mod tls;

pub use client::{BodyPart, HttpClient, HttpRequest, HttpResponse, InvalidRequest};
pub use fault::{HttpError, HttpFault};
pub use server::{
    Answer, Answering, Client, HttpServer, HttpServerError, HttpServerLimits, HttpServerOptions,
    HttpServerTls, Refusal, RequestHead, Service,
};
pub use tls::{HttpTls, PrivateKeyVerdict, are_certificates, belong_together, judge_private_key};
