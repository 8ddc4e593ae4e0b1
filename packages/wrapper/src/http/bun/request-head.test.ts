import { describe, expect, test } from "bun:test";
import { readRequestHead } from "./request-head.ts";

const HOST = "Host: pod";

describe("readRequestHead", () => {
  const paths: readonly (readonly [name: string, target: string, path: string])[] = [
    ["a path", "/healthz", "/healthz"],
    ["a path with a query", "/readyz?verbose=1&x=/y", "/readyz"],
    ["a whole URL", "http://pod:8199/readyz?x", "/readyz"],
    ["a whole URL without a path", "http://pod", "/"],
    ["dots, as they are", "/a/../healthz", "/a/../healthz"],
    ["escapes, as they are", "/%68ealthz", "/%68ealthz"],
    ["a star", "*", "*"],
    ["an authority", "pod:80", "pod:80"],
  ];
  for (const [name, target, path] of paths) {
    test(`takes ${name}`, () => {
      expect(read(`GET ${target} HTTP/1.1\r\n${HOST}`)).toMatchObject({
        kind: "head",
        head: { method: "GET", path, bodyLength: 0, waitsForContinue: false },
      });
    });
  }

  test("reads headers by name in any case, without the blanks around their values", () => {
    const reading = read(`POST / HTTP/1.1\r\n${HOST}\r\nX-A: \t b c \r\nx-a:d\r\nEMPTY:`);
    expect(reading.kind === "head" && [...reading.head.headers]).toEqual([
      ["host", "pod"],
      ["x-a", "b c, d"],
      ["empty", ""],
    ]);
  });

  test("takes HTTP/1.0 without a Host", () => {
    expect(read("GET /healthz HTTP/1.0").kind).toBe("head");
  });

  test("reads the body's length and whether the client waits for a word", () => {
    const head = `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 12\r\nExpect: 100-Continue`;
    expect(read(head)).toMatchObject({ head: { bodyLength: 12, waitsForContinue: true } });
  });

  const refused: readonly (readonly [name: string, head: string, status: number])[] = [
    ["nothing", "", 400],
    ["a method alone", "GET", 400],
    ["no version", "GET /", 400],
    ["a version that is none", `GET / HTTP/1\r\n${HOST}`, 400],
    ["HTTP/2", "PRI * HTTP/2.0", 505],
    ["HTTP/0.9", "GET / HTTP/0.9", 505],
    ["two blanks", `GET  / HTTP/1.1\r\n${HOST}`, 400],
    ["a blank in front", ` GET / HTTP/1.1\r\n${HOST}`, 400],
    ["a tab for a blank", `GET\t/ HTTP/1.1\r\n${HOST}`, 400],
    ["a method with odd characters", `GE(T / HTTP/1.1\r\n${HOST}`, 400],
    ["a very long method", `${"A".repeat(33)} / HTTP/1.1\r\n${HOST}`, 400],
    ["a target beyond ASCII", `GET /\xff HTTP/1.1\r\n${HOST}`, 400],
    ["a NUL in the target", `GET /\0 HTTP/1.1\r\n${HOST}`, 400],
    ["bare line feeds", `GET / HTTP/1.1\n${HOST}`, 400],
    ["a bare line feed in a header", `GET / HTTP/1.1\r\n${HOST}\nX: y`, 400],
    ["a bare carriage return in a header", `GET / HTTP/1.1\r\n${HOST}\rX: y`, 400],
    ["no Host", "GET / HTTP/1.1\r\nX: y", 400],
    ["two Hosts", `GET / HTTP/1.1\r\n${HOST}\r\n${HOST}`, 400],
    ["a header without a colon", `GET / HTTP/1.1\r\n${HOST}\r\nX`, 400],
    ["a header without a name", `GET / HTTP/1.1\r\n${HOST}\r\n: y`, 400],
    ["a blank before the colon", `GET / HTTP/1.1\r\n${HOST}\r\nX : y`, 400],
    ["a folded header", `GET / HTTP/1.1\r\n${HOST}\r\nX: y\r\n z`, 400],
    ["a NUL in a header", `GET / HTTP/1.1\r\n${HOST}\r\nX: a\0b`, 400],
    ["65 headers", `GET / HTTP/1.1\r\n${HOST}\r\n${lines(64)}`, 431],
    ["a negative length", post("Content-Length: -1"), 400],
    ["a signed length", post("Content-Length: +1"), 400],
    ["a hexadecimal length", post("Content-Length: 0x1"), 400],
    ["an empty length", post("Content-Length:"), 400],
    ["two lengths", post("Content-Length: 1\r\nContent-Length: 2"), 400],
    ["the same length twice", post("Content-Length: 1\r\nContent-Length: 1"), 400],
    ["a length of 16 digits", post("Content-Length: 1000000000000000"), 400],
    ["a chunked body", post("Transfer-Encoding: chunked"), 411],
    ["a length and an encoding", post("Content-Length: 1\r\nTransfer-Encoding: chunked"), 400],
  ];
  for (const [name, head, status] of refused) {
    test(`refuses ${name} with ${status}`, () => {
      const reading = read(head);
      expect(reading).toMatchObject({ kind: "refused", refusal: { status } });
    });
  }

  test("never throws, whatever the bytes", () => {
    const alphabet = [
      "GET ",
      "POST ",
      "/",
      " HTTP/1.1",
      "\r\n",
      "\n",
      ":",
      " ",
      "Host: x",
      "\0",
      "é",
    ];
    let seed = 7;
    const next = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % limit;
    };
    for (let round = 0; round < 5000; round += 1) {
      const words = Array.from({ length: next(12) }, () => alphabet[next(alphabet.length)] ?? "");
      expect(["head", "refused"]).toContain(read(words.join("")).kind);
    }
  });
});

function read(text: string) {
  return readRequestHead(Buffer.from(text, "latin1"));
}

function post(header: string): string {
  return `POST / HTTP/1.1\r\n${HOST}\r\n${header}`;
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `X-${index}: y`).join("\r\n");
}
