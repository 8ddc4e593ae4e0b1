use std::{io, net::SocketAddr, time::Duration};

use svc_secrets::{Guarded, guarded};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::TlsConnector;

use super::{request::Origin, stream::Wire};
use crate::{
    HttpError, HttpFault,
    dns::{LookupError, Names},
    tls::Offer,
};

/// So long an address is waited for if another one may be better. A lost SYN is sent again after
/// one second; RFC 6298 section 2.
const PATIENCE: Duration = Duration::from_secs(2);
// errno(3)
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// Why there is no connection.
pub(crate) enum NotConnected {
    /// The process or the machine has no descriptor left: `EMFILE` or `ENFILE`.
    NoDescriptor(io::Error),
    Fault(HttpError),
}

impl From<HttpError> for NotConnected {
    fn from(error: HttpError) -> Self {
        Self::Fault(error)
    }
}

impl From<LookupError> for NotConnected {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NoDescriptor(error) => Self::NoDescriptor(error),
            LookupError::NotFound(words) => {
                Self::Fault(HttpError::with_detail(HttpFault::NameNotFound, words))
            }
        }
    }
}

/// Connects with a server, trying its addresses in order.
pub(crate) async fn connect(
    origin: &Origin,
    offer: Option<Offer<'_>>,
    names: &Names,
) -> Result<Wire, NotConnected> {
    let addresses = names.addresses(&origin.host).await?;
    let mut failure = HttpError::of(HttpFault::Unreachable);
    for (index, address) in addresses.iter().enumerate() {
        let is_last = index + 1 == addresses.len();
        match connect_to(SocketAddr::new(*address, origin.port), is_last).await {
            Ok(stream) => return secure(stream, origin, offer).await.map_err(Into::into),
            Err(error) if matches!(error.raw_os_error(), Some(EMFILE | ENFILE)) => {
                return Err(NotConnected::NoDescriptor(error));
            }
            // A machine that refuses is there; one without a way to it says less.
            Err(_) if failure.fault == HttpFault::Refused => {}
            Err(error) => failure = unreached(&error),
        }
    }
    Err(failure.into())
}

async fn connect_to(address: SocketAddr, is_last: bool) -> io::Result<TcpStream> {
    let connecting = TcpStream::connect(address);
    // The last one has all the time that the caller has.
    let stream = if is_last {
        connecting.await?
    } else {
        timeout(PATIENCE, connecting).await.map_err(|_| io::ErrorKind::TimedOut)??
    };
    // Head and body leave in two writes.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Before there is a connection nothing can have closed it.
fn unreached(error: &io::Error) -> HttpError {
    let found = HttpError::of_io(error);
    let fault = match found.fault {
        HttpFault::Refused => HttpFault::Refused,
        HttpFault::Closed => HttpFault::Closed,
        _ => HttpFault::Unreachable,
    };
    HttpError { fault, ..found }
}

async fn secure(
    stream: TcpStream,
    origin: &Origin,
    offer: Option<Offer<'_>>,
) -> Result<Wire, HttpError> {
    let Some(offer) = offer else { return Ok(Wire::Plain(stream)) };
    let name = offer.server_name(&origin.host)?;
    let connector = TlsConnector::from(std::sync::Arc::clone(offer.config));
    // The keys of the connection lie in locked memory.
    let connected = Guarded::new(|| connector.connect(name, stream)).await;
    let tls = connected.map_err(|error| HttpError::of_io(&error))?;
    Ok(Wire::Tls(guarded(|| Box::new(tls))))
}
