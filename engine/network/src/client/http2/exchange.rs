use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
};

use bytes::Bytes;
use h2::{Reason, RecvStream, SendStream, client::ResponseFuture};
use http::{
    HeaderValue, Request, Response, Uri, Version,
    header::{CONTENT_LENGTH, HOST},
    uri::Scheme,
};
use svc_secrets::SecretBuilder;

use super::connection::{Http2Connection, Seat};
use crate::{
    HttpError, HttpFault,
    client::{
        exchange::{FIRST_BYTES, Failed, HttpResponse},
        request::{HttpRequest, Origin},
        request_body::PART_BYTES,
    },
    headers::joined_headers,
};

const MAX_HEADERS: usize = 128;

/// Sends a request on a separate stream and reads the whole answer. If the future is dropped,
/// the stream is reset, and other streams go on.
pub(crate) async fn exchange(seat: &Seat, request: &HttpRequest) -> Result<HttpResponse, Failed> {
    seat.begin();
    let ended = seat.drive(on_stream(seat, request)).await;
    seat.end();
    ended
}

async fn on_stream(seat: &Seat, request: &HttpRequest) -> Result<HttpResponse, Failed> {
    let connection = &*seat.connection;
    let is_alone = request.body.as_ref().is_none_or(|body| body.expose().is_empty());
    let begun = connection.sender().send_request(to_h2(request), is_alone);
    let (answer, stream) = begun.map_err(|error| unsent(connection, &error))?;
    let response = response(answer, stream, request).await;
    let response = response.map_err(|error| unanswered(connection, &error))?;
    connection.answered();
    read(response, request.max_bytes).await.map_err(|problem| {
        let error = problem.into_error(connection).after_head();
        Failed { error, is_unsent: false, has_answer: true }
    })
}

fn to_h2(request: &HttpRequest) -> Request<()> {
    let mut headers = request.headers.clone();
    // RFC 9113 section 8.3.1: the authority is in a separate field.
    let host = headers.remove(HOST);
    let authority = host.as_ref().and_then(|host| host.to_str().ok()?.parse().ok());
    let authority = authority.or_else(|| {
        let Origin { host, port, .. } = &request.origin;
        format!("{host}:{port}").parse().ok()
    });
    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(Scheme::HTTPS);
    parts.authority = authority;
    parts.path_and_query = Some(request.target.clone());
    if let Some(body) = &request.body {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.expose().len()));
    }
    let mut made = Request::new(());
    *made.method_mut() = request.method.clone();
    *made.version_mut() = Version::HTTP_2;
    *made.uri_mut() = Uri::from_parts(parts).expect("the URL had these parts");
    *made.headers_mut() = headers;
    made
}

/// Sends the body, and waits for the head of the answer, which may come before all of it has left.
async fn response(
    mut answer: ResponseFuture,
    stream: SendStream<Bytes>,
    request: &HttpRequest,
) -> Result<Response<RecvStream>, h2::Error> {
    let mut sending = pin!(send_body(stream, request));
    let mut is_sending = true;
    poll_fn(|context| {
        // Its error comes out of the answer, too.
        is_sending = is_sending && sending.as_mut().poll(context).is_pending();
        Pin::new(&mut answer).poll(context)
    })
    .await
}

/// The bytes leave their secret in parts, as the server takes them.
async fn send_body(mut stream: SendStream<Bytes>, request: &HttpRequest) -> Result<(), h2::Error> {
    let mut rest = request.body.as_ref().map_or(&[][..], |body| body.expose());
    while !rest.is_empty() {
        stream.reserve_capacity(rest.len().min(PART_BYTES));
        let Some(capacity) = poll_fn(|context| stream.poll_capacity(context)).await else { break };
        let (part, behind) = rest.split_at(rest.len().min(capacity?));
        stream.send_data(Bytes::copy_from_slice(part), behind.is_empty())?;
        rest = behind;
    }
    Ok(())
}

/// The fault of an answer.
enum Problem {
    Fault(HttpFault),
    Http2(h2::Error),
}

impl Problem {
    fn into_error(self, connection: &Http2Connection) -> HttpError {
        match self {
            Self::Fault(fault) => HttpError::of(fault),
            Self::Http2(error) => error_of(connection, &error),
        }
    }
}

impl From<h2::Error> for Problem {
    fn from(error: h2::Error) -> Self {
        Self::Http2(error)
    }
}

async fn read(response: Response<RecvStream>, max_bytes: usize) -> Result<HttpResponse, Problem> {
    let (head, mut body) = response.into_parts();
    if head.headers.len() > MAX_HEADERS {
        return Err(Problem::Fault(HttpFault::HeadersTooLarge));
    }
    let (status, headers) = (head.status.as_u16(), joined_headers(&head.headers));
    let declared = if body.is_end_stream() { 0 } else { declared(&head.headers) };
    drop(head);
    if declared > max_bytes {
        return Err(Problem::Fault(HttpFault::BodyTooLarge));
    }
    // A length is easily said: memory is taken as the bytes come.
    let mut bytes = SecretBuilder::with_capacity(declared.min(FIRST_BYTES));
    // Trailers are passed over.
    while let Some(part) = body.data().await {
        let part = part?;
        if part.len() > max_bytes - bytes.len() {
            return Err(Problem::Fault(HttpFault::BodyTooLarge));
        }
        bytes.push(&part);
        body.flow_control().release_capacity(part.len())?;
    }
    Ok(HttpResponse { status, headers, body: bytes.finish() })
}

/// The body's length as the head has it; h2 has compared it with the body's end.
fn declared(headers: &http::HeaderMap) -> usize {
    let text = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    text.map_or(0, |text| text.parse().unwrap_or(usize::MAX))
}

fn unsent(connection: &Http2Connection, error: &h2::Error) -> Failed {
    connection.retire();
    Failed { error: error_of(connection, error), is_unsent: true, has_answer: false }
}

/// RFC 9113 section 8.7: a stream above GOAWAY's, or one that was refused, was not processed.
fn unanswered(connection: &Http2Connection, error: &h2::Error) -> Failed {
    let is_refused = error.is_reset() && error.reason() == Some(Reason::REFUSED_STREAM);
    let is_unsent = error.is_remote() && (error.is_go_away() || is_refused);
    if is_unsent {
        connection.retire();
    }
    Failed { error: error_of_head(connection, error), is_unsent, has_answer: false }
}

/// h2 resets a stream whose headers are too large by the same code as one whose headers it cannot
/// read. The larger ones are the likely ones.
fn error_of_head(connection: &Http2Connection, error: &h2::Error) -> HttpError {
    if error.is_library() && error.is_reset() {
        return HttpError::with_detail(HttpFault::HeadersTooLarge, "or malformed");
    }
    error_of(connection, error)
}

fn error_of(connection: &Http2Connection, error: &h2::Error) -> HttpError {
    let failure = if error.is_io() { connection.failure() } else { None };
    failure.unwrap_or_else(|| HttpError::of_h2(error))
}
