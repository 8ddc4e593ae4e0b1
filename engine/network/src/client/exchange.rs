use std::pin::pin;

use http::{Request, Response, Uri, request};
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use svc_secrets::{SecretBuilder, SecretBytes};

use super::{connection::Connection, request::HttpRequest, request_body::RequestBody};
use crate::{HttpError, HttpFault, headers::joined_headers};

/// Most answers are shorter.
pub(super) const FIRST_BYTES: usize = 4 << 10;

/// A complete answer, with any status.
#[derive(Debug)]
pub struct HttpResponse {
    /// 200 to 999: the client passes over those that announce another.
    pub status: u16,
    /// By lower-case name; several of a name are joined by
    /// ", ". Each byte is a character of Latin-1.
    pub headers: Vec<(String, String)>,
    /// All of the body.
    pub body: SecretBytes,
}

/// Why an exchange failed.
pub(super) struct Failed {
    pub error: HttpError,
    /// True if nothing of the request has left.
    pub is_unsent: bool,
    /// True if a byte of an answer has come.
    pub has_answer: bool,
}

impl Failed {
    /// Whether the request may be sent over another connection, if the failed one had been kept
    /// and the server may have closed it for that.
    pub fn may_send_again(&self, request: &HttpRequest) -> bool {
        let is_lost = self.error.fault == HttpFault::Closed && !self.has_answer;
        self.is_unsent || (is_lost && request.method.is_idempotent())
    }
}

/// Sends a request and reads the whole answer.
pub(super) async fn exchange(
    connection: &mut Connection,
    request: &HttpRequest,
) -> Result<HttpResponse, Failed> {
    let before = connection.received();
    let sending = connection.sender.try_send_request(to_hyper(request));
    match connection.drive(sending).await {
        Ok(response) => read(connection, response, request.max_bytes).await.map_err(|error| {
            Failed { error: error.after_head(), is_unsent: false, has_answer: true }
        }),
        Err(mut refused) => Err(Failed {
            is_unsent: refused.take_message().is_some(),
            error: HttpError::of_cause(refused.error()),
            has_answer: connection.received() > before,
        }),
    }
}

fn to_hyper(request: &HttpRequest) -> Request<RequestBody> {
    let (mut parts, ()): (request::Parts, ()) = Request::new(()).into_parts();
    parts.method = request.method.clone();
    parts.uri = Uri::from(request.target.clone());
    parts.headers = request.headers.clone();
    Request::from_parts(parts, RequestBody::new(request.body.clone()))
}

async fn read(
    connection: &mut Connection,
    response: Response<Incoming>,
    max_bytes: usize,
) -> Result<HttpResponse, HttpError> {
    let (head, body) = response.into_parts();
    let (status, headers) = (head.status.as_u16(), joined_headers(&head.headers));
    // Its texts keep the connection's buffer, which is locked memory: another would be made.
    drop(head);
    let too_large = || HttpError::of(HttpFault::BodyTooLarge);
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > max_bytes {
        return Err(too_large());
    }
    // A length is easily said: memory is taken as the bytes come.
    let mut bytes = SecretBuilder::with_capacity(declared.min(FIRST_BYTES));
    let mut body = pin!(body);
    while let Some(frame) = connection.drive(body.frame()).await {
        let frame = frame.map_err(|error| HttpError::of_cause(&error))?;
        // Trailers are passed over.
        let Ok(part) = frame.into_data() else { continue };
        if part.len() > max_bytes - bytes.len() {
            return Err(too_large());
        }
        bytes.push(&part);
    }
    Ok(HttpResponse { status, headers, body: bytes.finish() })
}
