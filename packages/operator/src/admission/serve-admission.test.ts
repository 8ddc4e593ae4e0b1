import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CertificateAuthority, certificateAuthority, waitFor } from "@svc/testing";
import { decisionLine } from "./decision-line.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { operatorMetrics } from "./operator-metrics.ts";
import { type AdmissionServerOptions, serveAdmission } from "./serve-admission.ts";
import { askingPod, plainContext, podReview } from "./testdata/pod-request.ts";

const AT_ONCE = { lingerMs: 0, graceMs: 2000 };
let authority: CertificateAuthority;
const running = new AsyncDisposableStack();
beforeAll(async () => {
  authority = await certificateAuthority();
});
afterAll(() => running.disposeAsync());

/** A server with its records, and a client that trusts it. */
async function start(more: Partial<AdmissionServerOptions> = {}) {
  const records: DecisionRecord[] = [];
  const server = serveAdmission({
    hostname: "127.0.0.1",
    port: 0,
    certificate: await authority.issue(),
    context: plainContext(),
    metrics: operatorMetrics(),
    log: (record) => records.push(record),
    notReady: () => undefined,
    ...more,
  });
  running.defer(() => server.stop(AT_ONCE));
  const address = `https://127.0.0.1:${server.port}`;
  const tls = { ca: authority.certificatePem };
  const ask = (path: string, init: RequestInit = {}) => fetch(address + path, { ...init, tls });
  return { server, records, ask };
}

function review(body: unknown = podReview(askingPod), headers = {}): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method: "POST",
    body: text,
    headers: { "Content-Type": "application/json", ...headers },
  };
}

const PATH = "/mutate-v1-pod";

test("a pod is answered, recorded in one line and counted", async () => {
  const { ask, records } = await start();
  const { response } = Object(await (await ask(`${PATH}?timeout=10s`, review())).json());
  expect(response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
  expect(records).toMatchObject([{ outcome: "injected", pod: "api-*", containers: ["app"] }]);
  const [record] = records;
  const line = record && decisionLine(record, new Date(0));
  expect(line).toStartWith('{"time":"1970-01-01T00:00:00.000Z","level":"info"');
  expect(line).not.toContain("\n");
  const metrics = await (await ask("/metrics")).text();
  expect(metrics).toContain('svc_operator_admissions_total{outcome="injected"} 1\n');
  expect(metrics).toContain('svc_operator_image_lookups_total{result="found"} 1\n');
  expect(metrics).toContain('svc_operator_admission_duration_seconds_bucket{le="+Inf"} 1\n');
});

const refusals = [
  { name: "another path", path: "/", init: review(), status: 404, code: "NOT_FOUND" },
  {
    name: "a name every object has",
    path: "/constructor",
    init: {},
    status: 404,
    code: "NOT_FOUND",
  },
  { name: "another method", path: PATH, init: {}, status: 405, code: "METHOD_NOT_ALLOWED" },
  {
    name: "a question to a page",
    path: "/healthz",
    init: review(),
    status: 405,
    code: "METHOD_NOT_ALLOWED",
  },
  {
    name: "another type",
    path: PATH,
    init: review("{}", { "Content-Type": "text/plain" }),
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
  },
  { name: "no JSON", path: PATH, init: review('{"hunter2'), status: 400, code: "NOT_A_REVIEW" },
  {
    name: "too much",
    path: PATH,
    init: review("x".repeat(5 * 1024 * 1024)),
    status: 413,
    code: "BODY_TOO_LARGE",
  },
] as const;

describe("refused in words is", () => {
  for (const { name, path, init, status, code } of refusals) {
    test(name, async () => {
      const { ask } = await start();
      const response = await ask(path, init);
      const text = await response.text();
      expect([response.status, JSON.parse(text).error.code]).toEqual([status, code]);
      expect(text).not.toContain("hunter2");
      const metrics = await (await ask("/metrics")).text();
      expect(metrics).toContain(`requests_refused_total{code="${code}"} 1\n`);
    });
  }
});

test("a request that comes when all places are taken gets 503 with Retry-After", async () => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const imagesOf = async () => {
    waiting += 1;
    await gate.promise;
    return new Map();
  };
  const { ask } = await start({
    context: plainContext({ imagesOf }),
    limits: { inFlight: 2, waiting: 0 },
  });
  const first = [ask(PATH, review()), ask(PATH, review())];
  await waitFor(() => waiting === 2, { deadlineMs: 5000, what: "two questions to wait" });
  const third = await ask(PATH, review());
  expect([third.status, third.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await ask("/healthz")).status).toBe(200);
  gate.resolve();
  for (const response of await Promise.all(first)) expect(response.status).toBe(200);
  expect((await ask(PATH, review())).status).toBe(200);
});

test("the answer comes within the time that the API server waits", async () => {
  const imagesOf = () => Promise.withResolvers<never>().promise;
  const { ask, records } = await start({ context: plainContext({ imagesOf }) });
  const began = performance.now();
  const { response } = Object(await (await ask(`${PATH}?timeout=1s`, review())).json());
  expect(performance.now() - began).toBeLessThan(10_000);
  expect([response.allowed, response.status.code]).toEqual([false, 504]);
  expect(records).toMatchObject([{ outcome: "failed" }]);
  expect(await (await ask("/metrics")).text()).toContain('{result="unanswered"} 1\n');
});

test("a body that does not come is not waited for longer than an answer may take", async () => {
  const { server } = await start({ limits: { budgetMs: 100 } });
  const closed = Promise.withResolvers<string>();
  let heard = "";
  await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    tls: { ca: authority.certificatePem },
    socket: {
      open: (socket) => {
        const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
        socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{`);
      },
      data: (_, bytes) => {
        heard += bytes.toString();
        if (heard.includes("BODY_TOO_SLOW")) closed.resolve(heard);
      },
      close: () => closed.resolve(heard),
    },
  });
  expect(await closed.promise).toStartWith("HTTP/1.1 408 ");
});

test("bodies that do not come take no place from others", async () => {
  const { ask, server } = await start({ limits: { inFlight: 2, waiting: 0 } });
  const head = `POST ${PATH}?timeout=30s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
  const connect = () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port: server.port,
      tls: { ca: authority.certificatePem },
      socket: {
        open: (socket) => void socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{`),
        data: () => undefined,
      },
    });
  const slow = await Promise.all(Array.from({ length: 20 }, connect));
  for (let asked = 0; asked < 20; asked += 1) {
    expect((await ask(PATH, review())).status).toBe(200);
  }
  for (const socket of slow) socket.end();
});

test("it is ready when it says so", async () => {
  let reason: string | undefined = "SvcConfigs are not read yet";
  const { ask } = await start({ notReady: () => reason });
  const before = await ask("/readyz");
  expect([before.status, await before.json()]).toEqual([503, { status: "starting", reason }]);
  reason = undefined;
  const after = await ask("/readyz");
  expect([after.status, await after.json()]).toEqual([200, { status: "ready" }]);
});

test("a stopping server finishes running requests and takes no new ones", async () => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const imagesOf = async () => {
    waiting += 1;
    await gate.promise;
    return new Map();
  };
  const { ask, server } = await start({ context: plainContext({ imagesOf }) });
  const running = ask(PATH, review());
  await waitFor(() => waiting === 1, { deadlineMs: 5000, what: "a question to wait" });
  const stopped = server.stop(AT_ONCE);
  await waitFor(
    () =>
      ask("/healthz").then(
        () => false,
        () => true,
      ),
    {
      deadlineMs: 5000,
      what: "the port to be closed",
    },
  );
  gate.resolve();
  expect((await running).status).toBe(200);
  await stopped;
});

test("requests that do not end in time are ended", async () => {
  const imagesOf = () => Promise.withResolvers<never>().promise;
  const { ask, server } = await start({ context: plainContext({ imagesOf }) });
  const lost = ask(PATH, review()).then(
    () => "answered",
    () => "lost",
  );
  await waitFor(async () => (await (await ask("/metrics")).text()).includes("in_flight 1"), {
    deadlineMs: 5000,
    what: "the question to wait",
  });
  await server.stop({ lingerMs: 0, graceMs: 50 });
  expect(await lost).toBe("lost");
});

test("while it still lingers it answers, and says that it is not ready", async () => {
  const { ask, server } = await start();
  const stopped = server.stop({ lingerMs: 3000, graceMs: 2000 });
  expect((await ask("/readyz")).status).toBe(503);
  const response = await ask(PATH, review());
  expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
  await stopped;
});

describe("a certificate", () => {
  test("is replaced while requests go on, which are answered at the second try at the latest", async () => {
    const { ask, server } = await start({ limits: { retireMs: 200 } });
    let asked = 0;
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        // The runtime closes a connection whose request is on its way when its listener ends. That
        // is once for each certificate at most, and the next connection finds the new listener.
        const answer = await ask(PATH, review()).catch(() => ask(PATH, review()));
        expect(answer.status).toBe(200);
        asked += 1;
      }
    });
    for (let round = 1; round <= 3; round += 1) {
      server.replaceCertificate(await authority.issue());
      const goal = asked + 100;
      await waitFor(() => asked > goal, { deadlineMs: 10_000, what: "100 answers more" });
    }
    isOver = true;
    await Promise.all(clients);
  }, 240_000);

  test("of another authority is visible to new clients, when the old listener has gone", async () => {
    const other = await certificateAuthority("another");
    const { server } = await start({ limits: { retireMs: 10 } });
    server.replaceCertificate(await other.issue());
    const address = `https://127.0.0.1:${server.port}/healthz`;
    const isSeen = () =>
      fetch(address, { tls: { ca: other.certificatePem }, keepalive: false }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitFor(isSeen, { deadlineMs: 5000, what: "the new certificate" });
  });

  test("that is not a certificate is refused, and the old one stays", async () => {
    const { ask, server } = await start();
    const bad = { certificatePem: "no certificate", keyPem: "no key" };
    expect(() => server.replaceCertificate(bad)).toThrow();
    expect((await ask("/healthz")).status).toBe(200);
  });
});
