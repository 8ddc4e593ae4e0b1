import { describe, expect, test } from "bun:test";
import { type ApiRequest, KubernetesError } from "@svc/kubernetes";
import { waitFor } from "@svc/testing";
import { type LeaderOptions, runLeader } from "./run-leader.ts";

const times = { leaseMs: 1000, renewDeadlineMs: 300, retryMs: 20, endMs: 200 };
const wait = (what: string, condition: () => boolean) =>
  waitFor(condition, { deadlineMs: 5000, what });

/** One Lease behind an API that can be made to fail. */
function leaseServer() {
  let version = 0;
  let spec: Record<string, unknown> | undefined;
  const state: { trouble: "none" | "refuses" | "hangs" } = { trouble: "none" };
  const ask = async ({ method, body }: ApiRequest): Promise<unknown> => {
    if (state.trouble === "refuses")
      throw new KubernetesError("KUBERNETES_UNREACHABLE", "no answer");
    if (state.trouble === "hangs") return Promise.withResolvers<never>().promise;
    const sent = Object(body);
    if (method !== "GET") {
      const isStale =
        method === "POST" ? spec !== undefined : sent.metadata.resourceVersion !== String(version);
      if (isStale) throw new KubernetesError("KUBERNETES_REFUSED", "conflict", { status: 409 });
      spec = { ...spec, ...sent.spec };
      version += 1;
    }
    if (spec === undefined)
      throw new KubernetesError("KUBERNETES_REFUSED", "none", { status: 404 });
    return { metadata: { resourceVersion: String(version) }, spec };
  };
  return { ask, state, holder: () => spec?.["holderIdentity"], spec: () => spec };
}

type Server = ReturnType<typeof leaseServer>;

/** A candidate whose work waits for its end, and the facts about it. */
function start(server: Server, identity: string, more: Partial<LeaderOptions> = {}) {
  const end = new AbortController();
  const seen = { leads: false, terms: 0, endedAtMs: 0, lines: [] as string[] };
  const running = runLeader({
    api: server,
    namespace: "svc",
    name: "svc-operator",
    identity,
    signal: end.signal,
    times,
    log: (_, message) => seen.lines.push(message),
    lead: async (signal) => {
      seen.leads = true;
      seen.terms += 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      seen.leads = false;
      seen.endedAtMs = performance.now();
    },
    ...more,
  });
  const stop = () => {
    end.abort();
    return running;
  };
  return { seen, stop };
}

test("one leads, and the next one as soon as it stops", async () => {
  const server = leaseServer();
  const first = start(server, "first");
  await wait("the first to lead", () => first.seen.leads);
  const second = start(server, "second");
  await first.stop();
  expect(server.spec()).toMatchObject({ holderIdentity: null, leaseDurationSeconds: 1 });
  const freeMs = performance.now();
  await wait("the second to lead", () => second.seen.leads);
  expect(performance.now() - freeMs).toBeLessThan(times.leaseMs);
  expect([first.seen.terms, second.seen.terms]).toEqual([1, 1]);
  expect(server.spec()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
  await second.stop();
  expect(server.holder()).toBeNull();
});

for (const trouble of ["refuses", "hangs"] as const) {
  test(`with a server that ${trouble} leadership ends before another replica could lead`, async () => {
    const server = leaseServer();
    const only = start(server, "only");
    await wait("it to lead", () => only.seen.leads);
    const troubleMs = performance.now();
    server.state.trouble = trouble;
    await wait("it to cease", () => !only.seen.leads);
    expect(only.seen.endedAtMs - troubleMs).toBeLessThan(times.leaseMs);
    server.state.trouble = "none";
    await wait("it to lead again", () => only.seen.leads);
    expect(only.seen.terms).toBe(2);
    await only.stop();
  });
}

test("a leader that finds the lease in other hands ceases to lead at once", async () => {
  const server = leaseServer();
  const robbed = start(server, "robbed");
  await wait("it to lead", () => robbed.seen.leads);
  const spec = { ...server.spec(), holderIdentity: "thief" };
  // By a client that does not care about versions.
  const rob = async () => {
    const answer = Object(await server.ask({ method: "GET", path: "", operation: "" }));
    const body = { metadata: answer.metadata, spec };
    return server.ask({ method: "PATCH", path: "", operation: "", body }).catch(() => undefined);
  };
  await waitFor(async () => (await rob()) !== undefined, { deadlineMs: 5000, what: "the theft" });
  await wait("it to cease", () => !robbed.seen.leads);
  expect(robbed.seen.lines.at(-1)).toContain(
    "does not lead any more: the lease could not be renewed",
  );
  await robbed.stop();
  expect(server.holder()).toBe("thief");
});

describe("leadership is given up if the work", () => {
  const ends: Readonly<Record<string, () => Promise<void>>> = {
    ends: async () => undefined,
    fails: async () => {
      throw new TypeError("broken");
    },
  };
  for (const [name, work] of Object.entries(ends)) {
    test(`${name}, and sought again`, async () => {
      const server = leaseServer();
      let terms = 0;
      const lead = async () => {
        terms += 1;
        await work();
      };
      const one = start(server, "one", { lead });
      await wait("another term", () => terms > 1);
      await one.stop();
      expect(server.holder()).toBeNull();
      expect(one.seen.lines.includes("lead: broken")).toBe(name === "fails");
    });
  }
});

test("work that does not end keeps the lease until it runs out, and no other replica leads meanwhile", async () => {
  const server = leaseServer();
  const gate = Promise.withResolvers<void>();
  const stubborn = start(server, "stubborn", { lead: () => gate.promise });
  await wait("it to lead", () => server.holder() === "stubborn");
  await stubborn.stop();
  expect(server.holder()).toBe("stubborn");
  gate.resolve();
});

test("an API server that is away is reported once", async () => {
  const server = leaseServer();
  server.state.trouble = "refuses";
  const one = start(server, "one");
  let asked = 0;
  const { ask } = server;
  server.ask = (request) => {
    asked += 1;
    return ask(request);
  };
  await wait("some attempts", () => asked > 3);
  await one.stop();
  expect(one.seen.lines).toEqual(["no answer"]);
});

test("times that do not go together are refused", async () => {
  const { stop } = start(leaseServer(), "one", { times: { retryMs: 20_000 } });
  await expect(stop()).rejects.toThrow(RangeError);
});
