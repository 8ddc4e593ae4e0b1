use std::{
    cell::Cell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpStream, UnixStream},
};
use tokio_rustls::client::TlsStream;

/// A connection's bytes, through TLS or not. It counts those that come.
pub(crate) struct Stream {
    pub wire: Wire,
    /// Bytes of HTTP that have come so far.
    pub received: Rc<Cell<u64>>,
}

pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

impl Wire {
    /// Whether HTTP/2 was agreed on; without TLS nothing is.
    pub fn speaks_http2(&self) -> bool {
        match self {
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
            Self::Plain(_) | Self::Unix(_) => false,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = match &mut self.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Wire::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
            Wire::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        let count = buffer.filled().len() - before;
        self.received.set(self.received.get() + count as u64);
        polled
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Wire::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
            Wire::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_flush(context),
            Wire::Tls(stream) => Pin::new(stream).poll_flush(context),
            Wire::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Wire::Tls(stream) => Pin::new(stream).poll_shutdown(context),
            Wire::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
