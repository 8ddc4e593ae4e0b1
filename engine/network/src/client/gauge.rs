use std::{
    cell::{Cell, RefCell},
    io,
    task::{Context, Poll},
};

use tokio::io::ReadBuf;

use crate::HttpError;

/// Counts a connection's bytes, bounds them, and notes their failure.
pub(crate) struct Gauge {
    received: Cell<u64>,
    /// Bytes that may still be read in this turn.
    left: Cell<usize>,
    failure: RefCell<Option<HttpError>>,
}

impl Gauge {
    /// Lets all bytes come.
    pub fn unbounded() -> Self {
        Self { received: Cell::new(0), left: Cell::new(usize::MAX), failure: RefCell::default() }
    }

    /// Lets about that many bytes come before the next turn.
    pub fn begin_turn(&self, bytes: usize) {
        self.left.set(bytes);
    }

    /// How many bytes have come.
    pub fn received(&self) -> u64 {
        self.received.get()
    }

    /// Why the bytes ended. The errors of h2 have no more than its text.
    pub fn failure(&self) -> Option<HttpError> {
        self.failure.borrow().clone()
    }

    /// Reads by a function, if the turn has bytes left.
    pub fn poll_read(
        &self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        read: impl FnOnce(&mut Context<'_>, &mut ReadBuf<'_>) -> Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        if self.left.get() == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let polled = read(context, buffer);
        let count = buffer.filled().len() - before;
        self.left.set(self.left.get().saturating_sub(count));
        self.received.set(self.received.get() + count as u64);
        self.note(polled)
    }

    pub fn note<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &polled {
            self.failure.borrow_mut().get_or_insert_with(|| HttpError::of_io(error));
        }
        polled
    }
}
