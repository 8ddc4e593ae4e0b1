import { describe, expect, test } from "bun:test";
import type { HttpService } from "../http/http-service.ts";
import { FakeServers } from "../http/testdata/fake-servers.ts";
import { recordLog } from "../http/testdata/record-log.ts";
import type { StatusView } from "./health-answers.ts";
import { startHealthServer } from "./health-server.ts";
import type { Readiness } from "./readiness.ts";

const ready: Readiness = { status: "ready", rotations: 0, applicationRestarts: 0 };
const starting: Readiness = { status: "starting", reason: "the secrets are being fetched" };
const anyPort = { host: "127.0.0.1", port: 0 };

describe("startHealthServer", () => {
  test("listens on a free port, logs it, and follows the readiness", async () => {
    let readiness: Readiness = starting;
    const { servers, server, port } = started({
      ...viewOf(ready),
      readiness: () => readiness,
      metrics: () => "x 1\n",
    });
    expect((await servers.ask(port, { path: "/readyz" })).status).toBe(503);
    readiness = ready;
    expect((await servers.ask(port, { path: "/readyz" })).status).toBe(200);
    expect((await servers.ask(port, { path: "/metrics" })).body).toBe("x 1\n");
    server.stop();
    expect(servers.isOpen(port)).toBe(false);
  });

  test("throws if the port is taken", () => {
    const { servers, port } = started(viewOf(ready));
    const again = () =>
      startHealthServer({ ...anyPort, port }, viewOf(ready), recordLog().log, servers.open);
    expect(again).toThrow(expect.objectContaining({ code: "EADDRINUSE" }));
  });

  test("throws if a certificate is missing", () => {
    const tls = { certPath: "/nowhere/tls.crt", keyPath: "/nowhere/tls.key" };
    const start = () =>
      startHealthServer(
        { ...anyPort, tls },
        viewOf(ready),
        recordLog().log,
        new FakeServers().open,
      );
    expect(start).toThrow("ENOENT");
  });

  test.each([
    ["/healthz", undefined, 3_600_000],
    ["/metrics", 10, 250],
    ["/readyz", undefined, 250],
    ["/readyz", 60_000, 250],
    ["/readyz", 12, 12],
    ["/readyz", -5, 0],
    ["/nothing", undefined, undefined],
  ])(
    "the answer of %s holds no longer than readiness lasts, %p ms: %p ms",
    (path, lasts, holds) => {
      const opened: HttpService[] = [];
      const { open } = new FakeServers();
      startHealthServer(anyPort, viewOf(ready, lasts), recordLog().log, (options) => {
        opened.push(options.service);
        return open(options);
      });
      const head = { method: "GET", path, headers: new Map(), bodyLength: 0 };
      const client = { address: "127.0.0.1", certificateName: undefined };
      expect(opened[0]?.answerHead(head, client)?.holdsMs).toBe(holds);
    },
  );

  test("is already unsealed", async () => {
    const { servers, port } = started(viewOf(ready));
    for (const body of ["", "x", JSON.stringify({ token: "t" })]) {
      const answer = await servers.ask(port, { method: "POST", path: "/v1/unseal", body });
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([
        409,
        "ALREADY_UNSEALED",
      ]);
    }
  });
});

describe("/readyz/program", () => {
  test("says why the program takes no requests", async () => {
    const view = viewOf({ status: "draining", reason: "it is replaced" });
    const { servers, port } = started(view);
    const answer = await servers.ask(port, { method: "GET", path: "/readyz/program" });
    expect([answer.status, JSON.parse(answer.body).status]).toEqual([503, "draining"]);
  });

  test("asks the program otherwise", async () => {
    const { servers, port } = started(viewOf(ready));
    const answer = await servers.ask(port, { method: "GET", path: "/readyz/program" });
    expect([answer.status, JSON.parse(answer.body).reason]).toEqual([
      503,
      "the program answers 500",
    ]);
  });

  test("takes no other method", async () => {
    const { servers, port } = started(viewOf(ready));
    const answer = await servers.ask(port, { method: "POST", path: "/readyz/program" });
    expect(answer.status).toBe(405);
  });
});

function started(view: StatusView) {
  const servers = new FakeServers();
  const { log, lines } = recordLog();
  const server = startHealthServer(anyPort, view, log, servers.open);
  return { servers, server, port: Number(lines[0]?.["port"]) };
}

function viewOf(readiness: Readiness, lastsMs?: number): StatusView {
  return {
    readiness: () => readiness,
    metrics: () => "",
    readinessLastsMs: () => lastsMs,
    unserving: () => (readiness.status === "draining" ? readiness : undefined),
    check: {
      checkState: () => ({ state: "current", readiness }),
      askForCheck: () => undefined,
    },
    askProgram: async () => ({ status: "starting", reason: "the program answers 500" }),
  };
}
