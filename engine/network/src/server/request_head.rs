use http::{HeaderMap, Version, header, request::Parts};

use crate::headers::joined_headers;

/// The head of a request: all that comes before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// As it was sent: methods are case-sensitive.
    pub method: String,
    /// As it was sent, without the query; nothing in it is decoded.
    pub path: String,
    /// By lower-case name; several of a name are joined by ", ". Bytes are Latin-1.
    pub headers: Vec<(String, String)>,
    /// Bytes of body that follow.
    pub body_length: usize,
}

/// Why a request is not answered as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// 400, 411 or 413.
    pub status: u16,
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// Reads a head that hyper has taken apart. Strict in all that RFC 9112 lets a server choose: a
/// request that two readers could take differently is refused.
pub(super) fn read_head(parts: &Parts) -> Result<RequestHead, Refusal> {
    // RFC 9112 section 3.2: exactly one Host, or the client and a proxy may disagree.
    let hosts = parts.headers.get_all(header::HOST).iter().count();
    if hosts > 1 || (hosts == 0 && parts.version != Version::HTTP_10) {
        return Err(malformed("HTTP/1.1 wants exactly one Host header"));
    }
    Ok(RequestHead {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        headers: joined_headers(&parts.headers),
        body_length: body_length(&parts.headers)?,
    })
}

/// One length in digits, or none: request smuggling lives on everything else that may frame a body.
fn body_length(headers: &HeaderMap) -> Result<usize, Refusal> {
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    let length = lengths.next();
    if headers.contains_key(header::TRANSFER_ENCODING) {
        if length.is_some() {
            return Err(malformed("a body has one length or one encoding, not both"));
        }
        let message = "a body is taken with Content-Length only".to_owned();
        return Err(Refusal { status: 411, code: "LENGTH_REQUIRED", message });
    }
    let Some(length) = length else { return Ok(0) };
    let digits = length.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(number) if lengths.next().is_none() => Ok(number),
        _ => Err(malformed("Content-Length is no number")),
    }
}

fn malformed(message: &str) -> Refusal {
    Refusal { status: 400, code: "MALFORMED_REQUEST", message: message.to_owned() }
}
