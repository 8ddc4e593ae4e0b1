use std::{io::ErrorKind, path::PathBuf, rc::Rc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Version, header, uri::Authority};
use svc_secrets::SecretBytes;
use tokio::{net::UnixStream, time::sleep};

use super::{AgentEnd, AgentSender, AgentStream};
use crate::{
    HttpTls,
    client::{Gauge, NotConnected, Origin, Stream, Wire, connect},
    dns::Names,
    tls::Session,
};

const CROWD_TRIES: u32 = 200;
const CROWD_PAUSE: Duration = Duration::from_millis(5);
const METHOD: &str = "/svc.agent.v1.AgentService/Registration";

/// Where the agent is.
pub enum AgentTarget {
    /// A unix socket. The agent asks the kernel who calls.
    Socket(PathBuf),
    /// A host with its port, over TLS.
    Tcp {
        /// As `10.0.0.1:9443` or `[fd00::1]:9443`.
        authority: String,
        /// The authorities to trust, and the caller's own certificate.
        tls: HttpTls,
        /// The token that proves who calls; sent once TLS is verified. One that could not be a
        /// header is left out.
        bearer: Option<SecretBytes>,
    },
}

/// Opens a stream. Whether the agent takes it is heard on the stream. If the future is dropped,
/// the connection closes.
///
/// # Errors
/// Why there is no connection.
pub async fn open_agent_stream(
    target: AgentTarget,
) -> Result<(AgentSender, AgentStream), AgentEnd> {
    let (wire, url, bearer) = match target {
        AgentTarget::Socket(path) => {
            let wire = connect_socket(path).await?;
            (wire, format!("http://agent{METHOD}"), None)
        }
        AgentTarget::Tcp { authority, tls, bearer } => {
            let wire = connect_tls(&authority, &tls).await?;
            (wire, format!("https://{authority}{METHOD}"), bearer)
        }
    };
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.version_mut() = Version::HTTP_2;
    *request.uri_mut() =
        url.parse().map_err(|_| AgentEnd::new("the agent's address cannot be read"))?;
    *request.headers_mut() = headers(bearer.as_ref());
    let stream = Stream { wire, gauge: Rc::new(Gauge::unbounded()) };
    let handshake = h2::client::Builder::new().enable_push(false).handshake::<_, Bytes>(stream);
    let (sender, connection) = handshake.await.map_err(|error| AgentEnd::of_h2(&error))?;
    AgentStream::begin(sender, connection, request)
}

/// The kernel refuses to wait when too many callers wait already (EAGAIN of connect(2)). A flood of
/// another program must not cost this one its registration.
async fn connect_socket(path: PathBuf) -> Result<Wire, AgentEnd> {
    let mut tries_left = CROWD_TRIES;
    loop {
        match UnixStream::connect(&path).await {
            Ok(stream) => return Ok(Wire::Unix(stream)),
            Err(error) if error.kind() == ErrorKind::WouldBlock && tries_left > 0 => {
                tries_left -= 1;
                sleep(CROWD_PAUSE).await;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(AgentEnd::new(format!("there is no {}", path.display())));
            }
            Err(error) => return Err(AgentEnd::new(format!("connect: {error}"))),
        }
    }
}

async fn connect_tls(authority: &str, tls: &HttpTls) -> Result<Wire, AgentEnd> {
    let failed = |error| AgentEnd::new(format!("connect: {error}"));
    let parsed = authority.parse::<Authority>().ok();
    let origin = parsed.and_then(|authority| {
        let port = authority.port_u16()?;
        Some(Origin { is_tls: true, host: authority.host().to_ascii_lowercase(), port })
    });
    let origin = origin.ok_or_else(|| AgentEnd::new("the agent's address cannot be read"))?;
    let session = Session::for_http2(tls).map_err(failed)?;
    let names = Names::default();
    match connect(&origin, Some(session.http2()), &names).await {
        Ok(wire) if wire.speaks_http2() => Ok(wire),
        Ok(_) => Err(AgentEnd::new("connect: no HTTP/2 is spoken there")),
        Err(NotConnected::Fault(error)) => Err(failed(error)),
        Err(NotConnected::NoDescriptor(error)) => Err(AgentEnd::new(format!("connect: {error}"))),
    }
}

fn headers(bearer: Option<&SecretBytes>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc+proto"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.extend(bearer.and_then(authorization).map(|value| (header::AUTHORIZATION, value)));
    headers
}

fn authorization(token: &SecretBytes) -> Option<HeaderValue> {
    let token = token.trimmed();
    if token.is_empty() || token.first_invisible().is_some() {
        return None;
    }
    let mut value = HeaderValue::from_bytes(&[b"Bearer ", token.expose()].concat()).ok()?;
    value.set_sensitive(true);
    Some(value)
}
