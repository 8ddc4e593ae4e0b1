use std::{
    cell::{Cell, RefCell},
    error::Error,
    fmt,
    future::{Future, poll_fn},
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, Stream};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, Sleep, sleep},
};

use super::{
    HttpServerLimits, HttpServerTls, Service, crowd::Crowd, doorway::Doorway, listen::listen,
    server_tls::Handshakes, visit::Serving, visits::Visits,
};
use crate::sys::give_memory_back;

/// That many visits at a time leave memory behind that is worth a call of the allocator.
const CROWD: usize = 32;
/// After an error of accept(2), such as too few descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Then those inside have their turn.
const MOST_ADMITTED_AT_ONCE: usize = 32;

/// The address and the way of a server.
pub struct HttpServerOptions<'a> {
    /// An IP address, `localhost` or a name of /etc/hosts; empty for every address of the machine.
    pub host: &'a str,
    /// 0 for any free port.
    pub port: u16,
    /// Without it the server speaks plain HTTP.
    pub tls: Option<&'a HttpServerTls>,
    /// How much a client may have.
    pub limits: HttpServerLimits,
    /// Whether clients send secrets: then all memory of their connections is in locked pages.
    pub takes_secrets: bool,
    /// How many clients may be connected at a time, at least one.
    pub most_connections: usize,
    /// The addresses whose connections are closed for none of other addresses.
    pub spared: &'a [IpAddr],
}

/// Why a server does not open.
#[derive(Debug)]
pub enum HttpServerError {
    /// The certificate, its key or the client authorities cannot be used.
    UnusableMaterial,
    /// It cannot listen there.
    Listen(io::Error),
}

impl fmt::Display for HttpServerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusableMaterial => {
                formatter.write_str("the certificate, its key or the client CA cannot be used")
            }
            Self::Listen(error) => write!(formatter, "listen: {error}"),
        }
    }
}

impl Error for HttpServerError {}

type Visiting = Pin<Box<dyn Future<Output = ()>>>;

/// A server that listens. Nothing happens at it but in `run`.
pub struct HttpServer {
    address: SocketAddr,
    listener: RefCell<Option<TcpListener>>,
    handshakes: RefCell<Option<Rc<Handshakes>>>,
    service: Rc<dyn Service>,
    visits: Rc<Visits>,
    limits: HttpServerLimits,
    doorway: Rc<Doorway>,
    is_stopped: Cell<bool>,
    /// Of `run`.
    waker: RefCell<Option<Waker>>,
}

impl HttpServer {
    /// Listens. Needs a tokio runtime around it.
    ///
    /// # Errors
    /// If the port is taken, the address is not of this machine, or the material is unusable. A
    /// name that is unknown has no number of the system's.
    pub fn open(
        options: &HttpServerOptions<'_>,
        service: Rc<dyn Service>,
    ) -> Result<Self, HttpServerError> {
        let handshakes = match options.tls {
            Some(tls) => {
                Some(Rc::new(Handshakes::of(tls).ok_or(HttpServerError::UnusableMaterial)?))
            }
            None => None,
        };
        let listener = listen(options.host, options.port).map_err(HttpServerError::Listen)?;
        Ok(Self {
            address: listener.local_addr().map_err(HttpServerError::Listen)?,
            listener: RefCell::new(Some(listener)),
            handshakes: RefCell::new(handshakes),
            service,
            visits: Rc::new(Visits::new(Crowd::new(
                options.most_connections,
                options.spared.iter().copied(),
            ))),
            limits: options.limits,
            doorway: Rc::new(Doorway::new(options.takes_secrets)),
            is_stopped: Cell::new(false),
            waker: RefCell::default(),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many clients are connected.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.visits.len()
    }

    /// How many of them have sent a request that is being answered.
    #[must_use]
    pub fn answering(&self) -> usize {
        self.visits.answering()
    }

    /// Serves new connections with another certificate; those that are open keep theirs. The port
    /// stays open.
    ///
    /// # Errors
    /// `UnusableMaterial`; the server then stands as before.
    pub fn change_tls(&self, tls: &HttpServerTls) -> Result<(), HttpServerError> {
        let handshakes = Handshakes::of(tls).ok_or(HttpServerError::UnusableMaterial)?;
        *self.handshakes.borrow_mut() = Some(Rc::new(handshakes));
        Ok(())
    }

    /// Lets no new connection in. Those inside get their answers, and `run` ends.
    pub fn close(&self) {
        self.listener.take();
        self.wake();
    }

    /// Closes everything at once, and `run` ends.
    pub fn stop(&self) {
        self.is_stopped.set(true);
        self.close();
    }

    /// Serves until the server is closed and empty. Dropped, it closes all connections.
    pub async fn run(&self) {
        let mut visiting: FuturesUnordered<Visiting> = FuturesUnordered::new();
        let mut pause: Option<Pin<Box<Sleep>>> = None;
        let mut was_crowded = false;
        poll_fn(|context| {
            *self.waker.borrow_mut() = Some(context.waker().clone());
            let is_pausing =
                pause.as_mut().is_some_and(|pause| pause.as_mut().poll(context).is_pending());
            if !is_pausing && self.admit(&mut visiting, context).is_err() {
                pause = Some(Box::pin(sleep(ACCEPT_PAUSE)));
                context.waker().wake_by_ref();
            }
            was_crowded |= visiting.len() >= CROWD;
            while let Poll::Ready(Some(())) = Pin::new(&mut visiting).poll_next(context) {}
            if visiting.is_empty() && std::mem::take(&mut was_crowded) {
                give_memory_back();
            }
            let is_over = self.listener.borrow().is_none() && visiting.is_empty();
            if is_over || self.is_stopped.get() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    fn admit(
        &self,
        visiting: &mut FuturesUnordered<Visiting>,
        context: &mut Context<'_>,
    ) -> io::Result<()> {
        for _ in 0..MOST_ADMITTED_AT_ONCE {
            let polled = match &*self.listener.borrow() {
                Some(listener) => listener.poll_accept(context),
                None => return Ok(()),
            };
            match polled {
                Poll::Ready(accepted) => {
                    let (stream, address) = accepted?;
                    visiting.extend(self.receive(stream, address));
                }
                Poll::Pending => return Ok(()),
            }
        }
        context.waker().wake_by_ref();
        Ok(())
    }

    fn receive(&self, stream: TcpStream, address: SocketAddr) -> Option<Visiting> {
        // IPv4 over an IPv6 socket.
        let address = address.ip().to_canonical();
        let visit = self.visits.enter(address)?;
        let serving = Serving {
            service: Rc::clone(&self.service),
            handshakes: self.handshakes.borrow().clone(),
            limits: self.limits,
            visit,
            doorway: Rc::clone(&self.doorway),
            deadline: Instant::now() + self.limits.request,
            on_gone: RefCell::default(),
        };
        Some(Box::pin(serving.serve(stream, address)))
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
