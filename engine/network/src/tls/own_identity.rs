use std::sync::Arc;

use rustls::{
    crypto::ring::sign::any_supported_type,
    pki_types::{CertificateDer, PrivateKeyDer},
    sign::{CertifiedKey, SigningKey},
};

use super::{certificate, p521_key::P521Key};

/// The private key of a structure. `None` if it is of a kind that cannot sign here.
pub(super) fn signing_key(key: &PrivateKeyDer<'_>) -> Option<Arc<dyn SigningKey>> {
    let by_ring = any_supported_type(key).ok();
    by_ring.or_else(|| Some(Arc::new(P521Key::new(key)?)))
}

/// A chain with the private key of its first certificate. `None` if the key cannot be used or is
/// another certificate's.
///
/// rustls compares the two as well, but reads certificates of X.509 version 3 alone. Those that we
/// show may be of version 1: only the other side judges them.
pub(crate) fn certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'_>,
) -> Option<CertifiedKey> {
    let key = signing_key(key)?;
    let shown = certificate::public_key(chain.first()?)?;
    // A key that does not tell its public half is taken, as rustls itself takes it.
    let is_other = key.public_key().is_some_and(|public| public.as_ref() != shown);
    (!is_other).then(|| CertifiedKey::new(chain, key))
}
