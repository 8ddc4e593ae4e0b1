use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use super::{connection::Connection, http2::Seats, request::Origin};

/// Connections are kept for requests of the same server and the same TLS session.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct PoolKey {
    pub origin: Origin,
    pub session: Option<u64>,
}

/// All connections of a client.
pub(super) struct Pools {
    /// Connections with one server at a time.
    most: usize,
    by_key: RefCell<HashMap<PoolKey, Rc<Pool>>>,
    /// Requests that have a connection or are opening one, with any server.
    busy: Cell<usize>,
    released: Notify,
}

/// Connections with one server.
pub(super) struct Pool {
    places: Semaphore,
    most: usize,
    /// The last one was used last.
    idle: RefCell<Vec<Connection>>,
    /// Those by HTTP/2.
    pub seats: Seats,
}

/// The right to one of a server's connections.
pub(super) struct Place<'a> {
    pool: &'a Pool,
    _permit: SemaphorePermit<'a>,
}

/// A request that has a descriptor. When it ends, another one may find it.
pub(super) struct Busy<'a>(&'a Pools);

impl Pools {
    pub fn new(most: usize) -> Self {
        Self { most, by_key: RefCell::default(), busy: Cell::new(0), released: Notify::new() }
    }

    pub fn most(&self) -> usize {
        self.most
    }

    pub fn get(&self, key: PoolKey) -> Rc<Pool> {
        let mut pools = self.by_key.borrow_mut();
        // Servers that nothing is left of are forgotten.
        pools.retain(|_, pool| Rc::strong_count(pool) > 1 || pool.has_connections());
        let pool = pools.entry(key).or_insert_with(|| {
            let most = self.most;
            Rc::new(Pool {
                places: Semaphore::new(most),
                most,
                idle: RefCell::default(),
                seats: Seats::default(),
            })
        });
        Rc::clone(pool)
    }

    pub fn begin(&self) -> Busy<'_> {
        self.busy.set(self.busy.get() + 1);
        Busy(self)
    }

    /// Closes all connections that no request uses; how many.
    pub fn close_idle(&self) -> usize {
        let pools: Vec<_> = self.by_key.borrow().values().cloned().collect();
        pools.iter().map(|pool| pool.idle.take().len() + pool.seats.close_idle()).sum()
    }

    /// Finds a descriptor for another connection: closes idle ones, else waits for a request to
    /// end. False if there is neither.
    pub async fn make_room(&self) -> bool {
        if self.close_idle() > 0 {
            return true;
        }
        if self.busy.get() == 0 {
            return false;
        }
        self.released.notified().await;
        true
    }
}

impl Busy<'_> {
    /// Ends a request that found no descriptor. Others wait on, unless it was the last that they
    /// could wait for.
    pub fn without_descriptor(self) {
        if self.0.busy.get() == 1 {
            self.0.released.notify_waiters();
        }
        self.0.busy.set(self.0.busy.get() - 1);
        std::mem::forget(self);
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.set(self.0.busy.get() - 1);
        self.0.released.notify_one();
    }
}

impl Pool {
    /// Waits until one of the connections is free, or may be opened.
    pub async fn place(&self) -> Place<'_> {
        let permit = self.places.acquire().await.expect("the semaphore is never closed");
        Place { pool: self, _permit: permit }
    }

    pub fn has_idle(&self) -> bool {
        !self.idle.borrow().is_empty()
    }

    fn has_connections(&self) -> bool {
        self.has_idle() || !self.seats.is_empty()
    }
}

impl Place<'_> {
    /// Takes a connection that no request uses and that is still open.
    pub async fn usable(&self) -> Option<Connection> {
        loop {
            let mut connection = self.pool.idle.borrow_mut().pop()?;
            if connection.is_usable().await {
                return Some(connection);
            }
        }
    }

    /// Closes an idle connection if the pool has no room for another one.
    pub fn make_room(&self) {
        let mut idle = self.pool.idle.borrow_mut();
        let used = self.pool.most - self.pool.places.available_permits();
        if used + idle.len() > self.pool.most {
            drop(idle.remove(0));
        }
    }

    /// Keeps a connection for the next request.
    pub fn keep(&self, connection: Connection) {
        self.pool.idle.borrow_mut().push(connection);
    }
}
