import { describe, expect, test } from "bun:test";
import { sendRaw } from "../http/testdata/raw-client.ts";
import { recordLog } from "../http/testdata/record-log.ts";
import { startHealthServer } from "./health-server.ts";
import type { Readiness } from "./readiness.ts";

const ready: Readiness = { status: "ready", rotations: 0, applicationRestarts: 0 };
const starting: Readiness = { status: "starting", reason: "the secrets are being fetched" };
const anyPort = { host: "127.0.0.1", port: 0 };

describe("startHealthServer", () => {
  test("listens on a free port, logs it, and follows the readiness", async () => {
    const { log, lines } = recordLog();
    let readiness: Readiness = starting;
    const view = { readiness: () => readiness, metrics: () => "x 1\n" };
    const server = startHealthServer(anyPort, view, log);
    const base = `http://127.0.0.1:${lines[0]?.["port"]}`;
    expect((await fetch(`${base}/readyz`)).status).toBe(503);
    readiness = ready;
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${base}/metrics`)).text()).toBe("x 1\n");
    server.stop();
    await expect(fetch(`${base}/readyz`)).rejects.toThrow();
  });

  test("throws where the port is taken", () => {
    const { log, lines } = recordLog();
    const first = startHealthServer(anyPort, viewOf(ready), log);
    const port = Number(lines[0]?.["port"]);
    expect(() => startHealthServer({ ...anyPort, port }, viewOf(ready), log)).toThrow(
      expect.objectContaining({ code: "EADDRINUSE" }),
    );
    first.stop();
  });

  test("throws where a certificate is missing", () => {
    const { log } = recordLog();
    const tls = { certPath: "/nowhere/tls.crt", keyPath: "/nowhere/tls.key" };
    expect(() => startHealthServer({ ...anyPort, tls }, viewOf(ready), log)).toThrow("ENOENT");
  });

  test("answers a view that fails with an error, and says nothing of it", async () => {
    const { log, lines } = recordLog();
    const failing = () => {
      throw new RangeError("on purpose");
    };
    const server = startHealthServer(anyPort, { readiness: failing, metrics: failing }, log);
    const answer = await fetch(`http://127.0.0.1:${lines[0]?.["port"]}/readyz`);
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { error: { code: "INTERNAL" } },
    ]);
    server.stop();
  });

  test("is already unsealed, whatever the body would be", async () => {
    const { log, lines } = recordLog();
    const server = startHealthServer(anyPort, viewOf(ready), log);
    const port = Number(lines[0]?.["port"]);
    for (const length of [0, 5, 1_000_000]) {
      const request = `POST /v1/unseal HTTP/1.1\r\nHost: p\r\nContent-Length: ${length}\r\n\r\n`;
      const { status, body } = await sendRaw(request, { port });
      expect([status, JSON.parse(body).error.code]).toEqual([409, "ALREADY_UNSEALED"]);
    }
    server.stop();
  });
});

function viewOf(readiness: Readiness) {
  return { readiness: () => readiness, metrics: () => "" };
}
