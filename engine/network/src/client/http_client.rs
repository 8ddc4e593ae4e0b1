use std::{io, rc::Rc};

use super::{
    connect::{NotConnected, connect},
    connection::Connection,
    exchange::{Failed, HttpResponse, exchange},
    http2::{self, Http2Connection, Seat, Way},
    pool::{Busy, Place, Pool, PoolKey, Pools},
    request::HttpRequest,
};
use crate::{
    HttpError, HttpFault,
    dns::Names,
    tls::{Session, Sessions},
};

/// The default number of connections by HTTP/1.1 with one server.
const MOST_CONNECTIONS: usize = 32;

/// Sends requests, over a few connections with each server. Connections are kept for the next
/// request.
///
/// Over TLS it offers HTTP/2, and sends all requests over one connection if the server takes
/// it. A second one is opened if the server takes fewer requests at a time than there are.
///
/// Buffers of a connection keep bytes of its last exchange until it is closed: `close_idle` when
/// no more requests are about to come. They are in locked memory, 30 to 70 KiB for a connection.
pub struct HttpClient {
    names: Names,
    sessions: Sessions,
    pools: Pools,
    offers_http2: bool,
}

/// A request on its way.
struct Sending<'a> {
    client: &'a HttpClient,
    request: &'a HttpRequest,
    session: Option<&'a Session>,
    pool: &'a Pool,
}

/// How HTTP/2 ended.
enum Sent {
    Done(HttpResponse),
    /// The server speaks HTTP/1.1, perhaps on a connection that was opened to learn that.
    Http1(Option<Box<Connection>>),
}

/// The protocol of another connection.
enum Opened {
    Http1(Box<Connection>),
    Http2(Rc<Http2Connection>),
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl HttpClient {
    /// A client without a connection. It reads no file before the first request.
    #[must_use]
    pub fn new() -> Self {
        Self { offers_http2: true, ..Self::with_connections(MOST_CONNECTIONS) }
    }

    /// The same by HTTP/1.1 alone, whose buffers are smaller: for processes that may lock little
    /// memory. That number of connections at a time with each server, at least one and at most 32.
    /// A single one has smaller buffers still, and takes no answer with a head of more than 4 KiB.
    #[must_use]
    pub fn with_connections(most: usize) -> Self {
        let pools = Pools::new(most.clamp(1, MOST_CONNECTIONS));
        let (names, sessions) = (Names::default(), Sessions::default());
        Self { names, sessions, pools, offers_http2: false }
    }

    /// Sends a request and reads the whole answer. If the future is dropped, its connection
    /// closes at once; by HTTP/2 its stream is reset. One that is not polled any more has to be
    /// dropped: others on its connection may wait for it.
    ///
    /// A connection may break under a request, because the server had enough of it. A request that
    /// the server has not processed is then sent over another one, once. So is one that had left
    /// without a byte of an answer, on a connection that had been kept, if its method may arrive
    /// twice (RFC 9110 section 9.2.2).
    ///
    /// # Errors
    /// For everything that keeps a complete answer from arriving.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_tls = request.origin.is_tls;
        let session = is_tls.then(|| self.sessions.get(&request.tls)).transpose()?;
        let session = session.as_deref();
        let number = session.map(|session| session.number);
        let key = PoolKey { origin: request.origin.clone(), session: number };
        let pool = self.pools.get(key);
        let sending = Sending { client: self, request: &request, session, pool: &pool };
        match session {
            Some(session) if self.offers_http2 && !request.own_connection => {
                match sending.by_http2(session).await? {
                    Sent::Done(response) => Ok(response),
                    Sent::Http1(opened) => sending.by_http1(opened).await,
                }
            }
            _ => sending.by_http1(None).await,
        }
    }

    /// The error of a request that was dropped just now. While it waited for a name server, that
    /// server is at fault.
    #[must_use]
    pub fn dropped(&self) -> HttpError {
        match self.names.take_cut_off() {
            Some(words) => HttpError::with_detail(HttpFault::NameNotFound, words),
            None => HttpError::of(HttpFault::Aborted),
        }
    }

    /// Closes the connections that no request uses, and with that wipes their buffers. TLS begins
    /// again with the next request.
    pub fn close_idle(&self) {
        self.sessions.forget();
        self.pools.close_idle();
    }
}

impl Sending<'_> {
    async fn by_http1(
        &self,
        mut opened: Option<Box<Connection>>,
    ) -> Result<HttpResponse, HttpError> {
        let place = self.pool.place().await;
        let mut may_reuse = !self.request.own_connection;
        loop {
            // Before it takes an idle connection: another one that waits must find either.
            let busy = self.client.pools.begin();
            let may_take = may_reuse && opened.is_none();
            let reused = if may_take { place.usable().await } else { None };
            let is_reused = reused.is_some();
            let connection = match reused.or(opened.take().map(|opened| *opened)) {
                Some(connection) => connection,
                None => match self.open(&place).await {
                    Ok(connection) => connection,
                    Err(NotConnected::Fault(error)) => return Err(error),
                    Err(NotConnected::NoDescriptor(error)) => {
                        self.await_descriptor(busy, may_reuse, error).await?;
                        continue;
                    }
                },
            };
            match self.exchange(&place, connection).await {
                Err(failed) if is_reused && failed.may_send_again(self.request) => {
                    may_reuse = false;
                }
                ended => return ended.map_err(|failed| failed.error),
            }
        }
    }

    async fn open(&self, place: &Place<'_>) -> Result<Connection, NotConnected> {
        place.make_room();
        let offer = self.session.map(Session::http1);
        let wire = connect(&self.request.origin, offer, &self.client.names).await?;
        Ok(Connection::over(wire, self.client.pools.most() == 1).await?)
    }

    async fn exchange(
        &self,
        place: &Place<'_>,
        mut connection: Connection,
    ) -> Result<HttpResponse, Failed> {
        let response = exchange(&mut connection, self.request).await?;
        if !self.request.own_connection && connection.is_ready().await {
            place.keep(connection);
        }
        Ok(response)
    }

    async fn by_http2(&self, session: &Session) -> Result<Sent, HttpError> {
        let mut is_sent_again = false;
        loop {
            let way = self.pool.seats.way().await?;
            let busy = self.client.pools.begin();
            let seat = match way {
                Way::Http1 => return Ok(Sent::Http1(None)),
                Way::Seat(seat) => seat,
                Way::Open(opening) => match self.open_either(session).await {
                    Ok(Opened::Http2(connection)) => opening.opened(connection),
                    Ok(Opened::Http1(connection)) => {
                        opening.speaks_http1();
                        return Ok(Sent::Http1(Some(connection)));
                    }
                    Err(NotConnected::Fault(error)) => {
                        opening.failed(&error);
                        return Err(error);
                    }
                    Err(NotConnected::NoDescriptor(error)) => {
                        drop(opening);
                        self.await_descriptor(busy, false, error).await?;
                        continue;
                    }
                },
            };
            if !seat.is_usable().await {
                continue;
            }
            match http2::exchange(&seat, self.request).await {
                Err(failed) if !is_sent_again && self.may_send_again(&seat, &failed) => {
                    is_sent_again = true;
                }
                ended => return ended.map(Sent::Done).map_err(|failed| failed.error),
            }
        }
    }

    async fn open_either(&self, session: &Session) -> Result<Opened, NotConnected> {
        let offer = Some(session.http2());
        let wire = connect(&self.request.origin, offer, &self.client.names).await?;
        Ok(if wire.speaks_http2() {
            let changed = self.pool.seats.changed();
            Opened::Http2(Http2Connection::over(wire, changed).await?)
        } else {
            Opened::Http1(Box::new(Connection::over(wire, false).await?))
        })
    }

    fn may_send_again(&self, seat: &Seat, failed: &Failed) -> bool {
        let was_kept = seat.connection.has_answered();
        failed.is_unsent || (was_kept && failed.may_send_again(self.request))
    }

    /// Waits until it is worth trying again: a connection is idle, or a descriptor is free.
    async fn await_descriptor(
        &self,
        busy: Busy<'_>,
        may_reuse: bool,
        error: io::Error,
    ) -> Result<(), HttpError> {
        busy.without_descriptor();
        let may_reuse = may_reuse && self.pool.has_idle();
        if may_reuse || self.client.pools.make_room().await {
            return Ok(());
        }
        Err(HttpError::with_detail(HttpFault::Unreachable, error))
    }
}
