use rustls::{
    CertificateError,
    pki_types::{CertificateDer, UnixTime},
};
use x509_cert::{der::Decode, ext::pkix::BasicConstraints};

use super::{
    certificate::{self, Certificate},
    purposes::allow_servers,
    refusal::{AUTHORITY_EARLY, AUTHORITY_EXPIRED, bad, unknown_critical},
};

/// An authority whose key usage lacks keyCertSign; webpki looks at it nowhere, and Go does.
///
/// # Errors
/// The reason.
pub(super) fn check_intermediate(der: &CertificateDer<'_>) -> Result<(), CertificateError> {
    let parsed = Certificate::from_der(der).map_err(|_| CertificateError::BadEncoding)?;
    if certificate::may_sign(&parsed) { Ok(()) } else { Err(may_not_sign()) }
}

/// An authority that was given to us. webpki takes its name, its key and its name constraints alone;
/// OpenSSL and Go look at the rest of it, too.
///
/// # Errors
/// The reason.
pub(super) fn check_given(
    der: &CertificateDer<'_>,
    intermediates: usize,
    now: UnixTime,
) -> Result<(), CertificateError> {
    let root =
        Certificate::from_der(der).map_err(|_| bad("an authority's certificate is malformed"))?;
    let (not_before, not_after) = certificate::validity(&root);
    if now.as_secs() < not_before.as_secs() {
        return Err(bad(AUTHORITY_EARLY));
    }
    if now.as_secs() > not_after.as_secs() {
        return Err(bad(AUTHORITY_EXPIRED));
    }
    let constraints = root.tbs_certificate.get::<BasicConstraints>();
    let constraints = constraints.map_err(|_| bad("an extension of an authority is malformed"))?;
    // Old roots have none.
    if let Some((_, constraints)) = constraints {
        if !constraints.ca {
            return Err(bad("the certificate that signed it is not of an authority"));
        }
        if constraints.path_len_constraint.is_some_and(|most| usize::from(most) < intermediates) {
            return Err(bad("its chain is longer than an authority allows"));
        }
    }
    if !certificate::may_sign(&root) {
        return Err(may_not_sign());
    }
    if !allow_servers(&root) {
        return Err(bad("an authority's extended key usage does not allow servers"));
    }
    match unknown_critical(&root) {
        None => Ok(()),
        Some(id) => Err(bad(format_args!(
            "an authority of its chain has the critical extension {id}, which is not known"
        ))),
    }
}

fn may_not_sign() -> CertificateError {
    bad("an authority of its chain may not sign certificates")
}
