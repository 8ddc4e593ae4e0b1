use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use svc_secrets::SecretBytes;

/// As much of a body as is outside of its locked memory at a time.
pub(super) const PART_BYTES: usize = 16 << 10;

/// A body whose bytes leave their secret in parts, just before they are sent.
pub(super) struct RequestBody {
    bytes: Option<SecretBytes>,
    sent: usize,
}

impl RequestBody {
    pub fn new(bytes: Option<SecretBytes>) -> Self {
        Self { bytes, sent: 0 }
    }

    fn rest(&self) -> &[u8] {
        self.bytes.as_ref().map_or(&[], |bytes| &bytes.expose()[self.sent..])
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let rest = self.rest();
        if rest.is_empty() {
            return Poll::Ready(None);
        }
        let part = Bytes::copy_from_slice(&rest[..rest.len().min(PART_BYTES)]);
        self.sent += part.len();
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest().len() as u64)
    }
}
