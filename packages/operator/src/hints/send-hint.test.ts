import { expect, test } from "bun:test";
import { HINT_HEADER, HINT_PATH } from "@svc/protocol";
import { certificateAuthority, freePort } from "@svc/testing";
import { hintSender } from "./send-hint.ts";

const send = hintSender(new AbortController().signal);

async function answered(respond: (request: Request) => Response | Promise<Response>) {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
  const to = { address: "127.0.0.1", port: server.port ?? 0, tls: false };
  return await send(to, "1 2 fresh 3 mac");
}

test("a hint is a POST without a body, and its header", async () => {
  const seen: unknown[] = [];
  const answer = await answered(async (request) => {
    const { method, headers } = request;
    const path = new URL(request.url).pathname;
    seen.push([method, path, headers.get(HINT_HEADER), await request.text()]);
    return new Response(null, { status: 204 });
  });
  expect(answer).toEqual({ outcome: "taken" });
  expect(seen).toEqual([["POST", HINT_PATH, "1 2 fresh 3 mac", ""]]);
});

test.each([
  [200, "taken"],
  [302, "over"],
  [403, "over"],
  [404, "over"],
  [405, "over"],
  [409, "over"],
  [408, "failed"],
  [500, "failed"],
  [503, "failed"],
])("status %d: %s", async (status, outcome) => {
  const headers = { Location: "http://127.0.0.1:1/" };
  expect(await answered(() => new Response("body", { status, headers }))).toEqual({
    outcome: outcome as "taken",
  });
});

test.each([
  ["7", 7000],
  ["86400", undefined],
  ["soon", undefined],
])("429 with Retry-After %s", async (value, retryAfterMs) => {
  const answer = await answered(
    () => new Response(null, { status: 429, headers: { "Retry-After": value } }),
  );
  expect(answer).toEqual({ outcome: "later", retryAfterMs });
});

test("a port with TLS is asked by it, and its certificate does not matter", async () => {
  const { certificatePem, keyPem } = await (await certificateAuthority("unknown")).issue();
  const tls = { cert: certificatePem, key: keyPem };
  const fetch = () => new Response(null, { status: 204 });
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch });
  const port = server.port ?? 0;
  const to = { address: "127.0.0.1", port };
  expect(await send({ ...to, tls: true }, "h")).toEqual({ outcome: "taken" });
  expect(await send({ ...to, tls: false }, "h")).not.toEqual({ outcome: "taken" });
});

test("an address of IPv6 is asked as such", async () => {
  using server = Bun.serve({ port: 0, hostname: "::1", fetch: () => new Response("ok") });
  const to = { address: "::1", port: server.port ?? 0, tls: false };
  expect(await send(to, "h")).toEqual({ outcome: "taken" });
});

test("nothing listens: it is over", async () => {
  const to = { address: "127.0.0.1", port: freePort(), tls: false };
  expect(await send(to, "h")).toEqual({ outcome: "over" });
});

test("an answer that does not come is given up, and a body without end is not read", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  expect(await answered(() => promise)).toEqual({ outcome: "failed" });
  resolve(new Response(null));
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
  });
  expect(await answered(() => new Response(endless))).toEqual({ outcome: "taken" });
}, 20_000);

test("the end of the operator ends a hint that is under way", async () => {
  const ended = new AbortController();
  const { promise } = Promise.withResolvers<Response>();
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => promise });
  const to = { address: "127.0.0.1", port: server.port ?? 0, tls: false };
  const sent = hintSender(ended.signal)(to, "h");
  ended.abort();
  expect(await sent).toEqual({ outcome: "failed" });
});
