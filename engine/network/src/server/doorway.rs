use std::{
    cell::RefCell,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Poll, ready},
};

use svc_secrets::{Stack, guarded, guarded_on};
use tokio::io::{AsyncRead, ReadBuf};

const ROOM_BYTES: usize = 4 << 10;

/// The room that all bytes of clients pass through, in locked pages. There is one for all
/// connections: a crowd cannot use RLIMIT_MEMLOCK up by it.
pub(super) struct Doorway {
    room: RefCell<Vec<u8>>,
    /// Whether buffers of TLS are in locked pages, too.
    guards_tls: bool,
}

impl Doorway {
    pub fn new(guards_tls: bool) -> Self {
        Self { room: RefCell::default(), guards_tls }
    }

    /// Does work of TLS on a connection, in locked pages if that is wanted.
    pub fn work<R>(&self, work: impl FnOnce() -> R) -> R {
        if self.guards_tls { guarded(work) } else { work() }
    }

    /// Waits for bytes, and hands `take` those that have come, at most `most`. Nothing of them
    /// stays in the room. `None` at the end of the stream.
    pub async fn read<R>(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
        most: usize,
        mut take: impl FnMut(&[u8]) -> R,
    ) -> io::Result<Option<R>> {
        poll_fn(|context| {
            let mut room = self.room.borrow_mut();
            if room.is_empty() {
                *room = guarded_on(Stack::Small, || vec![0; ROOM_BYTES]);
            }
            let mut buffer = ReadBuf::new(&mut room[..most.min(ROOM_BYTES)]);
            ready!(self.work(|| Pin::new(&mut *stream).poll_read(context, &mut buffer)))?;
            let length = buffer.filled().len();
            let taken = (length > 0).then(|| take(&room[..length]));
            room[..length].fill(0);
            Poll::Ready(Ok(taken))
        })
        .await
    }
}
