use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    rc::Rc,
    task::Poll,
};

use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use svc_secrets::{Stack, guarded_on, poll_guarded};
use tokio::task::yield_now;

use super::{
    gauge::Gauge,
    request_body::RequestBody,
    stream::{Stream, Wire},
};
use crate::HttpError;

/// Longest head of an answer, and the most that is read at once.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// The same if locked memory is short.
const SMALL_HEAD_BYTES: usize = 4 << 10;
const MAX_HEADERS: usize = 128;

/// A connection and all that moves on it: nothing else runs for it, so that it closes when it is
/// dropped.
pub(super) struct Connection {
    pub sender: SendRequest<RequestBody>,
    driver: Option<http1::Connection<TokioIo<Stream>, RequestBody>>,
    gauge: Rc<Gauge>,
    /// The result of a poll of it.
    stack: Stack,
}

impl Connection {
    /// With `is_small` it takes less memory, and no answer with a head of more than 4 KiB.
    pub async fn over(wire: Wire, is_small: bool) -> Result<Self, HttpError> {
        let gauge = Rc::new(Gauge::unbounded());
        let stack = if matches!(wire, Wire::Tls(_)) { Stack::Large } else { Stack::Medium };
        let stream = TokioIo::new(Stream { wire, gauge: Rc::clone(&gauge) });
        let mut builder = http1::Builder::new();
        builder.max_headers(MAX_HEADERS);
        if is_small {
            builder.read_buf_exact_size(Some(SMALL_HEAD_BYTES));
        } else {
            builder.max_buf_size(MAX_HEAD_BYTES);
        }
        let made = poll_guarded(builder.handshake(stream)).await;
        let (sender, driver) = made.map_err(|error| HttpError::of_cause(&error))?;
        Ok(Self { sender, driver: Some(driver), gauge, stack })
    }

    /// How many bytes of answers have come.
    pub fn received(&self) -> u64 {
        self.gauge.received()
    }

    /// Waits for something that comes over the connection. Its buffers are in locked memory.
    pub async fn drive<T>(&mut self, work: impl Future<Output = T>) -> T {
        let (driver, stack) = (&mut self.driver, self.stack);
        let mut work = pin!(work);
        poll_fn(|context| {
            guarded_on(stack, || {
                // Its error comes out of the work, too.
                if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(context).is_ready()) {
                    *driver = None;
                }
                work.as_mut().poll(context)
            })
        })
        .await
    }

    /// Whether another request can be sent. Bytes and ends that the kernel has are noticed.
    pub async fn is_usable(&mut self) -> bool {
        // The runtime asks the kernel between two turns.
        self.drive(yield_now()).await;
        self.is_ready().await
    }

    /// Whether the last exchange left it ready for another one.
    pub async fn is_ready(&mut self) -> bool {
        self.drive(async {}).await;
        let sender = &mut self.sender;
        let is_ready = poll_fn(|context| {
            Poll::Ready(matches!(sender.poll_ready(context), Poll::Ready(Ok(()))))
        });
        is_ready.await && self.driver.is_some()
    }
}
