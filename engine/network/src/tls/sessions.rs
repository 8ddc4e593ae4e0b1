use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

use rustls::{ClientConfig, pki_types::ServerName};

use super::{HttpTls, client_config::client_config};
use crate::{HttpError, HttpFault, dns};

/// Settings are one or two: with and without verification, before and after a certificate's change.
const MOST_KEPT: usize = 4;

const HTTP1: &[u8] = b"http/1.1";
const HTTP2: &[u8] = b"h2";

/// TLS as some settings want it, and the protocols that are offered; RFC 7301.
#[derive(Clone, Copy)]
pub(crate) struct Offer<'a> {
    session: &'a Session,
    pub config: &'a Arc<ClientConfig>,
}

/// TLS as some settings want it. Connections of one are not used for another.
pub(crate) struct Session {
    tls: HttpTls,
    http1: Arc<ClientConfig>,
    http2: Arc<ClientConfig>,
    /// Never the same for two.
    pub number: u64,
}

impl Session {
    /// A session for a server that has to speak HTTP/2; RFC 9113 section 3.2.
    ///
    /// # Errors
    /// `UnusableMaterial`.
    pub fn for_http2(tls: &HttpTls) -> Result<Self, HttpError> {
        Self::offering(tls, &[HTTP2], 0)
    }

    /// Offers HTTP/1.1 alone.
    pub fn http1(&self) -> Offer<'_> {
        Offer { session: self, config: &self.http1 }
    }

    /// Offers HTTP/2, and HTTP/1.1 unless the server has to speak HTTP/2.
    pub fn http2(&self) -> Offer<'_> {
        Offer { session: self, config: &self.http2 }
    }

    fn offering(tls: &HttpTls, protocols: &[&[u8]], number: u64) -> Result<Self, HttpError> {
        let mut config = client_config(tls)?;
        config.alpn_protocols = vec![HTTP1.to_vec()];
        // The two share their sessions for a resumption.
        let http1 = Arc::new(config.clone());
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Ok(Self { tls: tls.clone(), http1, http2: Arc::new(config), number })
    }
}

impl Offer<'_> {
    /// The name that a server at a host of a URL must prove.
    pub fn server_name(&self, host: &str) -> Result<ServerName<'static>, HttpError> {
        let name = self.session.tls.server_name.as_deref().unwrap_or(host);
        if let Some(address) = dns::literal(name) {
            return Ok(ServerName::IpAddress(address.into()));
        }
        // Certificates have no dot at the end of a name.
        ServerName::try_from(name.strip_suffix('.').unwrap_or(name).to_owned())
            .map_err(|_| HttpError::with_detail(HttpFault::UnusableMaterial, "the server's name"))
    }
}

/// The sessions that were wanted last.
#[derive(Default)]
pub(crate) struct Sessions {
    kept: RefCell<Vec<Rc<Session>>>,
    made: Cell<u64>,
}

impl Sessions {
    /// Forgets all of them, and with them keys of clients and tickets of servers.
    pub fn forget(&self) {
        self.kept.take();
    }

    /// The session for settings.
    ///
    /// # Errors
    /// `UnusableMaterial`.
    pub fn get(&self, tls: &HttpTls) -> Result<Rc<Session>, HttpError> {
        let mut kept = self.kept.borrow_mut();
        if let Some(session) = kept.iter().find(|session| session.tls == *tls) {
            return Ok(Rc::clone(session));
        }
        let number = self.made.replace(self.made.get() + 1);
        let session = Rc::new(Session::offering(tls, &[HTTP2, HTTP1], number)?);
        if kept.len() == MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Rc::clone(&session));
        Ok(session)
    }
}
