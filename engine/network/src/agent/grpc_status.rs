use http::HeaderMap;
use percent_encoding::percent_decode;

use super::AgentEnd;

/// The end that headers or trailers report; `None` if they report no end.
pub(super) fn end_of(headers: &HeaderMap) -> Option<AgentEnd> {
    let status = headers.get("grpc-status")?.to_str().unwrap_or("of no number");
    if status == "0" {
        return Some(AgentEnd::new("the agent has ended the stream"));
    }
    let message = headers.get("grpc-message").map_or_else(String::new, |message| {
        // It is percent-encoded UTF-8.
        format!(": {}", percent_decode(message.as_bytes()).decode_utf8_lossy())
    });
    Some(AgentEnd::new(format!("gRPC status {status}{message}")))
}
