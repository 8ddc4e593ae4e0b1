use std::{error::Error, fmt};

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Uri,
    header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING},
    uri::{PathAndQuery, Scheme},
};
use svc_secrets::{SecretBuilder, SecretBytes, Stack, guarded_on};

use crate::HttpTls;

/// A part of a request's body.
pub enum BodyPart {
    /// A text as it is.
    Text(String),
    /// A secret as the inside of a JSON string: escaped, without its quotes.
    JsonSecret(SecretBytes),
}

/// A request, checked when it is made.
pub struct HttpRequest {
    pub(super) origin: Origin,
    pub(super) method: Method,
    pub(super) target: PathAndQuery,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<SecretBytes>,
    pub(super) tls: HttpTls,
    pub(super) max_bytes: usize,
    pub(super) own_connection: bool,
}

/// The server that a URL names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub is_tls: bool,
    /// As in the URL: an IPv6 address has its brackets.
    pub host: String,
    pub port: u16,
}

/// A request that no server could be sent: an error of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRequest(&'static str);

impl fmt::Display for InvalidRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl Error for InvalidRequest {}

impl HttpRequest {
    /// A request without a body, for answers of at most `max_bytes`.
    ///
    /// # Errors
    /// If the method is not a token, or the URL is not an absolute one of http or https.
    pub fn new(method: &str, url: &str, max_bytes: usize) -> Result<Self, InvalidRequest> {
        let method =
            Method::from_bytes(method.as_bytes()).map_err(|_| InvalidRequest("the method"))?;
        // A client sends no fragment; RFC 9110 section 7.1.
        let uri: Uri = url
            .split('#')
            .next()
            .unwrap_or_default()
            .parse()
            .map_err(|_| InvalidRequest("the URL"))?;
        let origin = Origin::of(&uri).ok_or(InvalidRequest("the URL"))?;
        let authority = uri.authority().ok_or(InvalidRequest("the URL"))?;
        let host = HeaderValue::from_str(authority.as_str())
            .map_err(|_| InvalidRequest("the URL's host"))?;
        Ok(Self {
            origin,
            method,
            target: target_of(&uri),
            headers: HeaderMap::from_iter([(HOST, host)]),
            body: None,
            tls: HttpTls::default(),
            max_bytes,
            own_connection: false,
        })
    }

    /// Adds a header that is not secret. `Host` replaces the URL's.
    ///
    /// # Errors
    /// If the name or the value may not be in a header, or would frame the message.
    pub fn header(self, name: &str, value: &str) -> Result<Self, InvalidRequest> {
        let value = HeaderValue::from_str(value).map_err(|_| InvalidRequest("a header's value"))?;
        self.with_header(name, value)
    }

    /// Adds a header with a secret, which is never shown.
    ///
    /// # Errors
    /// As `header`.
    pub fn secret_header(self, name: &str, value: &SecretBytes) -> Result<Self, InvalidRequest> {
        let mut value = guarded_on(Stack::Small, || HeaderValue::from_bytes(value.expose()))
            .map_err(|_| InvalidRequest("a header's value"))?;
        value.set_sensitive(true);
        self.with_header(name, value)
    }

    /// Gives it a body.
    #[must_use]
    pub fn body(mut self, parts: &[BodyPart]) -> Self {
        let mut body = SecretBuilder::default();
        for part in parts {
            match part {
                BodyPart::Text(text) => body.push(text.as_bytes()),
                BodyPart::JsonSecret(secret) => body.push_json_escaped(secret.expose()),
            }
        }
        self.body = Some(body.finish());
        self
    }

    /// Sets the trusted CA certificates, for https.
    #[must_use]
    pub fn tls(mut self, tls: HttpTls) -> Self {
        self.tls = tls;
        self
    }

    /// Gives it a connection that no other request has, before or after. It is then sent once.
    #[must_use]
    pub fn own_connection(mut self) -> Self {
        self.own_connection = true;
        self.headers.insert(CONNECTION, HeaderValue::from_static("close"));
        self
    }

    fn with_header(mut self, name: &str, value: HeaderValue) -> Result<Self, InvalidRequest> {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| InvalidRequest("a header's name"))?;
        if name == CONTENT_LENGTH || name == TRANSFER_ENCODING || name == CONNECTION {
            return Err(InvalidRequest("a header that frames the message"));
        }
        if name == HOST {
            self.headers.insert(name, value);
        } else {
            self.headers.append(name, value);
        }
        Ok(self)
    }
}

impl Origin {
    fn of(uri: &Uri) -> Option<Self> {
        let is_tls = *uri.scheme()? == Scheme::HTTPS;
        if !is_tls && *uri.scheme()? != Scheme::HTTP {
            return None;
        }
        let authority = uri.authority()?;
        let host = authority.host();
        if host.is_empty() || authority.as_str().contains('@') {
            return None;
        }
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str().len() > host.len() + 1 => return None,
            None => {
                if is_tls {
                    443
                } else {
                    80
                }
            }
        };
        Some(Self { is_tls, host: host.to_ascii_lowercase(), port })
    }
}

/// RFC 9112 section 3.2.1: the path is never empty.
fn target_of(uri: &Uri) -> PathAndQuery {
    let target = uri.path_and_query().cloned();
    target.unwrap_or_else(|| PathAndQuery::from_static("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_urls_of_http_alone() {
        for (url, origin) in [
            ("http://vault", Some((false, "vault", 80))),
            ("https://Vault.Example:8200/v1/x?y=1#z", Some((true, "vault.example", 8200))),
            ("https://[::1]/", Some((true, "[::1]", 443))),
            ("https://10.0.0.1:1", Some((true, "10.0.0.1", 1))),
            ("https://user@vault/", None),
            ("https://vault:x/", None),
            ("https://vault:70000/", None),
            ("ftp://vault/", None),
            ("/v1/x", None),
            ("vault:8200", None),
            ("", None),
            ("http://", None),
            ("http://a b/", None),
        ] {
            let found = HttpRequest::new("GET", url, 1).ok().map(|request| request.origin);
            let expected =
                origin.map(|(is_tls, host, port)| Origin { is_tls, host: host.into(), port });
            assert_eq!(found, expected, "{url}");
        }
    }

    #[test]
    fn refuses_what_would_end_a_line() {
        let request = || HttpRequest::new("GET", "http://vault/", 1).unwrap();
        for (name, value) in [
            ("X-A", "a\r\nX-B: b"),
            ("X-A", "\0"),
            ("X A", "a"),
            ("", "a"),
            ("Content-Length", "1"),
            ("transfer-encoding", "chunked"),
            ("connection", "upgrade"),
        ] {
            assert!(request().header(name, value).is_err(), "{name}: {value}");
            let secret = SecretBytes::copy_of(value.as_bytes());
            assert!(request().secret_header(name, &secret).is_err(), "{name}: {value}");
        }
        assert!(HttpRequest::new("GET /", "http://vault/", 1).is_err());
    }

    #[test]
    fn shows_no_secret_header() {
        let secret = SecretBytes::copy_of(b"canary");
        let request = HttpRequest::new("GET", "http://vault/", 1).unwrap();
        let request = request.secret_header("X-Vault-Token", &secret).unwrap();
        assert!(!format!("{:?}", request.headers).contains("canary"));
    }
}
