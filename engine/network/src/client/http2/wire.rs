use std::{
    cell::{Cell, RefCell},
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{HttpError, client::Stream};

/// Bytes that a connection reads before the requests on it take theirs. Frames that no window
/// bounds, as those of answers 1xx, are held no longer than that.
const TURN_BYTES: usize = 64 << 10;

/// Limits and failures of a connection's bytes.
#[derive(Default)]
pub(super) struct Gauge {
    left: Cell<usize>,
    failure: RefCell<Option<HttpError>>,
}

impl Gauge {
    /// Lets the connection read on.
    pub fn begin_turn(&self) {
        self.left.set(TURN_BYTES);
    }

    /// Why the bytes ended. The errors of h2 have no more than its text.
    pub fn failure(&self) -> Option<HttpError> {
        self.failure.borrow().clone()
    }

    fn note<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &polled {
            self.failure.borrow_mut().get_or_insert_with(|| HttpError::of_io(error));
        }
        polled
    }
}

/// A connection's bytes, a bounded number at a turn.
pub(super) struct GaugedWire {
    pub stream: Stream,
    pub gauge: Rc<Gauge>,
}

impl AsyncRead for GaugedWire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.gauge.left.get();
        if left == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.gauge.left.set(left.saturating_sub(buffer.filled().len() - before));
        self.gauge.note(polled)
    }
}

impl AsyncWrite for GaugedWire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.gauge.note(polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.gauge.note(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
