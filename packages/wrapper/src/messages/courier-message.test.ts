import { describe, expect, test } from "bun:test";
import { failure } from "../errors.ts";
import { type CourierMessage, MessageReader, messageBytes } from "./courier-message.ts";

const messages: readonly CourierMessage[] = [
  { kind: "becoming", delivery: "inject", variables: 2 },
  { kind: "failed", failures: [failure("INTERNAL", "a wörd\nand a line")] },
];

describe("MessageReader", () => {
  test("reads messages that arrive in any pieces", () => {
    const bytes = Uint8Array.from(messages.flatMap((message) => [...messageBytes(message)]));
    for (let length = 1; length <= bytes.length; length += 1) {
      const reader = new MessageReader();
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
        bytes.slice(index * length, (index + 1) * length),
      );
      expect(pieces.flatMap((piece) => reader.take(piece))).toEqual([...messages]);
    }
  });

  test("keeps a torn message to itself", () => {
    const [message] = messages;
    if (message === undefined) throw new TypeError("no message");
    expect(new MessageReader().take(messageBytes(message).slice(0, -1))).toEqual([]);
  });
});
