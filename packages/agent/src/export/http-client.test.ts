import { describe, expect, test } from "bun:test";
import { httpClient } from "./http-client.ts";
import type { SendOutcome } from "./send-outcome.ts";

describe("an answer of the platform", () => {
  const zeros = Bun.gzipSync(new Uint8Array(1024 * 1024));
  const rows: readonly (readonly [
    name: string,
    answer: () => Response,
    kind: SendOutcome["kind"],
  ])[] = [
    ["without a body", () => new Response(null, { status: 204 }), "taken"],
    ["that is larger than it says", () => packed(zeros), "taken"],
    ["that is a page", () => page(), "later"],
    ["that leads elsewhere", () => Response.redirect("http://127.0.0.1:1", 307), "later"],
    ["that it is overloaded", () => new Response(null, { status: 503 }), "later"],
    ["that it cannot be understood", () => new Response(null, { status: 400 }), "never"],
  ];
  for (const [name, answer, kind] of rows) {
    test(`${name}: ${kind}, and none is asked to be compressed`, async () => {
      const asked: (string | null)[] = [];
      await using platform = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ headers }) => {
          asked.push(headers.get("accept-encoding"));
          return answer();
        },
      });
      const url = `http://127.0.0.1:${platform.port}`;
      const client = httpClient(
        {
          endpoint: { protocol: "http", secure: false, url },
          compression: "none",
          requestTimeoutMs: 5000,
        },
        { headers: new Map(), tls: {} },
      );
      const outcome = await client.send(new Uint8Array(1), new AbortController().signal);
      expect({ kind: outcome.kind, asked }).toEqual({ kind, asked: ["identity"] });
    });
  }
});

function packed(body: Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { headers: { "content-encoding": "gzip" } });
}

function page(): Response {
  return new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } });
}
