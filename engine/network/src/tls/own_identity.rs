use rustls::{
    crypto::ring::sign::any_supported_type,
    pki_types::{CertificateDer, PrivateKeyDer},
    sign::CertifiedKey,
};

use super::certificate;

/// A chain with the private key of its first certificate. `None` if the key cannot be used or is
/// another certificate's.
///
/// rustls compares the two as well, but reads certificates of X.509 version 3 alone. Those that we
/// show may be of version 1: only the other side judges them.
pub(crate) fn certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'_>,
) -> Option<CertifiedKey> {
    let key = any_supported_type(key).ok()?;
    let shown = certificate::public_key(chain.first()?)?;
    // A key that does not tell its public half is taken, as rustls itself takes it.
    let is_other = key.public_key().is_some_and(|public| public.as_ref() != shown);
    (!is_other).then(|| CertifiedKey::new(chain, key))
}
