const HEADER_BYTES = 5;
const MOST_BYTES = 64 * 1024;

/** A message as gRPC sends it: not compressed, with its length (grpc/doc/PROTOCOL-HTTP2.md). */
export function grpcFrame(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, HEADER_BYTES);
  return frame;
}

/** Cuts messages out of a stream of bytes. */
export class GrpcFrameReader {
  #rest = new Uint8Array();

  /** The messages that are complete with these bytes. @throws RangeError where they are none of gRPC */
  take(bytes: Uint8Array): readonly Uint8Array[] {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const messages: Uint8Array[] = [];
    let at = 0;
    while (all.length - at >= HEADER_BYTES) {
      const view = new DataView(all.buffer, at);
      const length = view.getUint32(1);
      if (view.getUint8(0) !== 0 || length > MOST_BYTES) {
        throw new RangeError("read an answer: it is compressed, or too long");
      }
      if (all.length - at - HEADER_BYTES < length) break;
      messages.push(all.slice(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
    this.#rest = all.slice(at);
    return messages;
  }
}
