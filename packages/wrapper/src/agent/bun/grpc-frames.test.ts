import { expect, test } from "bun:test";
import { GrpcFrameReader, grpcFrame } from "./grpc-frames.ts";

const message = (length: number) => new Uint8Array(length).map((_, index) => index);

test("messages come back whole, however their bytes are cut", () => {
  const sent = [message(0), message(3), message(300)];
  const bytes = Uint8Array.from(sent.flatMap((part) => [...grpcFrame(part)]));
  for (const size of [1, 2, 5, 7, bytes.length]) {
    const reader = new GrpcFrameReader();
    const got: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      got.push(...reader.take(bytes.subarray(at, at + size)));
    }
    expect(got).toEqual(sent);
  }
});

test("a compressed message, and one of more than 64 KiB, are refused", () => {
  expect(() => new GrpcFrameReader().take(Uint8Array.of(1, 0, 0, 0, 1, 7))).toThrow(RangeError);
  expect(() => new GrpcFrameReader().take(Uint8Array.of(0, 0, 1, 0, 1))).toThrow(RangeError);
});
