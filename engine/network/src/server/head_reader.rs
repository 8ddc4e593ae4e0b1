use std::io;

use svc_secrets::SecretBuilder;
use tokio::io::AsyncRead;

use super::{
    Refusal,
    doorway::Doorway,
    request_head::{Request, malformed, read_head, too_large},
};

/// The head of a request, and the part of the body that came with it.
pub(super) struct Asked {
    pub request: Request,
    pub body: SecretBuilder,
}

/// Bytes of a head as they come. Those behind it are in locked pages from the first on.
#[derive(Default)]
struct HeadReader {
    head: Vec<u8>,
    body: SecretBuilder,
    /// How much of the blank line that ends a head has come, 0 to 4 bytes.
    matched: usize,
    has_bare_line_feed: bool,
}

/// Waits for the head of a request. `None` if the client leaves before it is whole.
pub(super) async fn await_head(
    doorway: &Doorway,
    stream: &mut (impl AsyncRead + Unpin),
    most: usize,
) -> io::Result<Option<Result<Asked, Refusal>>> {
    let mut reader = HeadReader::default();
    while reader.matched < 4 {
        let is_first = reader.head.is_empty();
        if doorway.read(stream, usize::MAX, |bytes| reader.take(bytes)).await?.is_none() {
            return Ok(None);
        }
        if let Some(refusal) = reader.refusal(most, is_first) {
            return Ok(Some(Err(refusal)));
        }
    }
    let HeadReader { head, body, .. } = reader;
    let request = read_head(&head).and_then(|request| request.ok_or_else(|| malformed("no head")));
    Ok(Some(request.map(|request| Asked { request, body })))
}

impl HeadReader {
    fn take(&mut self, bytes: &[u8]) {
        let end = bytes.iter().position(|byte| self.ends_with(*byte));
        let (head, body) = bytes.split_at(end.map_or(bytes.len(), |last| last + 1));
        self.head.extend_from_slice(head);
        if !body.is_empty() {
            self.body.push(body);
        }
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        self.matched = match (self.matched, byte) {
            (0 | 2, b'\r') | (1 | 3, b'\n') => self.matched + 1,
            (_, b'\r') => 1,
            (_, b'\n') => {
                self.has_bare_line_feed = true;
                0
            }
            _ => 0,
        };
        self.matched == 4
    }

    fn refusal(&self, most: usize, is_first: bool) -> Option<Refusal> {
        if self.has_bare_line_feed {
            return Some(malformed("a line ends without a carriage return"));
        }
        if self.head.len() > most {
            return Some(too_large(&format!("the head has more than {most} bytes")));
        }
        // A client that does not speak HTTP waits for an answer, and never ends its head.
        if is_first { read_head(&self.head).err() } else { None }
    }
}
