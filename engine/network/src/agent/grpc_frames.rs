use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;

const HEADER_BYTES: usize = 5;
const MOST_BYTES: usize = 64 << 10;

/// A message as gRPC sends it: not compressed, with its length.
pub(super) fn frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(HEADER_BYTES + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).expect("the agent's messages are short"));
    message.encode(&mut bytes).expect("there is room for it");
    bytes.freeze()
}

/// Cuts messages out of a stream of bytes.
#[derive(Default)]
pub(super) struct FrameReader(BytesMut);

/// The bytes are not a frame: compressed, or too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotAFrame;

impl FrameReader {
    /// Takes bytes from the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    pub fn take(&mut self) -> Result<Option<Bytes>, NotAFrame> {
        let Some(mut header) = self.0.get(..HEADER_BYTES) else { return Ok(None) };
        let is_compressed = header.get_u8() != 0;
        let length = usize::try_from(header.get_u32()).map_err(|_| NotAFrame)?;
        if is_compressed || length > MOST_BYTES {
            return Err(NotAFrame);
        }
        if self.0.len() - HEADER_BYTES < length {
            return Ok(None);
        }
        self.0.advance(HEADER_BYTES);
        Ok(Some(self.0.split_to(length).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_messages_wherever_the_bytes_are_cut() {
        let bytes = [&[0, 0, 0, 0, 2, 7, 8][..], &[0, 0, 0, 0, 0], &[0, 0, 0, 0, 1, 9]].concat();
        for size in 1..=bytes.len() {
            let mut frames = FrameReader::default();
            let mut found = Vec::new();
            for part in bytes.chunks(size) {
                frames.push(part);
                while let Some(message) = frames.take().unwrap() {
                    found.push(message.to_vec());
                }
            }
            assert_eq!(found, [vec![7, 8], vec![], vec![9]], "{size}");
        }
    }

    #[test]
    fn refuses_what_is_compressed_or_too_long() {
        for (bytes, expected) in [
            ([1, 0, 0, 0, 0], Err(NotAFrame)),
            ([0, 0, 1, 0, 1], Err(NotAFrame)),
            ([0, 0xff, 0xff, 0xff, 0xff], Err(NotAFrame)),
            ([0, 0, 1, 0, 0], Ok(None)),
        ] {
            let mut frames = FrameReader::default();
            frames.push(&bytes);
            assert_eq!(frames.take(), expected);
        }
    }
}
