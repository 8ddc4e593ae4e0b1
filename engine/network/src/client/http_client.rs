use super::{
    connect::{NotConnected, connect},
    connection::Connection,
    exchange::{Failed, HttpResponse, exchange},
    pool::{Place, PoolKey, Pools},
    request::HttpRequest,
};
use crate::{
    HttpError, HttpFault,
    dns::Names,
    tls::{Session, Sessions},
};

/// Connections with one server, unless told.
const MOST_CONNECTIONS: usize = 32;

/// Sends requests, over a few connections with each server. Connections are kept for the next
/// request.
///
/// Buffers of a connection keep bytes of its last exchange until it is closed: `close_idle` when
/// no more requests are about to come. They are in locked memory, 30 to 70 KiB for a connection.
pub struct HttpClient {
    names: Names,
    sessions: Sessions,
    pools: Pools,
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
        Self::with_connections(MOST_CONNECTIONS)
    }

    /// The same with so many connections at a time with each server, at least one and at most 32.
    /// A single one has smaller buffers, and takes no answer with a head of more than 4 KiB.
    #[must_use]
    pub fn with_connections(most: usize) -> Self {
        let pools = Pools::new(most.clamp(1, MOST_CONNECTIONS));
        Self { names: Names::default(), sessions: Sessions::default(), pools }
    }

    /// Sends a request and reads the whole answer. Where the future is dropped, the connection
    /// closes at once.
    ///
    /// A kept connection may break under a request, because the server had enough of it. A request
    /// of which nothing had left is then sent over another one; so is one that had left without a
    /// byte of an answer, if its method may arrive twice (RFC 9110 section 9.2.2).
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
        let place = pool.place().await;
        let mut may_reuse = !request.own_connection;
        loop {
            // Before it takes an idle connection: another one that waits must find either.
            let busy = self.pools.begin();
            let reused = if may_reuse { place.usable().await } else { None };
            let is_reused = reused.is_some();
            let connection = match reused {
                Some(connection) => connection,
                None => match self.open(&place, &request, session).await {
                    Ok(connection) => connection,
                    Err(NotConnected::Fault(error)) => return Err(error),
                    Err(NotConnected::NoDescriptor(error)) => {
                        busy.without_descriptor();
                        if !self.await_descriptor(&place, may_reuse).await {
                            return Err(HttpError::with_detail(HttpFault::Unreachable, error));
                        }
                        continue;
                    }
                },
            };
            match self.exchange(&place, connection, &request).await {
                Err(failed) if is_reused && failed.may_send_again(&request) => may_reuse = false,
                ended => return ended.map_err(|failed| failed.error),
            }
        }
    }

    /// Closes the connections that no request uses, and with that wipes their buffers. TLS begins
    /// anew with the next request.
    pub fn close_idle(&self) {
        self.sessions.forget();
        self.pools.close_idle();
    }

    async fn open(
        &self,
        place: &Place<'_>,
        request: &HttpRequest,
        session: Option<&Session>,
    ) -> Result<Connection, NotConnected> {
        place.make_room();
        let wire = connect(&request.origin, session, &self.names).await?;
        Ok(Connection::over(wire, self.pools.most() == 1).await?)
    }

    async fn exchange(
        &self,
        place: &Place<'_>,
        mut connection: Connection,
        request: &HttpRequest,
    ) -> Result<HttpResponse, Failed> {
        let response = exchange(&mut connection, request).await?;
        if !request.own_connection && connection.is_ready().await {
            place.keep(connection);
        }
        Ok(response)
    }

    /// Waits until it is worth trying again: a connection is idle, or a descriptor is free. False
    /// where that does not come.
    async fn await_descriptor(&self, place: &Place<'_>, may_reuse: bool) -> bool {
        (may_reuse && place.has_idle()) || self.pools.make_room().await
    }
}
