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
    ["of a proxy that has no way on", () => page(502), "later"],
    ["in JSON", () => Response.json({}), "taken"],
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

describe("an answer that is not of OTLP is told with status, type and beginning", () => {
  const rows: readonly (readonly [name: string, answer: () => Response, told: object])[] = [
    [
      "a page of a proxy",
      () => page(502),
      { answer: { status: 502, contentType: "text/html; charset=utf-8", excerpt: "<html>" } },
    ],
    [
      "a page in place of an answer",
      () => page(),
      { answer: { status: 200, contentType: "text/html; charset=utf-8", excerpt: "<html>" } },
    ],
    [
      "JSON of a platform that takes events",
      () => Response.json({ ok: true }),
      { kind: "taken", answer: { status: 200, excerpt: '{"ok":true}' } },
    ],
    [
      "a refusal that quotes a header of the request",
      () => new Response("no such key: aSecretKey!", { status: 401 }),
      { answer: { status: 401, excerpt: "no such key: [a header]" } },
    ],
    [
      "a refusal without a body",
      () => new Response(null, { status: 403 }),
      { answer: { status: 403, contentType: "none", excerpt: "" } },
    ],
  ];
  for (const [name, answer, told] of rows) {
    test(name, async () => {
      await using platform = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
      expect(await sendTo(platform.port ?? 0)).toMatchObject(told);
    });
  }

  test("an answer of OTLP is not told", async () => {
    const headers = { "content-type": "application/x-protobuf" };
    const fetch = () => new Response(new Uint8Array(), { headers });
    await using platform = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    expect(await sendTo(platform.port ?? 0)).toEqual({ kind: "taken", rejected: 0, message: "" });
  });
});

function sendTo(port: number): Promise<SendOutcome> {
  const endpoint = { protocol: "http", secure: false, url: `http://127.0.0.1:${port}` } as const;
  const client = httpClient(
    { endpoint, compression: "none", requestTimeoutMs: 5000 },
    { headers: new Map([["x-key", "aSecretKey"]]), tls: {} },
  );
  return client.send(new Uint8Array(1), new AbortController().signal);
}

function packed(body: Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { headers: { "content-encoding": "gzip" } });
}

function page(status = 200): Response {
  const headers = { "content-type": "text/html; charset=utf-8" };
  return new Response("<html>", { status, headers });
}
