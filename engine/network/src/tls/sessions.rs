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

/// TLS as some settings want it. Connections of one are not used for another.
pub(crate) struct Session {
    tls: HttpTls,
    pub config: Arc<ClientConfig>,
    /// Never the same for two.
    pub number: u64,
}

impl Session {
    /// A session for HTTP/2, which is agreed on in the handshake; RFC 9113 section 3.2.
    ///
    /// # Errors
    /// `UnusableMaterial`.
    pub fn for_http2(tls: &HttpTls) -> Result<Self, HttpError> {
        let mut config = client_config(tls)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self { tls: tls.clone(), config: Arc::new(config), number: 0 })
    }

    /// The name that a server at a host of a URL must prove.
    pub fn server_name(&self, host: &str) -> Result<ServerName<'static>, HttpError> {
        let name = self.tls.server_name.as_deref().unwrap_or(host);
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
        let config = Arc::new(client_config(tls)?);
        let number = self.made.replace(self.made.get() + 1);
        let session = Rc::new(Session { tls: tls.clone(), config, number });
        if kept.len() == MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Rc::clone(&session));
        Ok(session)
    }
}
