import { afterAll, expect, test } from "bun:test";
import { type FaultProxy, faultProxy } from "../harness/faults/fault-proxy.ts";
import type { RequestFault } from "../harness/faults/request-fault.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";

let asked = 0;
const text = "x".repeat(300);
const vault = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => {
    asked += 1;
    return new Response(text);
  },
});
afterAll(() => vault.stop(true));
expectNothingLeft();

function proxyWith(fault?: RequestFault): FaultProxy {
  return faultProxy({ vaultPort: () => vault.port ?? 0, faultOf: () => fault });
}

/** One request, as a client sees it. */
async function ask(address: string, timeoutMs = 5000) {
  const before = [asked, performance.now()] as const;
  const seen = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) })
    .then(async (answer) => `${answer.status} ${(await answer.text()).length}`)
    .catch((error: Error) => (error.name === "TimeoutError" ? "no answer" : "broken"));
  return { seen, asked: asked - before[0], ms: performance.now() - before[1] };
}

const rows: readonly (readonly [RequestFault | undefined, { seen: string; asked: number }])[] = [
  [undefined, { seen: "200 300", asked: 1 }],
  [{ kind: "reset before the request" }, { seen: "broken", asked: 0 }],
  [{ kind: "reset after the request" }, { seen: "broken", asked: 1 }],
  [{ kind: "reset in the answer" }, { seen: "broken", asked: 1 }],
  [{ kind: "truncated body" }, { seen: "broken", asked: 1 }],
  [
    { kind: "status", status: 429, retryAfterS: 1 },
    { seen: "429 32", asked: 0 },
  ],
  [
    { kind: "status", status: 503 },
    { seen: "503 32", asked: 0 },
  ],
  [
    { kind: "slow bytes", pauseMs: 2 },
    { seen: "200 300", asked: 1 },
  ],
];
for (const [fault, expected] of rows) {
  test(`a client behind the proxy sees ${JSON.stringify(fault ?? "no fault")}`, async () => {
    await using proxy = proxyWith(fault);
    expect(await ask(proxy.address)).toMatchObject(expected);
    expect(proxy.requests()).toBe(1);
  });
}

test("a late answer is late", async () => {
  await using proxy = proxyWith({ kind: "latency", ms: 120 });
  const { seen, ms } = await ask(proxy.address);
  expect([seen, ms > 110]).toEqual(["200 300", true]);
});

test("a black hole takes the request and never answers", async () => {
  await using proxy = proxyWith({ kind: "black hole" });
  expect(await ask(proxy.address, 100)).toMatchObject({ seen: "no answer", asked: 0 });
});

test("a listener that was closed refuses, and opens again on its port", async () => {
  await using proxy = proxyWith();
  proxy.refuse();
  expect(await ask(proxy.address)).toMatchObject({ seen: "broken", asked: 0 });
  proxy.accept();
  expect(await ask(proxy.address)).toMatchObject({ seen: "200 300" });
});

test("held traffic continues when it is released", async () => {
  await using proxy = proxyWith();
  proxy.hold();
  const answer = ask(proxy.address);
  expect(await ask(proxy.address, 50)).toMatchObject({ seen: "no answer", asked: 0 });
  proxy.release();
  expect(await answer).toMatchObject({ seen: "200 300" });
});
