use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    pin::{Pin, pin},
    rc::Rc,
    sync::Arc,
    task::{Context, Waker},
};

use bytes::Bytes;
use h2::client::{Builder, Connection, SendRequest};
use svc_secrets::{Stack, guarded, guarded_on, poll_guarded};
use tokio::{sync::Notify, task::yield_now};

use super::signal::Signal;
use crate::{
    HttpError,
    client::{Gauge, Stream, Wire},
};

/// Longest list of headers of an answer, as RFC 9113 section 6.5.2 counts it.
const MAX_HEAD_BYTES: u32 = 16 << 10;
/// Bytes of a body that a server may send ahead of its request.
const STREAM_WINDOW: u32 = 64 << 10;
/// Bytes of all bodies that a server may send ahead.
const CONNECTION_WINDOW: u32 = 256 << 10;
/// Bytes that a connection reads before the requests on it take theirs. Frames that no window
/// bounds, as those of answers 1xx, are held no longer than that.
const TURN_BYTES: usize = 64 << 10;
/// Requests at a time on a connection, if the server allows more or says nothing.
const MOST_STREAMS: usize = 256;
/// Stands for a limit that the server has not told. A limit has 32 bits, none is `usize::MAX`.
const UNTOLD: usize = usize::MAX - 1;

/// A connection that several requests use at a time. Nothing else runs for it: one of the requests
/// moves it for all of them, so that it closes when it is dropped. A request that is not polled any
/// more has to be dropped, or the others may wait for it.
pub(crate) struct Http2Connection {
    sender: SendRequest<Bytes>,
    /// Nothing once the connection is closed.
    driver: RefCell<Option<Connection<Stream, Bytes>>>,
    signal: Arc<Signal>,
    /// Raises the signal.
    waker: Waker,
    gauge: Rc<Gauge>,
    seats: Cell<usize>,
    last_seat: Cell<u64>,
    /// Requests that the server takes at a time, once it has told.
    limit: Cell<Option<usize>>,
    is_retired: Cell<bool>,
    has_answered: Cell<bool>,
    /// True if no request has moved it for a while.
    is_doubtful: Cell<bool>,
    /// Notified of everything that another request may wait for.
    changed: Rc<Notify>,
}

/// A request's place on a connection.
pub(crate) struct Seat {
    pub connection: Rc<Http2Connection>,
    number: u64,
    /// Bytes that had come before.
    received: u64,
    is_done: Cell<bool>,
}

impl Http2Connection {
    /// Begins HTTP/2. The server's first frame is not waited for.
    pub async fn over(wire: Wire, changed: Rc<Notify>) -> Result<Rc<Self>, HttpError> {
        let gauge = Rc::new(Gauge::unbounded());
        let stream = Stream { wire, gauge: Rc::clone(&gauge) };
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .max_header_list_size(MAX_HEAD_BYTES)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(UNTOLD);
        let made = poll_guarded(builder.handshake(stream)).await;
        let (sender, driver) =
            made.map_err(|error| gauge.failure().unwrap_or_else(|| HttpError::of_h2(&error)))?;
        let signal = Arc::new(Signal::raised());
        let waker = Waker::from(Arc::clone(&signal));
        let new = || Self {
            sender,
            driver: RefCell::new(Some(driver)),
            signal,
            waker,
            gauge,
            seats: Cell::new(0),
            last_seat: Cell::new(0),
            limit: Cell::new(None),
            is_retired: Cell::new(false),
            has_answered: Cell::new(false),
            is_doubtful: Cell::new(false),
            changed,
        };
        Ok(guarded(|| Rc::new(new())))
    }

    /// Whether requests may still be sent.
    pub fn is_open(&self) -> bool {
        !self.is_retired.get() && self.driver.borrow().is_some()
    }

    pub fn is_idle(&self) -> bool {
        self.seats.get() == 0
    }

    /// How many requests at a time it takes, once the server has told.
    pub fn limit(&self) -> Option<usize> {
        self.limit.get()
    }

    /// Before the server has told its limit a single request is sent.
    pub fn has_room(&self) -> bool {
        self.is_open() && self.seats.get() < self.limit.get().unwrap_or(1)
    }

    pub fn take_seat(self: &Rc<Self>) -> Seat {
        self.seats.set(self.seats.get() + 1);
        self.last_seat.set(self.last_seat.get() + 1);
        Seat {
            connection: Rc::clone(self),
            number: self.last_seat.get(),
            received: self.gauge.received(),
            is_done: Cell::new(true),
        }
    }

    pub fn sender(&self) -> SendRequest<Bytes> {
        self.sender.clone()
    }

    /// Notes the head of an answer.
    pub fn answered(&self) {
        self.has_answered.set(true);
    }

    /// Whether an answer has ever come.
    pub fn has_answered(&self) -> bool {
        self.has_answered.get()
    }

    /// Has no further request sent. Those that were sent go on.
    pub fn retire(&self) {
        if !self.is_retired.replace(true) {
            self.changed.notify_waiters();
        }
    }

    /// Why the bytes ended, if they did by an error.
    pub fn failure(&self) -> Option<HttpError> {
        self.gauge.failure()
    }

    /// Sends and receives frames. Its buffers are in locked memory.
    fn advance(&self) {
        if !self.signal.lower() {
            return;
        }
        let mut driver = self.driver.borrow_mut();
        let Some(moving) = driver.as_mut() else { return };
        self.gauge.begin_turn(TURN_BYTES);
        let moved = Pin::new(&mut *moving).poll(&mut Context::from_waker(&self.waker));
        let told = moving.max_concurrent_send_streams();
        let limit = (told != UNTOLD).then(|| told.clamp(1, MOST_STREAMS));
        let is_changed = self.limit.replace(limit) != limit || moved.is_ready();
        if moved.is_ready() {
            // Its error comes out of the requests, too.
            *driver = None;
        }
        if is_changed {
            self.changed.notify_waiters();
        }
    }
}

impl Seat {
    /// Waits for something that comes over the connection.
    pub async fn drive<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let connection = &self.connection;
        poll_fn(|context| {
            // TLS takes the most.
            let moves = connection.signal.is_raised() || connection.seats.get() == 1;
            guarded_on(if moves { Stack::Large } else { Stack::Medium }, || {
                connection.signal.wait(self.number, context.waker());
                connection.advance();
                let polled = work.as_mut().poll(context);
                if polled.is_pending() && connection.seats.get() == 1 {
                    // No other request has frames that could leave together with these.
                    connection.advance();
                }
                polled
            })
        })
        .await
    }

    /// Whether a request can be sent. Frames and ends that the kernel has are noticed on a kept
    /// connection that no request has moved.
    pub async fn is_usable(&self) -> bool {
        if self.connection.is_doubtful.get() {
            // The runtime asks the kernel between two turns.
            self.drive(yield_now()).await;
            self.drive(async {}).await;
            self.connection.is_doubtful.set(false);
        }
        self.connection.is_open()
    }

    /// Notes that a request is sent, and that its answer has not come.
    pub fn begin(&self) {
        self.is_done.set(false);
    }

    /// Notes the answer, or why there is none.
    pub fn end(&self) {
        self.is_done.set(true);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let connection = &self.connection;
        if !connection.signal.leave(self.number) {
            // The reset of a stream, or a window's update: no other request is there to send it.
            guarded(|| connection.advance());
        }
        if !self.is_done.get() && connection.gauge.received() == self.received {
            // It was given up, and the server has said nothing meanwhile: it may be gone.
            connection.retire();
        }
        connection.seats.set(connection.seats.get() - 1);
        connection.is_doubtful.set(connection.is_idle());
        connection.changed.notify_one();
    }
}
