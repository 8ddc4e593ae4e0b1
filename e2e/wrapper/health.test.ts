import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { startDevStore } from "@svc/devstore";
import { certificateAuthority, freePort, needsRoot, waitFor } from "@svc/testing";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { store, environment, at } = setStage();

const deadline = (what: string) => ({ deadlineMs: 5000, what });

test.concurrent("is alive and not ready while the vault is down, and ready when it is back", async () => {
  const [vaultPort, healthPort] = [freePort(), freePort()];
  const base = `http://127.0.0.1:${healthPort}`;
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: {
      ...environment,
      VAULT_ADDR: `http://127.0.0.1:${vaultPort}`,
      HEALTH_ADDR: `127.0.0.1:${healthPort}`,
    },
  });
  await wrapper.says("health server listens");
  expect(await ask(`${base}/healthz`)).toEqual([200, { status: "ok" }]);
  const [status, body] = await ask(`${base}/readyz`);
  expect(status).toBe(503);
  expect(body).toMatchObject({ status: "starting", reason: expect.any(String) });

  await using _vault = startDevStore({
    port: vaultPort,
    token: store.token,
    secrets: { "secret/data/app": { password: "x" } },
  });
  await waitFor(async () => (await ask(`${base}/readyz`))[0] === 200, deadline("readiness"));
  expect(await ask(`${base}/readyz`)).toMatchObject([200, { status: "ready" }]);
  expect(await ask(`${base}/healthz`)).toEqual([200, { status: "ok" }]);
  await wrapper.prints("ready\n");
  expect(wrapper.stdout().toString()).toBe("ready\n");
});

const requests = [
  { what: "an unknown path", method: "GET", path: "/nowhere", status: 404, code: "NOT_FOUND" },
  { what: "the root", method: "GET", path: "/", status: 404, code: "NOT_FOUND" },
  { what: "a POST", method: "POST", path: "/healthz", status: 405, code: "METHOD_NOT_ALLOWED" },
  {
    what: "a second token",
    method: "POST",
    path: "/v1/unseal",
    status: 409,
    code: "ALREADY_UNSEALED",
  },
  {
    what: "a DELETE",
    method: "DELETE",
    path: "/readyz",
    status: 405,
    code: "METHOD_NOT_ALLOWED",
  },
];
test.concurrent("refuses unknown requests with an error in JSON", async () => {
  await using wrapper = await startWrapper({ program: [fixture("waits")], environment });
  const base = await addressOf(wrapper);
  for (const { what, method, path, status, code } of requests) {
    const answer = await fetch(`${base}${path}`, { method });
    expect(answer.status, what).toBe(status);
    expect(answer.headers.get("content-type"), what).toStartWith("application/json");
    expect(await answer.json(), what).toMatchObject({
      error: { code, message: expect.any(String), hint: expect.any(String) },
    });
  }
  const metrics = await fetch(`${base}/metrics`);
  expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await metrics.text()).toContain("# TYPE svc_wrapper_ready gauge\nsvc_wrapper_ready ");
  const head = await fetch(`${base}/healthz`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

const rawRequests = [
  { what: "HTTP/1.0 without a host", text: "GET /healthz HTTP/1.0\r\n\r\n", status: "200 OK" },
  {
    what: "an invalid host, which nothing depends on",
    text: "GET /healthz HTTP/1.1\r\nHost: [::bad\r\nConnection: close\r\n\r\n",
    status: "200 OK",
  },
  { what: "no host", text: "GET /healthz HTTP/1.1\r\n\r\n", status: "400 Bad Request" },
  { what: "garbage", text: "\0\x01 HTTP\r\n\r\n", status: "400 Bad Request" },
  {
    what: "a body without a length",
    text: "POST /healthz HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n",
    status: "411 Length Required",
  },
];
test.concurrent("answers odd clients in JSON and says nothing of itself", async () => {
  await using wrapper = await startWrapper({ program: [fixture("waits")], environment });
  const port = Number(await portOf(wrapper));
  for (const { what, text, status } of rawRequests) {
    const answer = await askRaw(port, text);
    // A server may answer HTTP/1.0 in either version (RFC 9110 section 6.2).
    expect(answer.split("\r\n")[0]?.replace("HTTP/1.0", "HTTP/1.1"), what).toBe(
      `HTTP/1.1 ${status}`,
    );
    expect(answer, what).not.toContain("svc-wrapper");
    expect(answer.length, what).toBeLessThan(1000);
  }
  for (const line of wrapper.stderr().trim().split("\n")) expect(line).toStartWith("{");
});

/** Sends bytes that fetch would not, and reads until the server closes or has answered. */
async function askRaw(port: number, text: string): Promise<string> {
  const answer = Promise.withResolvers<string>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(text),
      data: (socket, bytes) => {
        answer.resolve(bytes.toString());
        socket.end();
      },
      close: () => answer.resolve(""),
    },
  });
  return answer.promise;
}

// It reads how much memory the wrapper has, which is not dumpable.
needsRoot(test.concurrent)(
  "a flood of connections takes neither its memory nor its answers",
  async () => {
    await using wrapper = await startWrapper({ program: [fixture("waits")], environment });
    const port = Number(await portOf(wrapper));
    const halfRequest = `GET / HTTP/1.1\r\nHost: p\r\nX: ${"x".repeat(7000)}`;
    const before = anonymousKibibytes(wrapper.pid);
    let closed = 0;
    const open = () =>
      Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: (socket) => void socket.write(halfRequest),
          data: () => undefined,
          close: () => {
            closed += 1;
          },
          // Sent away before the connection was known here.
          connectError: () => {
            closed += 1;
          },
        },
      }).catch(() => undefined);
    const sockets = await Promise.all(Array.from({ length: 2000 }, open));
    await waitFor(() => closed >= 2000 - 256, deadline("all but 256 to be sent away"));
    expect(await ask(`http://127.0.0.1:${port}/healthz`)).toEqual([200, { status: "ok" }]);
    // 256 buffers of 16 KiB, and garbage of 1,024 connections; unbounded it would be 32 MiB and
    // more.
    expect(anonymousKibibytes(wrapper.pid) - before).toBeLessThan(16 << 10);
    for (const socket of sockets) socket?.terminate();
  },
);

test.concurrent("a flood leaves a wrapper with 32 descriptors able to restart its program", async () => {
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "echo started; sleep 0.2; exit 1"],
    environment: { ...environment, SVC_RESTART: "always", SVC_LOG_LEVEL: "debug" },
    startsAs: ["-l", "nofile=32:32"],
  });
  const port = await portOf(wrapper);
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    socket.on("error", () => undefined);
    socket.write("GET / HT");
    return socket;
  });
  await waitFor(
    () => wrapper.stdout().toString().split("started").length > 3,
    deadline("restarts"),
  );
  expect(await ask(`http://127.0.0.1:${port}/healthz`)).toEqual([200, { status: "ok" }]);
  for (const socket of sockets) socket.destroy();
});

function anonymousKibibytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/Anonymous:\s+(\d+) kB/.exec(rollup)?.[1]);
}

test.concurrent("has its own free port for port 0, and the log says which", async () => {
  await using wrapper = await startWrapper({ program: [fixture("waits")], environment });
  expect(await ask(`${await addressOf(wrapper)}/healthz`)).toEqual([200, { status: "ok" }]);
});

test.concurrent("listens on IPv6", async () => {
  const settings = { ...environment, HEALTH_ADDR: "[::1]:0" };
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: settings,
  });
  const port = await portOf(wrapper);
  expect(await ask(`http://[::1]:${port}/healthz`)).toEqual([200, { status: "ok" }]);
});

test.concurrent("a port that is in use keeps the program from starting", async () => {
  await using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const HEALTH_ADDR = `127.0.0.1:${taken.port}`;
  for (const more of [{}, { VAULT_TOKEN: "", VAULT_AUTH_METHOD: "token" }]) {
    const ended = await runToProof({ environment: { ...environment, ...more, HEALTH_ADDR } });
    expect([ended.exitCode, ended.ran, ended.errorCodes]).toEqual([
      125,
      false,
      ["HEALTH_PORT_UNAVAILABLE"],
    ]);
    expect(ended.message).toContain("EADDRINUSE");
    expect(ended.message).toContain(HEALTH_ADDR);
  }
});

test.concurrent("HEALTH_ADDR=off is not a server, and the program runs", async () => {
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: { ...environment, HEALTH_ADDR: "off", SVC_LOG_LEVEL: "debug" },
  });
  await wrapper.prints("ready");
  expect(wrapper.stderr()).not.toContain("health server");
  wrapper.kill(15);
  expect((await wrapper.ended).exitCode).toBe(143);
});

test.concurrent("HEALTH_ADDR=off contradicts a wrapper that waits for a token", async () => {
  const sealed = { VAULT_TOKEN: "", VAULT_AUTH_METHOD: "token", HEALTH_ADDR: "off" };
  const ended = await runToProof({ environment: { ...environment, ...sealed } });
  expect([ended.exitCode, ended.errorCodes]).toEqual([125, ["SETTINGS_INVALID"]]);
  expect(ended.stderr).toContain("HEALTH_ADDR: must be an address");
});

test.concurrent("speaks TLS with SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY", async () => {
  const authority = await certificateAuthority();
  const { certificatePem, keyPem } = await authority.issue();
  writeFileSync(at("cert.pem"), certificatePem);
  writeFileSync(at("key.pem"), keyPem);
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: {
      ...environment,
      SVC_BROKER_TLS_CERT: at("cert.pem"),
      SVC_BROKER_TLS_KEY: at("key.pem"),
    },
  });
  const port = await portOf(wrapper);
  const answer = await fetch(`https://127.0.0.1:${port}/healthz`, {
    tls: { ca: authority.certificatePem },
  });
  expect(answer.status).toBe(200);
  await expect(fetch(`https://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test.concurrent("is gone when the program has ended", async () => {
  const launch = { program: [fixture("exits-on-signal"), "15", "0"], environment };
  await using wrapper = await startWrapper(launch);
  await wrapper.prints("ready");
  const base = await addressOf(wrapper);
  wrapper.kill(15);
  await wrapper.ended;
  await expect(fetch(`${base}/healthz`)).rejects.toThrow();
});

async function portOf(wrapper: RunningWrapper): Promise<string> {
  return waitFor(
    () => /"health server listens".*"port":(\d+)/.exec(wrapper.stderr())?.[1],
    deadline("the health server"),
  );
}

async function addressOf(wrapper: RunningWrapper): Promise<string> {
  return `http://127.0.0.1:${await portOf(wrapper)}`;
}

async function ask(url: string): Promise<readonly [status: number, body: unknown]> {
  const answer = await fetch(url);
  return [answer.status, await answer.json()];
}

describe("files of SVC_BROKER_TLS_* that cannot be used end the start", () => {
  const variables = ["SVC_BROKER_TLS_CERT", "SVC_BROKER_TLS_KEY", "SVC_BROKER_TLS_CA"] as const;
  const modes = {
    "with a token": {},
    sealed: { VAULT_TOKEN: "", VAULT_AUTH_METHOD: "token" },
  };
  for (const [mode, more] of Object.entries(modes)) {
    test.concurrent(mode, async () => {
      const paths = Object.fromEntries(variables.map((name) => [name, `/nowhere/${name}`]));
      const ended = await runToProof({ environment: { ...environment, ...more, ...paths } });
      expect([ended.exitCode, ended.ran]).toEqual([125, false]);
      expect(ended.errorCodes).toEqual(variables.map(() => "SETTINGS_INVALID"));
      for (const name of variables) {
        expect(ended.message).toContain(`${name}: must be`);
        expect(ended.message).toContain(`/nowhere/${name}`);
      }
    });
  }
});
