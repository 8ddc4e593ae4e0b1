use std::{error::Error, fmt, io};

use h2::Reason;
use rustls::{CertificateError, InvalidMessage, PeerIncompatible, PeerMisbehaved};

/// Why there is no complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HttpFault {
    /// No process listens at the port.
    Refused,
    /// No way leads to any address, or none answers.
    Unreachable,
    /// The connection ended before the answer did.
    Closed,
    /// The host name has no address, or no name server says so.
    NameNotFound,
    /// The server's certificate is signed by an authority that is not trusted.
    UnknownAuthority,
    /// The server's certificate is for other names.
    WrongName,
    /// The server's certificate has expired.
    Expired,
    /// The server's certificate is of the future.
    NotYetValid,
    /// The server's certificate cannot be accepted, for the reason in the detail.
    BadCertificate,
    /// The TLS handshake failed otherwise; the server may speak no TLS, or want a certificate.
    Handshake,
    /// The given authorities, certificate, key or server name cannot be used.
    UnusableMaterial,
    /// The answer is not HTTP.
    NotHttp,
    /// The head of the answer is too large.
    HeadersTooLarge,
    /// The body of the answer is larger than asked for.
    BodyTooLarge,
    /// The caller gave up.
    Aborted,
}

impl HttpFault {
    /// The name that TypeScript knows it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
            Self::Closed => "closed",
            Self::NameNotFound => "name not found",
            Self::UnknownAuthority => "unknown authority",
            Self::WrongName => "wrong name",
            Self::Expired => "expired",
            Self::NotYetValid => "not yet valid",
            Self::BadCertificate => "bad certificate",
            Self::Handshake => "handshake",
            Self::UnusableMaterial => "unusable material",
            Self::NotHttp => "not HTTP",
            Self::HeadersTooLarge => "headers too large",
            Self::BodyTooLarge => "body too large",
            Self::Aborted => "aborted",
        }
    }
}

/// The error of a request. It quotes neither the request nor the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpError {
    /// The kind of the error.
    pub fault: HttpFault,
    /// True if the head of an answer was there.
    pub answered: bool,
    /// The names of the server's certificate, for `WrongName`.
    pub names: Vec<String>,
    /// More of the cause: the system's error, or the alert of TLS. May be empty.
    pub detail: String,
}

impl HttpError {
    pub(crate) fn of(fault: HttpFault) -> Self {
        Self { fault, answered: false, names: Vec::new(), detail: String::new() }
    }

    pub(crate) fn with_detail(fault: HttpFault, detail: impl fmt::Display) -> Self {
        Self { detail: detail.to_string(), ..Self::of(fault) }
    }

    pub(crate) fn after_head(self) -> Self {
        Self { answered: true, ..self }
    }

    /// The error that a chain of causes comes to.
    pub(crate) fn of_cause(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        let mut innermost = None;
        while let Some(error) = cause {
            if let Some(found) = Self::of_one(error) {
                // hyper's own error says less than the one below it.
                innermost = Some(found);
            }
            cause = error.source();
        }
        innermost.unwrap_or_else(|| Self::of(HttpFault::Closed))
    }

    fn of_one(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return Some(Self::of_tls(error));
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(Self::of_io(error));
        }
        error.downcast_ref::<hyper::Error>().map(Self::of_hyper)
    }

    pub(crate) fn of_io(error: &io::Error) -> Self {
        // The source of an io::Error is the source of its inner error, which is skipped.
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return Self::of_tls(inner);
        }
        let fault = match error.kind() {
            io::ErrorKind::ConnectionRefused => HttpFault::Refused,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::UnexpectedEof => HttpFault::Closed,
            // hyper's readers of chunked bodies.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => HttpFault::NotHttp,
            _ => HttpFault::Unreachable,
        };
        // Errors of libraries have their own texts; the system's have a number.
        match error.raw_os_error() {
            Some(_) => Self::with_detail(fault, error),
            None => Self::of(fault),
        }
    }

    fn of_hyper(error: &hyper::Error) -> Self {
        Self::of(if error.is_parse_too_large() {
            HttpFault::HeadersTooLarge
        } else if error.is_parse() {
            HttpFault::NotHttp
        } else {
            HttpFault::Closed
        })
    }

    /// The error of a stream, or of all streams of a connection.
    pub(crate) fn of_h2(error: &h2::Error) -> Self {
        if let Some(error) = error.get_io() {
            return Self::of_io(error);
        }
        let reason = error.reason().unwrap_or(Reason::INTERNAL_ERROR);
        if !error.is_library() {
            return Self::with_detail(HttpFault::Closed, format_args!("{reason:?}"));
        }
        // By this code h2 gives up a connection on which headers are far too large, and one with a
        // flood of small frames. It tells them apart by a text alone.
        if error.is_go_away() && reason == Reason::ENHANCE_YOUR_CALM {
            return Self::with_detail(HttpFault::HeadersTooLarge, "or too many frames");
        }
        Self::with_detail(HttpFault::NotHttp, format_args!("{reason:?}"))
    }

    pub(crate) fn of_tls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(problem) => Self::of_certificate(problem),
            rustls::Error::AlertReceived(alert) => {
                Self::with_detail(HttpFault::Handshake, format_args!("alert {alert:?}"))
            }
            rustls::Error::PeerIncompatible(
                PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
            ) => {
                Self::with_detail(HttpFault::Handshake, "the server chose a version before TLS 1.2")
            }
            rustls::Error::PeerIncompatible(difference) => {
                Self::with_detail(HttpFault::Handshake, format_args!("{difference:?}"))
            }
            rustls::Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedCipherSuite) => {
                let detail = "the server chose a cipher suite that was not offered";
                Self::with_detail(HttpFault::Handshake, detail)
            }
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
                Self::with_detail(HttpFault::Handshake, "the answer is not TLS")
            }
            error => Self::with_detail(HttpFault::Handshake, error),
        }
    }

    fn of_certificate(problem: &CertificateError) -> Self {
        match problem {
            CertificateError::UnknownIssuer => Self::of(HttpFault::UnknownAuthority),
            CertificateError::NotValidForNameContext { presented, .. } => {
                Self { names: presented.clone(), ..Self::of(HttpFault::WrongName) }
            }
            CertificateError::NotValidForName => Self::of(HttpFault::WrongName),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                Self::of(HttpFault::Expired)
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::of(HttpFault::NotYetValid)
            }
            CertificateError::Other(other) => match other.0.downcast_ref::<Self>() {
                Some(ours) => ours.clone(),
                None => Self::with_detail(HttpFault::BadCertificate, &other.0),
            },
            _ => Self::with_detail(HttpFault::BadCertificate, reason_of(problem)),
        }
    }
}

/// Why rustls itself refuses a certificate. [`crate::tls`] has the reasons of webpki.
fn reason_of(problem: &CertificateError) -> String {
    let words = match problem {
        CertificateError::BadEncoding => "it is not well-formed",
        CertificateError::BadSignature => "the server does not have its key",
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "its kind of key is not supported"
        }
        problem => return format!("{problem:?}"),
    };
    words.to_owned()
}

impl fmt::Display for HttpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.fault.name())?;
        if self.detail.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.detail) }
    }
}

impl Error for HttpError {}
