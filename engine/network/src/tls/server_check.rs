use std::cell::RefCell;

use rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};
use webpki::{EndEntityCert, VerifiedPath};
use x509_cert::der::Decode;

use super::{
    authority,
    certificate::{self, Certificate},
    purposes::{ServersOrAny, allow_servers},
    refusal::{Refused, bad, unknown_critical, weak_server},
};

/// Checks servers' certificates by webpki, as Go and OpenSSL do in its place. A certificate that is
/// itself among the given authorities is trusted, even if it calls itself an authority. A given
/// authority counts with all that its certificate says.
#[derive(Debug)]
pub(super) struct ServerCheck {
    pub roots: RootCertStore,
    pub supported: WebPkiSupportedAlgorithms,
    /// The certificates of `roots`, in their order; empty for the public ones.
    pub given: Vec<CertificateDer<'static>>,
}

impl ServerCheck {
    /// Looks for a path from a server to an authority that all checks accept.
    fn check_path(&self, refused: &Refused<'_>) -> Result<(), CertificateError> {
        let end_entity =
            EndEntityCert::try_from(refused.server).map_err(|error| refused.explain(error))?;
        // The refusal of the last path that webpki accepts.
        let refusal = RefCell::new(None);
        let check_authorities = |path: &VerifiedPath<'_>| {
            self.check_authorities(path, refused.now).map_err(|reason| {
                refusal.replace(Some(reason));
                // webpki goes on with another path.
                webpki::Error::UnknownIssuer
            })
        };
        let checked = end_entity.verify_for_usage(
            self.supported.all,
            &self.roots.roots,
            refused.intermediates,
            refused.now,
            ServersOrAny,
            None,
            Some(&check_authorities),
        );
        match checked {
            Ok(_) => Ok(()),
            Err(error) => Err(refusal.take().unwrap_or_else(|| refused.explain(error))),
        }
    }

    /// Checks the authorities of a path beyond webpki's own checks.
    fn check_authorities(
        &self,
        path: &VerifiedPath<'_>,
        now: UnixTime,
    ) -> Result<(), CertificateError> {
        let mut intermediates = 0;
        for intermediate in path.intermediate_certificates() {
            authority::check_intermediate(&intermediate.der())?;
            intermediates += 1;
        }
        // A renewed root may be given beside its older certificate of the same key.
        let roots = self.roots.roots.iter().zip(&self.given);
        let mut reason = Ok(());
        for (_, root) in roots.filter(|(anchor, _)| *anchor == path.anchor()) {
            reason = authority::check_given(root, intermediates, now);
            if reason.is_ok() {
                break;
            }
        }
        reason
    }
}

impl ServerCertVerifier for ServerCheck {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.given.contains(server) {
            check_given(server, now)?;
        } else {
            self.check_path(&Refused { server, intermediates, given: &self.given, now })?;
        }
        let checked = verify_server_name(&ParsedCertificate::try_from(server)?, name);
        checked.map_err(|error| with_names(error, server))?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.supported)
            .map_err(|error| of_signature(error, certificate))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.supported)
            .map_err(|error| of_signature(error, certificate))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.supported.supported_schemes()
    }
}

/// The names of a wrong certificate are reported as they are.
fn with_names(error: Error, server: &CertificateDer<'_>) -> Error {
    match error {
        Error::InvalidCertificate(CertificateError::NotValidForNameContext {
            expected, ..
        }) => {
            let presented = certificate::names(server);
            CertificateError::NotValidForNameContext { expected, presented }.into()
        }
        other => other,
    }
}

fn of_signature(error: Error, server: &CertificateDer<'_>) -> Error {
    match error {
        Error::InvalidCertificate(CertificateError::BadSignature) => {
            weak_server(server).unwrap_or(CertificateError::BadSignature).into()
        }
        other => other,
    }
}

/// Nothing has to be signed: the certificate was given to us. Its time, its purpose and its names
/// still count.
fn check_given(server: &CertificateDer<'_>, now: UnixTime) -> Result<(), CertificateError> {
    let parsed = Certificate::from_der(server).map_err(|_| CertificateError::BadEncoding)?;
    let (not_before, not_after) = certificate::validity(&parsed);
    if now.as_secs() < not_before.as_secs() {
        return Err(CertificateError::NotValidYet);
    }
    if now.as_secs() > not_after.as_secs() {
        return Err(CertificateError::Expired);
    }
    if !allow_servers(&parsed) {
        return Err(bad("its extended key usage does not allow servers"));
    }
    match unknown_critical(&parsed) {
        None => Ok(()),
        Some(id) => {
            Err(bad(format_args!("it has the critical extension {id}, which is not known")))
        }
    }
}

/// Accepts every certificate whose key the server has.
#[derive(Debug)]
pub(super) struct NoCheck(pub WebPkiSupportedAlgorithms);

impl ServerCertVerifier for NoCheck {
    fn verify_server_cert(
        &self,
        _server: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
