use http::Uri;
use httparse::{EMPTY_HEADER, Error, Header, Status};

/// More headers than any client of ours sends.
const MAX_HEADERS: usize = 64;

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
    /// 400, 411, 413, 431 or 505.
    pub status: u16,
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// A head, and the framing that it asks for.
pub(super) struct Request {
    pub head: RequestHead,
    /// Whether the client waits for a word before it sends the body; RFC 9110 section 10.1.1.
    pub expects_continue: bool,
}

/// Reads the bytes of a head. `None` if they are only the beginning of one. Strict in all that RFC
/// 9112 lets a server choose: a request that two readers could take differently is refused.
pub(super) fn read_head(bytes: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut room = [EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut room);
    match parsed.parse(bytes) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) => return Ok(None),
        Err(Error::TooManyHeaders) => {
            return Err(too_large(&format!("the head has more than {MAX_HEADERS} headers")));
        }
        Err(Error::Version) if names_other_version(bytes) => return Err(unsupported_version()),
        Err(error) => return Err(malformed(&format!("the head is not HTTP/1.1: {error}"))),
    }
    let (Some(method), Some(target), Some(minor)) = (parsed.method, parsed.path, parsed.version)
    else {
        return Ok(None);
    };
    let headers = &*parsed.headers;
    // RFC 9112 section 3.2: exactly one Host, or the client and a proxy may disagree.
    let hosts = values_of(headers, "host").count();
    if hosts > 1 || (hosts == 0 && minor != 0) {
        return Err(malformed("HTTP/1.1 wants exactly one Host header"));
    }
    let target = Uri::try_from(target).map_err(|_| malformed("the target must be a URI"))?;
    let mut expectations = values_of(headers, "expect");
    let expects_continue =
        minor == 1 && expectations.any(|value| value.eq_ignore_ascii_case(b"100-continue"));
    Ok(Some(Request {
        head: RequestHead {
            method: method.to_owned(),
            path: target.path().to_owned(),
            headers: joined(headers),
            body_length: body_length(headers)?,
        },
        expects_continue,
    }))
}

/// Whether the first line is a request line of HTTP that names a version beside 1.0 and 1.1.
fn names_other_version(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let words: Vec<_> = line.split(|byte| *byte == b' ').collect();
    let [_, _, version] = words[..] else { return false };
    let digits = version.strip_prefix(b"HTTP/").unwrap_or_default();
    matches!(digits, [b'0'..=b'9'] | [b'0'..=b'9', b'.', b'0'..=b'9'])
}

/// One length in digits, or none: request smuggling lives on everything else that may frame a body.
fn body_length(headers: &[Header<'_>]) -> Result<usize, Refusal> {
    let mut lengths = values_of(headers, "content-length");
    let length = lengths.next();
    let mut encodings = values_of(headers, "transfer-encoding");
    if let Some(encoding) = encodings.next() {
        if length.is_some() {
            return Err(malformed("a body has one length or one encoding, not both"));
        }
        if encodings.next().is_some() || !encoding.eq_ignore_ascii_case(b"chunked") {
            return Err(malformed("Transfer-Encoding is not chunked"));
        }
        let message = "a body is taken with Content-Length only".to_owned();
        return Err(Refusal { status: 411, code: "LENGTH_REQUIRED", message });
    }
    let Some(length) = length else { return Ok(0) };
    if lengths.next().is_some() {
        return Err(malformed("Content-Length is there twice"));
    }
    let digits = str::from_utf8(length).ok();
    let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| malformed("Content-Length is no number"))
}

fn values_of<'a>(headers: &'a [Header<'_>], name: &str) -> impl Iterator<Item = &'a [u8]> {
    headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|it| it.value)
}

fn joined(headers: &[Header<'_>]) -> Vec<(String, String)> {
    let mut joined: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for header in headers {
        let name = header.name.to_ascii_lowercase();
        let value = header.value.iter().copied().map(char::from).collect::<String>();
        match joined.iter_mut().find(|(other, _)| *other == name) {
            Some((_, values)) => *values = format!("{values}, {value}"),
            None => joined.push((name, value)),
        }
    }
    joined
}

/// Not HTTP as RFC 9112 describes it, or ambiguous.
pub(super) fn malformed(message: &str) -> Refusal {
    Refusal { status: 400, code: "MALFORMED_REQUEST", message: message.to_owned() }
}

/// RFC 6585 section 5.
pub(super) fn too_large(message: &str) -> Refusal {
    Refusal { status: 431, code: "HEADERS_TOO_LARGE", message: message.to_owned() }
}

/// RFC 9110 section 15.6.6.
fn unsupported_version() -> Refusal {
    let message = "only HTTP/1.1 and HTTP/1.0 are answered".to_owned();
    Refusal { status: 505, code: "HTTP_VERSION_NOT_SUPPORTED", message }
}
