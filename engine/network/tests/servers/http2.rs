//! Servers of HTTP/2 over TLS. Frames are written by hand if a test is about frames.

use std::{future::Future, sync::Arc};

use bytes::Bytes;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{Authority, Server, serve};

// RFC 9113 section 6.
pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const CONTINUATION: u8 = 9;
pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;
/// `:status: 200`; RFC 7541 appendix A.
pub const STATUS_200: u8 = 0x88;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A configuration that takes HTTP/2, and HTTP/1.1 if a client does not.
pub fn with_http2(mut config: ServerConfig) -> ServerConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

/// A server whose certificate no client checks.
fn own_config() -> ServerConfig {
    with_http2(Authority::new().issue(&["127.0.0.1"]).server_config(None))
}

/// A request of a connection, and the way to answer it.
pub type Asked = (http::Request<h2::RecvStream>, h2::server::SendResponse<Bytes>);

/// Answers each request by a separate task, that many at a time on a connection.
pub async fn answering<Answer, Answering>(most: u32, answer: Answer) -> Server
where
    Answer: Fn(Asked) -> Answering + Clone + Send + 'static,
    Answering: Future<Output = Option<()>> + Send + 'static,
{
    answering_as(own_config(), most, answer).await
}

/// The same with a certificate.
pub async fn answering_as<Answer, Answering>(
    config: ServerConfig,
    most: u32,
    answer: Answer,
) -> Server
where
    Answer: Fn(Asked) -> Answering + Clone + Send + 'static,
    Answering: Future<Output = Option<()>> + Send + 'static,
{
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream, _| {
        let (acceptor, answer) = (acceptor.clone(), answer.clone());
        async move {
            let stream = acceptor.accept(stream).await.ok()?;
            let mut builder = h2::server::Builder::new();
            let handshake = builder.max_concurrent_streams(most).handshake(stream);
            let mut connection = handshake.await.ok()?;
            while let Some(Ok(asked)) = connection.accept().await {
                tokio::spawn(answer(asked));
            }
            Some(())
        }
    })
    .await
}

/// Sends a whole answer.
pub fn answer(mut respond: h2::server::SendResponse<Bytes>, body: &str) -> Option<()> {
    let mut stream = respond.send_response(http::Response::new(()), false).ok()?;
    stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true).ok()
}

/// A connection's frames, by hand.
pub struct Frames(TlsStream<TcpStream>);

/// A frame that has come.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// Serves each connection by `talk`, once the client has said that it speaks HTTP/2.
pub async fn by_frames<Talk, Talking>(talk: Talk) -> Server
where
    Talk: Fn(Frames, usize) -> Talking + Clone + Send + 'static,
    Talking: Future<Output = Option<()>> + Send + 'static,
{
    let acceptor = TlsAcceptor::from(Arc::new(own_config()));
    serve(move |stream, before| {
        let (acceptor, talk) = (acceptor.clone(), talk.clone());
        async move {
            let mut stream = acceptor.accept(stream).await.ok()?;
            let mut preface = [0; PREFACE.len()];
            stream.read_exact(&mut preface).await.ok()?;
            assert_eq!(preface, PREFACE);
            talk(Frames(stream), before).await
        }
    })
    .await
}

/// A frame's bytes.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header that no table has; RFC 7541 section 6.2.2.
pub fn header(name: &str, value: &str) -> Vec<u8> {
    assert!(name.len() < 127);
    let mut bytes = vec![0, u8::try_from(name.len()).unwrap()];
    bytes.extend(name.as_bytes());
    // An integer with a prefix of seven bits; section 5.1.
    match value.len().checked_sub(127) {
        None => bytes.push(u8::try_from(value.len()).unwrap()),
        Some(mut rest) => {
            bytes.push(127);
            while rest >= 128 {
                bytes.push(u8::try_from(rest % 128).unwrap() | 128);
                rest /= 128;
            }
            bytes.push(u8::try_from(rest).unwrap());
        }
    }
    bytes.extend(value.as_bytes());
    bytes
}

/// The frames of a head. One frame has 16 KiB.
pub fn head(stream: u32, fields: &[u8]) -> Vec<u8> {
    let block = [&[STATUS_200], fields].concat();
    let parts: Vec<_> = block.chunks(16 << 10).collect();
    let mut bytes = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let kind = if index == 0 { HEADERS } else { CONTINUATION };
        let flags = if index + 1 == parts.len() { END_HEADERS } else { 0 };
        bytes.extend(frame(kind, flags, stream, part));
    }
    bytes
}

/// The frames of a whole answer.
pub fn answer_frames(stream: u32, body: &str) -> Vec<u8> {
    [head(stream, &[]), frame(DATA, END_STREAM, stream, body.as_bytes())].concat()
}

impl Frames {
    /// Sends settings, which allow any number of streams.
    pub async fn settings(&mut self) -> Option<()> {
        self.write(&frame(SETTINGS, 0, 0, &[])).await
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Option<()> {
        self.0.write_all(bytes).await.ok()?;
        self.0.flush().await.ok()
    }

    /// The next frame; nothing at the connection's end.
    pub async fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let number = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        let mut payload = vec![0; usize::try_from(number(&head[..3])).unwrap()];
        self.0.read_exact(&mut payload).await.ok()?;
        Some(Frame { kind: head[3], flags: head[4], stream: number(&head[5..]), payload })
    }

    /// The next frame of a kind, past others.
    pub async fn next_of(&mut self, kind: u8) -> Option<Frame> {
        loop {
            let found = self.next().await?;
            if found.kind == kind {
                return Some(found);
            }
        }
    }

    /// The stream of the next request.
    pub async fn request(&mut self) -> Option<u32> {
        Some(self.next_of(HEADERS).await?.stream)
    }

    /// Waits until the client has read and answered everything so far; the requests meanwhile.
    pub async fn ping(&mut self) -> Option<usize> {
        self.write(&frame(PING, 0, 0, &[7; 8])).await?;
        let mut requests = 0;
        loop {
            let found = self.next().await?;
            match found.kind {
                HEADERS => requests += 1,
                PING if found.flags == ACK => return Some(requests),
                _ => {}
            }
        }
    }

    /// Waits for the client to end the connection.
    pub async fn end(&mut self) {
        while self.next().await.is_some() {}
    }
}
