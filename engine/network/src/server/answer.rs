use std::{fmt::Write, time::SystemTime};

use http::{HeaderName, HeaderValue, StatusCode};

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
    /// The answer if a mistake of ours kept the right one from being found.
    #[must_use]
    pub fn internal() -> Self {
        Self {
            status: 500,
            content_type: "application/json".to_owned(),
            body: concat!(
                r#"{"error":{"code":"INTERNAL","message":"the request could not be answered","#,
                r#""hint":"see docs/reference/health.md"}}"#
            )
            .to_owned(),
            ..Self::default()
        }
    }

    /// The bytes for the client; the body is not sent in answer to HEAD. An answer that HTTP cannot
    /// carry becomes `internal`.
    pub(super) fn into_bytes(self, is_head: bool) -> Vec<u8> {
        self.head().map_or_else(
            || Self::internal().into_bytes(is_head),
            |mut bytes| {
                bytes.push_str(if is_head { "" } else { &self.body });
                bytes.into_bytes()
            },
        )
    }

    /// RFC 9112 section 4, RFC 9110 section 8.
    fn head(&self) -> Option<String> {
        let status = StatusCode::from_u16(self.status).ok()?;
        let mut head = format!("HTTP/1.1 {} ", status.as_str());
        head.push_str(status.canonical_reason().unwrap_or_default());
        let fixed = [
            ("content-type", self.content_type.as_str()),
            ("content-length", &self.body.len().to_string()),
            ("date", &httpdate::fmt_http_date(SystemTime::now())),
            ("connection", "close"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ];
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in fixed.into_iter().chain(own) {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            HeaderValue::from_str(value).ok()?;
            write!(head, "\r\n{name}: {value}").ok()?;
        }
        head.push_str("\r\n\r\n");
        Some(head)
    }
}
