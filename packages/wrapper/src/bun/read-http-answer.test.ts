import { describe, expect, test } from "bun:test";
import type { PlainAnswer } from "../runtime.ts";
import { readHttpAnswer } from "./read-http-answer.ts";

const answer = (status: number, body: string): PlainAnswer => ({ kind: "answer", status, body });
const notHttp: PlainAnswer = { kind: "none", why: "the answer is not HTTP" };

describe("an answer", () => {
  const cases: Readonly<Record<string, readonly [text: string, answer: PlainAnswer]>> = {
    "with a body": ["HTTP/1.1 200 OK\r\nServer: x\r\n\r\n{}", answer(200, "{}")],
    "without a phrase": ["HTTP/1.0 503\r\n\r\n", answer(503, "")],
    "cut off in its head": ["HTTP/1.1 503 x\r\nConne", answer(503, "")],
    "of another version": ["HTTP/2 200\r\n\r\n", notHttp],
    "with a status that is none": ["HTTP/1.1 2000 OK\r\n\r\n", notHttp],
    "cut off in its first line": ["HTTP/1.1 200 OK", notHttp],
    "of another protocol": ["SSH-2.0-OpenSSH\r\n", notHttp],
    "that is empty": ["", { kind: "none", why: "closed without an answer" }],
  };
  for (const [name, [text, wanted]] of Object.entries(cases)) {
    test(name, () => expect(readHttpAnswer(new TextEncoder().encode(text))).toEqual(wanted));
  }
});
