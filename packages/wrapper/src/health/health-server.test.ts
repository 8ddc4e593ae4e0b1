import { describe, expect, test } from "bun:test";
import { createLogger } from "../log.ts";
import { answer, type Readiness, startHealthServer } from "./health-server.ts";

const ready: Readiness = { status: "ready" };
const starting: Readiness = { status: "starting", reason: "the secrets are being fetched" };
const stopped: Readiness = { status: "stopped", reason: "the program has ended" };

describe("answer", () => {
  const rows: readonly (readonly [
    name: string,
    method: string,
    target: string,
    readiness: Readiness,
    status: number,
    body: unknown,
  ])[] = [
    ["is healthy when ready", "GET", "/healthz", ready, 200, { status: "ok" }],
    ["is healthy while it starts", "GET", "/healthz", starting, 200, { status: "ok" }],
    ["is ready when ready", "GET", "/readyz", ready, 200, ready],
    ["says why it is not ready yet", "GET", "/readyz", starting, 503, starting],
    ["says why it is ready no more", "GET", "/readyz", stopped, 503, stopped],
    ["looks past a query", "GET", "/readyz?verbose", ready, 200, ready],
    ["answers HEAD with the same status", "HEAD", "/readyz", starting, 503, starting],
    ["refuses POST", "POST", "/healthz", ready, 405, refusal("METHOD_NOT_ALLOWED")],
    ["refuses DELETE", "DELETE", "/readyz", ready, 405, refusal("METHOD_NOT_ALLOWED")],
    ["does not know the root", "GET", "/", ready, 404, refusal("NOT_FOUND")],
    ["does not know a path below", "GET", "/healthz/x", ready, 404, refusal("NOT_FOUND")],
    [
      "says not found before it looks at the method",
      "POST",
      "/x",
      ready,
      404,
      refusal("NOT_FOUND"),
    ],
  ];
  for (const [name, method, target, readiness, status, body] of rows) {
    test(name, async () => {
      const response = answer(new Request(`http://pod${target}`, { method }), readiness);
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(response.headers.get("allow")).toBe(status === 405 ? "GET, HEAD" : null);
      expect(await response.json()).toEqual(body);
    });
  }

  test("repeats only the beginning of a long path", async () => {
    const response = answer(new Request(`http://pod/${"x".repeat(5000)}`), ready);
    expect((await response.text()).length).toBeLessThan(300);
  });
});

describe("startHealthServer", () => {
  test("listens on a free port, logs it, and follows the readiness", async () => {
    const { log, lines } = recorder();
    let readiness: Readiness = starting;
    const server = startHealthServer({ host: "127.0.0.1", port: 0 }, () => readiness, log);
    const url = `http://127.0.0.1:${lines[0]?.["port"]}/readyz`;
    expect((await fetch(url)).status).toBe(503);
    readiness = ready;
    expect((await fetch(url)).status).toBe(200);
    server.stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  test("logs an error and goes on where the port is taken", () => {
    const { log, lines } = recorder();
    const first = startHealthServer({ host: "127.0.0.1", port: 0 }, () => ready, log);
    const port = Number(lines[0]?.["port"]);
    const second = startHealthServer({ host: "127.0.0.1", port }, () => ready, log);
    expect(lines[1]).toMatchObject({ level: "error", reason: "EADDRINUSE" });
    second.stop();
    first.stop();
  });
});

function refusal(code: string) {
  return { error: { code, message: expect.any(String), hint: expect.any(String) } };
}

function recorder() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: "debug",
    format: "json",
    component: "supervisor",
    write: (line) => void lines.push(JSON.parse(line)),
    now: () => new Date(0),
  });
  return { log, lines };
}
