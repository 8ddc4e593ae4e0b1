use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

use tokio::sync::Notify;

use super::connection::{Http2Connection, Seat};
use crate::HttpError;

/// Connections by HTTP/2 with one server. A second one is opened if the server takes fewer
/// requests at a time on the first than there are.
const MOST_CONNECTIONS: usize = 16;

/// How a request reaches a server.
pub(crate) enum Way<'a> {
    /// The server speaks HTTP/1.1.
    Http1,
    /// Over a connection that there is.
    Seat(Seat),
    /// Over a new one, which is this request's task.
    Open(Opening<'a>),
}

/// The connections by HTTP/2 with one server. Until the first one has agreed on a protocol, all
/// requests but the one that opens it wait.
#[derive(Default)]
pub(crate) struct Seats {
    connections: RefCell<Vec<Rc<Http2Connection>>>,
    speaks_http1: Cell<bool>,
    opening: Cell<usize>,
    waiting: Cell<usize>,
    /// The error of the attempt to connect that requests wait for.
    attempt: RefCell<Rc<OnceCell<HttpError>>>,
    changed: Rc<Notify>,
}

/// A connection that is being opened. If it is dropped, others that wait try themselves.
pub(crate) struct Opening<'a>(&'a Seats);

struct Waiting<'a>(&'a Seats);

impl Seats {
    /// Waits for a way to the server.
    ///
    /// # Errors
    /// That of the attempt to connect that was waited for.
    pub async fn way(&self) -> Result<Way<'_>, HttpError> {
        loop {
            self.connections.borrow_mut().retain(|connection| connection.is_open());
            if self.speaks_http1.get() {
                return Ok(Way::Http1);
            }
            if let Some(seat) = self.free_seat() {
                return Ok(Way::Seat(seat));
            }
            if self.wants_another() {
                self.opening.set(self.opening.get() + 1);
                return Ok(Way::Open(Opening(self)));
            }
            let attempt = Rc::clone(&self.attempt.borrow());
            self.wait().await;
            if let Some(error) = attempt.get() {
                return Err(error.clone());
            }
        }
    }

    /// Closes the connections that no request uses; how many.
    pub fn close_idle(&self) -> usize {
        let mut connections = self.connections.borrow_mut();
        let before = connections.len();
        connections.retain(|connection| !connection.is_idle());
        before - connections.len()
    }

    pub fn is_empty(&self) -> bool {
        self.connections.borrow().is_empty()
    }

    /// The place in which a connection reports its changes.
    pub fn changed(&self) -> Rc<Notify> {
        Rc::clone(&self.changed)
    }

    fn free_seat(&self) -> Option<Seat> {
        let connections = self.connections.borrow();
        connections.iter().find(|connection| connection.has_room()).map(Http2Connection::take_seat)
    }

    fn wants_another(&self) -> bool {
        let connections = self.connections.borrow();
        let opening = self.opening.get();
        if connections.is_empty() {
            return opening == 0;
        }
        // The next connection is expected to take as many requests as the newest one.
        let limits = connections.iter().map(|connection| connection.limit());
        let Some(limit) = limits.reduce(Option::and).flatten() else {
            return false;
        };
        connections.len() + opening < MOST_CONNECTIONS && opening * limit <= self.waiting.get()
    }

    async fn wait(&self) {
        self.waiting.set(self.waiting.get() + 1);
        let _waiting = Waiting(self);
        self.changed.notified().await;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get() - 1);
    }
}

impl Opening<'_> {
    /// Takes the new connection, for this request and for others.
    pub fn opened(self, connection: Rc<Http2Connection>) -> Seat {
        let seat = connection.take_seat();
        self.0.connections.borrow_mut().push(connection);
        seat
    }

    /// Has all requests use HTTP/1.1.
    pub fn speaks_http1(self) {
        self.0.connections.take();
        self.0.speaks_http1.set(true);
    }

    /// Tells those that wait for the first connection why there is none.
    pub fn failed(self, error: &HttpError) {
        if self.0.is_empty() {
            // A new attempt gets a separate cell, so that this one is empty.
            let _ = self.0.attempt.take().set(error.clone());
        }
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.opening.set(self.0.opening.get() - 1);
        self.0.changed.notify_waiters();
    }
}
