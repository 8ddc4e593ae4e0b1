use std::{fmt, sync::Arc};

use rustls::{
    CertificateError, OtherError,
    pki_types::{CertificateDer, UnixTime},
};
use x509_cert::der::{Decode, SliceReader, asn1::ObjectIdentifier};

use super::{
    algorithm_names::{key_name, signature_name},
    certificate::{self, Certificate},
    purposes::allow_servers,
};
use crate::{HttpError, HttpFault};

pub(super) const AUTHORITY_EXPIRED: &str =
    "the certificate of an authority in its chain has expired";
pub(super) const AUTHORITY_EARLY: &str =
    "the certificate of an authority in its chain is not valid yet";
/// ring verifies by no other keys.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// A refusal with a reason of ours, as rustls passes it on.
pub(super) fn bad(words: impl fmt::Display) -> CertificateError {
    let error = HttpError::with_detail(HttpFault::BadCertificate, words);
    CertificateError::Other(OtherError(Arc::new(error)))
}

/// The certificates of a refused server.
pub(super) struct Refused<'a> {
    pub server: &'a CertificateDer<'a>,
    pub intermediates: &'a [CertificateDer<'a>],
    /// Authorities that the settings give.
    pub given: &'a [CertificateDer<'static>],
    pub now: UnixTime,
}

impl Refused<'_> {
    /// Why webpki refuses the server, in the words of RFC 5280.
    pub fn explain(&self, error: webpki::Error) -> CertificateError {
        use webpki::Error;
        match error {
            Error::UnknownIssuer => CertificateError::UnknownIssuer,
            Error::BadDer | Error::BadDerTime | Error::TrailingData(_) => {
                CertificateError::BadEncoding
            }
            Error::CertExpired { time, not_after } => self
                .of_time(CertificateError::ExpiredContext { time, not_after }, AUTHORITY_EXPIRED),
            Error::CertNotValidYet { time, not_before } => self.of_time(
                CertificateError::NotValidYetContext { time, not_before },
                AUTHORITY_EARLY,
            ),
            Error::InvalidSignatureForPublicKey => self.weak_key().unwrap_or_else(|| {
                // An authority of the same name as a trusted one.
                CertificateError::UnknownIssuer
            }),
            // An authority's own certificate, which webpki takes for no server.
            Error::CaUsedAsEndEntity if self.is_self_issued() => CertificateError::UnknownIssuer,
            error => bad(self.words(&error)),
        }
    }

    fn words(&self, error: &webpki::Error) -> String {
        use webpki::Error;
        let words = match error {
            Error::CaUsedAsEndEntity => "it is the certificate of an authority, not of a server",
            Error::EmptyEkuExtension => "its extended key usage is empty",
            Error::EndEntityUsedAsCa => "the certificate that signed it is not of an authority",
            Error::ExtensionValueInvalid | Error::MalformedExtensions => {
                "an extension is malformed"
            }
            Error::InvalidCertValidity => "its validity ends before it begins",
            Error::InvalidSerialNumber => "its serial number is malformed",
            Error::MalformedDnsIdentifier => "one of its names is malformed",
            Error::InvalidNetworkMaskConstraint | Error::MalformedNameConstraint => {
                "a name constraint of an authority is malformed"
            }
            Error::MaximumPathDepthExceeded => {
                "its chain has more than six intermediate certificates, which is the limit"
            }
            Error::MaximumNameConstraintComparisonsExceeded
            | Error::MaximumPathBuildCallsExceeded
            | Error::MaximumSignatureChecksExceeded => "its chain takes too long to check",
            Error::NameConstraintViolation => "a name constraint of an authority forbids its names",
            Error::PathLenConstraintViolated => "its chain is longer than an authority allows",
            Error::SignatureAlgorithmMismatch => {
                "it names two different algorithms of its signature"
            }
            _ => return self.words_with_culprit(error),
        };
        words.to_owned()
    }

    fn words_with_culprit(&self, error: &webpki::Error) -> String {
        use webpki::Error;
        #[expect(deprecated)]
        match error {
            Error::RequiredEkuNotFound => {
                let whose = self.whose(|one| !allow_servers(one));
                format!("{} extended key usage does not allow servers", whose.possessive())
            }
            Error::UnsupportedCertVersion => {
                let whose = self.whose(|one| one.tbs_certificate.version as u8 != 2);
                format!("{} is not of X.509 version 3", whose.subject())
            }
            Error::UnsupportedCriticalExtension => {
                let whose = self.whose(|one| unhandled_critical(one).is_some());
                let id = self.all().iter().find_map(unhandled_critical);
                let id = id.map_or_else(String::new, |id| format!(" {id}"));
                format!("{} has the critical extension{id}, which is not known", whose.subject())
            }
            Error::UnsupportedSignatureAlgorithmContext(context) => {
                self.unsupported(&context.signature_algorithm_id, None)
            }
            Error::UnsupportedSignatureAlgorithmForPublicKeyContext(context) => self.unsupported(
                &context.signature_algorithm_id,
                Some(&context.public_key_algorithm_id),
            ),
            error => format!("{error:?}"),
        }
    }

    /// The contents of two `AlgorithmIdentifiers`; RFC 5280 section 4.1.1.2.
    fn unsupported(&self, signature: &[u8], key: Option<&[u8]>) -> String {
        let id = SliceReader::new(signature).and_then(|mut id| ObjectIdentifier::decode(&mut id));
        let Ok(id) = id else { return "an algorithm of its signature is not supported".into() };
        let who = self.whose(|one| one.signature_algorithm.oid == id).subject();
        let name = signature_name(id);
        match key {
            None => format!("{who} is signed by {name}, which is not supported"),
            Some(key) => {
                format!(
                    "{who} is signed by {name} and a key of {}: that is not supported",
                    key_name(key)
                )
            }
        }
    }

    /// The fault of the server alone is named as such: the hint is to renew its certificate.
    fn of_time(&self, own: CertificateError, authority: &str) -> CertificateError {
        let is_own = Certificate::from_der(self.server).is_ok_and(|server| {
            let (not_before, not_after) = certificate::validity(&server);
            let now = self.now.as_secs();
            now < not_before.as_secs() || now > not_after.as_secs()
        });
        if is_own { own } else { bad(authority) }
    }

    /// A signature by a key that ring refuses looks like one by another key.
    fn weak_key(&self) -> Option<CertificateError> {
        let all = self.all();
        let signers = self.intermediates.iter().chain(self.given);
        let mut signers = signers.filter_map(|der| Certificate::from_der(der).ok());
        signers.find_map(|signer| {
            let subject = &signer.tbs_certificate.subject;
            let bits = certificate::rsa_bits(&signer)?;
            let has_signed = all.iter().any(|one| one.tbs_certificate.issuer == *subject);
            let is_weak = has_signed && !RSA_BITS.contains(&bits);
            is_weak.then(|| wrong_length("an authority of its chain", bits))
        })
    }

    fn is_self_issued(&self) -> bool {
        Certificate::from_der(self.server)
            .is_ok_and(|one| one.tbs_certificate.subject == one.tbs_certificate.issuer)
    }

    /// The certificates that can be read, with the server's first.
    fn all(&self) -> Vec<Certificate> {
        let all = std::iter::once(self.server).chain(self.intermediates);
        all.filter_map(|der| Certificate::from_der(der).ok()).collect()
    }

    fn whose(&self, is_culprit: impl Fn(&Certificate) -> bool) -> Culprit {
        let server = Certificate::from_der(self.server);
        if server.is_ok_and(|server| is_culprit(&server)) {
            return Culprit::Server;
        }
        let is_authority = self.all().iter().any(is_culprit);
        if is_authority { Culprit::Authority } else { Culprit::Unknown }
    }
}

/// The owner of the refused certificate. webpki does not tell.
#[derive(Clone, Copy)]
enum Culprit {
    Server,
    Authority,
    Unknown,
}

impl Culprit {
    fn subject(self) -> &'static str {
        match self {
            Self::Server => "it",
            Self::Authority => "an authority of its chain",
            Self::Unknown => "a certificate of its chain",
        }
    }

    fn possessive(self) -> &'static str {
        match self {
            Self::Server => "its",
            Self::Authority => "an authority's",
            Self::Unknown => "a certificate's",
        }
    }
}

/// Why a signature of the handshake is refused, if the server's key is to blame.
pub(super) fn weak_server(server: &CertificateDer<'_>) -> Option<CertificateError> {
    let bits = certificate::rsa_bits(&Certificate::from_der(server).ok()?)?;
    (!RSA_BITS.contains(&bits)).then(|| wrong_length("it", bits))
}

fn wrong_length(who: &str, bits: usize) -> CertificateError {
    let (least, most) = (RSA_BITS.start(), RSA_BITS.end());
    bad(format_args!("{who} has an RSA key of {bits} bits, and it must have {least} to {most}"))
}

/// The first critical extension that webpki refuses; RFC 5280 section 4.2.1.
fn unhandled_critical(certificate: &Certificate) -> Option<ObjectIdentifier> {
    critical_except(
        certificate,
        &["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.37"],
    )
}

/// The first critical extension that RFC 5280 does not describe.
pub(super) fn unknown_critical(certificate: &Certificate) -> Option<ObjectIdentifier> {
    const DESCRIBED: [&str; 13] = [
        "2.5.29.14",
        "2.5.29.15",
        "2.5.29.17",
        "2.5.29.18",
        "2.5.29.19",
        "2.5.29.30",
        "2.5.29.31",
        "2.5.29.32",
        "2.5.29.33",
        "2.5.29.35",
        "2.5.29.36",
        "2.5.29.37",
        "2.5.29.54",
    ];
    critical_except(certificate, &DESCRIBED)
}

fn critical_except(certificate: &Certificate, known: &[&str]) -> Option<ObjectIdentifier> {
    let extensions = certificate.tbs_certificate.extensions.iter().flatten();
    let mut critical = extensions.filter(|one| one.critical).map(|one| one.extn_id);
    critical.find(|id| !known.contains(&id.to_string().as_str()))
}
