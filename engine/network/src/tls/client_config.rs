use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    client::{Resumption, danger::ServerCertVerifier},
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    sign::SingleCertAndKey,
};

use svc_secrets::{SecretBytes, guarded};

use super::{
    HttpTls,
    own_identity::certified_key,
    provider,
    server_check::{NoCheck, ServerCheck},
};
use crate::{HttpError, HttpFault};

/// One for each of a wave's connections.
const RESUMED_SESSIONS: usize = 16;

/// The configuration of rustls for settings.
///
/// # Errors
/// `UnusableMaterial`.
pub(super) fn client_config(tls: &HttpTls) -> Result<ClientConfig, HttpError> {
    let provider = provider();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_| unusable("the protocol versions"))?
        .dangerous()
        .with_custom_certificate_verifier(server_check(tls, &provider)?);
    let mut config = match (&tls.cert, &tls.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(cert), Some(key)) => {
            let chain = certificates(cert).ok_or_else(|| unusable("the client certificate"))?;
            builder.with_client_cert_resolver(Arc::new(identity(chain, key)?))
        }
        _ => return Err(unusable("a client certificate and its key belong together")),
    };
    config.resumption = Resumption::in_memory_sessions(RESUMED_SESSIONS);
    Ok(config)
}

/// The private key is in locked memory.
fn identity(
    chain: Vec<CertificateDer<'static>>,
    key: &SecretBytes,
) -> Result<SingleCertAndKey, HttpError> {
    guarded(|| {
        let key =
            PrivateKeyDer::from_pem_slice(key.expose()).map_err(|_| unusable("the client key"))?;
        let identity = certified_key(chain, &key);
        identity.map(Into::into).ok_or_else(|| unusable("the client certificate or key"))
    })
}

fn server_check(
    tls: &HttpTls,
    provider: &CryptoProvider,
) -> Result<Arc<dyn ServerCertVerifier>, HttpError> {
    if tls.skip_verify {
        return Ok(Arc::new(NoCheck(provider.signature_verification_algorithms)));
    }
    let given = given_authorities(tls)?;
    let mut roots = RootCertStore::empty();
    if tls.ca.is_none() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for authority in &given {
        roots.add(authority.clone()).map_err(|_| unusable("an authority's certificate"))?;
    }
    if roots.is_empty() {
        return Err(unusable("the authorities"));
    }
    let supported = provider.signature_verification_algorithms;
    Ok(Arc::new(ServerCheck { roots, supported, given }))
}

fn given_authorities(tls: &HttpTls) -> Result<Vec<CertificateDer<'static>>, HttpError> {
    let Some(texts) = &tls.ca else { return Ok(Vec::new()) };
    let mut given = Vec::new();
    for text in texts {
        given.extend(certificates(text).ok_or_else(|| unusable("an authority's certificate"))?);
    }
    Ok(given)
}

/// The certificates of a PEM text, at least one.
pub(crate) fn certificates(pem: &str) -> Option<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    found.ok().filter(|certificates| !certificates.is_empty())
}

fn unusable(part: &str) -> HttpError {
    HttpError::with_detail(HttpFault::UnusableMaterial, part)
}
