use std::{fmt, sync::Arc};

use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};

use webpki::{EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter};

use super::certificate;

/// Checks servers' certificates by webpki. Two things differ, as in OpenSSL and Go. A certificate
/// that is itself among the given authorities is trusted, even if it calls itself an authority. The
/// names of a wrong certificate are reported as they are.
#[derive(Debug)]
pub(super) struct ServerCheck {
    pub webpki: Arc<WebPkiServerVerifier>,
    /// The authorities and algorithms of `webpki`.
    pub roots: Arc<RootCertStore>,
    pub supported: WebPkiSupportedAlgorithms,
    /// Authorities that the settings give.
    pub given: Vec<CertificateDer<'static>>,
}

impl ServerCheck {
    /// `anyExtendedKeyUsage` allows servers, too, as in OpenSSL's and Go's verification; RFC 5280
    /// section 4.2.1.12. rustls asks webpki for `serverAuth` alone.
    fn check_any_purpose(
        &self,
        error: Error,
        server: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if !matches!(
            error,
            Error::InvalidCertificate(CertificateError::InvalidPurposeContext { .. })
        ) {
            return Err(error);
        }
        let Ok(end_entity) = EndEntityCert::try_from(server) else { return Err(error) };
        let checked = end_entity.verify_for_usage(
            self.supported.all,
            &self.roots.roots,
            intermediates,
            now,
            ServersOrAny,
            None,
            None,
        );
        match checked {
            Ok(_) => {}
            // webpki looks at the purpose first.
            Err(webpki::Error::UnknownIssuer | webpki::Error::InvalidSignatureForPublicKey) => {
                return Err(CertificateError::UnknownIssuer.into());
            }
            Err(webpki::Error::NameConstraintViolation) => {
                let violation = OtherError(Arc::new(webpki::Error::NameConstraintViolation));
                return Err(CertificateError::Other(violation).into());
            }
            Err(_) => return Err(error),
        }
        verify_server_name(&ParsedCertificate::try_from(server)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn explain(&self, error: Error, server: &CertificateDer<'_>) -> Error {
        match error {
            Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                expected,
                ..
            }) => {
                let presented = certificate::names(server);
                CertificateError::NotValidForNameContext { expected, presented }.into()
            }
            // An authority of the same name as a trusted one.
            Error::InvalidCertificate(CertificateError::BadSignature) => {
                CertificateError::UnknownIssuer.into()
            }
            // An authority's own certificate, which webpki takes for no server.
            Error::InvalidCertificate(CertificateError::Other(_))
                if certificate::is_self_issued(server) && !self.given.contains(server) =>
            {
                CertificateError::UnknownIssuer.into()
            }
            other => other,
        }
    }
}

impl ServerCertVerifier for ServerCheck {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let checked = if self.given.contains(server) {
            check_given(server, name, now)
        } else {
            self.webpki
                .verify_server_cert(server, intermediates, name, ocsp, now)
                .or_else(|error| self.check_any_purpose(error, server, intermediates, name, now))
                .and_then(|checked| check_signers(server, intermediates).map(|()| checked))
        };
        checked.map_err(|error| self.explain(error, server))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}

/// The purposes that allow servers. Without the extension every purpose is allowed.
struct ServersOrAny;

impl ExtendedKeyUsageValidator for ServersOrAny {
    fn validate(&self, iter: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let mut is_absent = true;
        for purpose in iter {
            is_absent = false;
            if [SERVER_AUTH, ANY_PURPOSE].contains(&purpose?.to_decoded_oid().as_slice()) {
                return Ok(());
            }
        }
        // Its caller names the purpose from rustls' own check.
        if is_absent { Ok(()) } else { Err(webpki::Error::EmptyEkuExtension) }
    }
}

/// id-kp-serverAuth; RFC 5280 section 4.2.1.12.
const SERVER_AUTH: &[usize] = &[1, 3, 6, 1, 5, 5, 7, 3, 1];
/// anyExtendedKeyUsage; RFC 5280 section 4.2.1.12.
const ANY_PURPOSE: &[usize] = &[2, 5, 29, 37, 0];

/// webpki does not look at the key usage of authorities; RFC 5280 section 4.2.1.3 and Go do.
fn check_signers(
    server: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
) -> Result<(), Error> {
    let mut subject = server;
    for _ in intermediates {
        let issuer = intermediates.iter().find(|one| certificate::may_have_signed(one, subject));
        let Some(issuer) = issuer else { break };
        if !certificate::may_sign(issuer) {
            return Err(CertificateError::Other(OtherError(Arc::new(MayNotSign))).into());
        }
        if issuer == subject {
            break;
        }
        subject = issuer;
    }
    Ok(())
}

/// An authority whose key usage lacks keyCertSign.
#[derive(Debug)]
struct MayNotSign;

impl fmt::Display for MayNotSign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

impl std::error::Error for MayNotSign {}

/// Nothing has to be signed: the certificate was given to us. Its time and its names still count.
fn check_given(
    server: &CertificateDer<'_>,
    name: &ServerName<'_>,
    now: UnixTime,
) -> Result<ServerCertVerified, Error> {
    let bad = || Error::from(CertificateError::BadEncoding);
    let (not_before, not_after) = certificate::validity(server).ok_or_else(bad)?;
    let seconds = now.as_secs();
    if seconds < not_before.as_secs() {
        return Err(CertificateError::NotValidYet.into());
    }
    if seconds > not_after.as_secs() {
        return Err(CertificateError::Expired.into());
    }
    verify_server_name(&ParsedCertificate::try_from(server)?, name)?;
    Ok(ServerCertVerified::assertion())
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
