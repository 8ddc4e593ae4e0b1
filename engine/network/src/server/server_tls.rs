use std::sync::Arc;

use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::{NoServerSessionStorage, WebPkiClientVerifier, danger::ClientCertVerifier},
    sign::SingleCertAndKey,
};
use svc_secrets::SecretBytes;

use super::client_check::AskEveryClient;
use crate::tls::{certificates, certified_key, common_name, provider};

/// TLS of a server, in PEM.
#[derive(Clone, Debug)]
pub struct HttpServerTls {
    /// The server's certificate with its chain.
    pub certificate: String,
    /// Its private key, not encrypted.
    pub key: SecretBytes,
    /// The authorities of clients. With them every client is asked for a certificate.
    pub client_ca: Option<String>,
}

/// The settings of a server's handshakes.
pub(super) struct Handshakes {
    pub config: Arc<ServerConfig>,
    clients: Option<Arc<dyn ClientCertVerifier>>,
}

impl Handshakes {
    /// `None` if the material cannot be used.
    pub fn of(tls: &HttpServerTls) -> Option<Self> {
        let provider = provider();
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .ok()?;
        let clients = match &tls.client_ca {
            None => None,
            Some(text) => {
                let mut roots = RootCertStore::empty();
                for authority in certificates(text)? {
                    roots.add(authority).ok()?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                Some(verifier.build().ok()?)
            }
        };
        let builder = match &clients {
            None => builder.with_no_client_auth(),
            Some(verifier) => {
                builder.with_client_cert_verifier(Arc::new(AskEveryClient(Arc::clone(verifier))))
            }
        };
        let key = PrivateKeyDer::from_pem_slice(tls.key.expose()).ok()?;
        let identity = certified_key(certificates(&tls.certificate)?, &key)?;
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(identity)));
        // A probe comes once in a while: sessions would only take memory.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Some(Self { config: Arc::new(config), clients })
    }

    /// The name in a client's certificate, if one of the authorities signed it.
    pub fn verified_name(&self, shown: Option<&[CertificateDer<'_>]>) -> Option<String> {
        let (client, intermediates) = shown?.split_first()?;
        let verifier = self.clients.as_ref()?;
        verifier.verify_client_cert(client, intermediates, UnixTime::now()).ok()?;
        Some(common_name(client).unwrap_or_default())
    }
}
