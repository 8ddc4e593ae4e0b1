use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;

/// An answer to a request.
#[derive(Default)]
pub struct Answer {
    /// 200 to 599.
    pub status: u16,
    /// The media type of the body.
    pub content_type: String,
    /// All of the body.
    pub body: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// Called once the client has left with the answer, or without it.
    pub on_gone: Option<Box<dyn FnOnce()>>,
}

impl Answer {
    /// The answer for hyper. One that could not be sent becomes status 500.
    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        self.try_into_response().unwrap_or_else(|_| {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            response
        })
    }

    fn try_into_response(self) -> Result<Response<Full<Bytes>>, http::Error> {
        let mut response = Response::new(Full::new(Bytes::from(self.body)));
        *response.status_mut() = StatusCode::from_u16(self.status)?;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(&self.content_type)?);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        for (name, value) in self.headers {
            let name = HeaderName::from_bytes(name.as_bytes())?;
            headers.append(name, HeaderValue::from_str(&value)?);
        }
        Ok(response)
    }
}
