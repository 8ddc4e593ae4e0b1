import { describe, expect, test } from "bun:test";
import { type ReadyAnswer, readyAnswer } from "./ready-answer.ts";

const head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n";
const why = (reason: string) => ({ status: 503, reason });

describe("an answer", () => {
  const cases: Readonly<Record<string, readonly [text: string, answer?: ReadyAnswer]>> = {
    "of a program that runs": [
      'HTTP/1.1 200 OK\r\n\r\n{"status":"ready"}',
      { status: 200, reason: "ready" },
    ],
    "that says why it waits": [
      `${head}{"status":"starting","reason":"the vault is down"}`,
      why("starting: the vault is down"),
    ],
    "that gives no reason": [`${head}{"status":"sealed"}`, why("sealed")],
    "without a phrase": ["HTTP/1.0 503\r\n\r\n", why("")],
    "with a body that is no JSON": [`${head}<html>`, why("")],
    "with JSON that is no object": [`${head}null`, why("")],
    "with texts that are none": [`${head}{"status":1,"reason":{}}`, why("")],
    "cut off in its head": ["HTTP/1.1 503 x\r\nConne", why("")],
    "with letters that move the cursor": [
      `${head}{"reason":"a\\u001b[2J\\nb\\u202ec"}`,
      why("a?[2J?b?c"),
    ],
    "with a reason without an end": [
      `${head}{"reason":"${"x".repeat(999)}"}`,
      why("x".repeat(200)),
    ],
    "of another version": ["HTTP/2 200\r\n\r\n"],
    "with a status that is none": ["HTTP/1.1 2000 OK\r\n\r\n"],
    "cut off in its first line": ["HTTP/1.1 200 OK"],
    "of another protocol": ["SSH-2.0-OpenSSH\r\n"],
    "that is empty": [""],
  };
  for (const [name, [text, answer]] of Object.entries(cases)) {
    test(name, () => expect(readyAnswer(new TextEncoder().encode(text))).toEqual(answer));
  }
});
