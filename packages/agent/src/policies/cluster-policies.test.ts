import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { watchObjects } from "@svc/kubernetes";
import { refusal, waitFor } from "@svc/testing";
import { servedApi } from "../testdata/served-api.ts";
import { followCluster } from "./cluster-policies.ts";
import { policyPath } from "./policy-definition.ts";

const served = await servedApi();
const { server, api } = served;
const soon = { deadlineMs: 20_000, what: "the change" };
/** Writes an event into the running watch. */
let tell: ((event: object) => void) | undefined;
beforeEach(() => {
  server.remove();
  server.requests.length = 0;
  tell = undefined;
  server.intercept = ({ path, query }) =>
    path === policyPath && query["watch"] !== undefined ? watching() : undefined;
});
afterAll(() => served[Symbol.asyncDispose]());

function watching(): Response {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      tell = (event) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`));
    },
  });
  return new Response(stream, { headers: { "Content-Type": "application/json" } });
}

const policy = (name: string, spec: object) => ({
  ...{ apiVersion: "svc.internal/v1alpha1", kind: "SvcPolicy", spec },
  metadata: { name, resourceVersion: "5", uid: name },
});

function follow() {
  const log: string[] = [];
  let changes = 0;
  const cluster = followCluster({
    ...{ api, watchObjects, node: "node-1" },
    onChange: () => {
      changes += 1;
    },
    log: (_, message) => void log.push(message),
  });
  return {
    ...{ cluster, log, changes: () => changes },
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

describe("the policies of a cluster", () => {
  test("are not known before they are listed, and come by name then", async () => {
    for (const name of ["night", "day"])
      server.put(`${policyPath}/${name}`, policy(name, { name }));
    await using at = follow();
    expect(at.cluster.readObjects()).toEqual({ kind: "unknown" });
    expect(at.cluster.report()).toEqual({ listed: false });
    await waitFor(() => at.changes() > 0, soon);
    expect(at.cluster.readObjects()).toEqual({
      kind: "objects",
      objects: [
        { name: "day", spec: { name: "day" } },
        { name: "night", spec: { name: "night" } },
      ],
    });
    expect(at.cluster.report()).toEqual({ listed: true, heardSecondsAgo: expect.any(Number) });
  });

  test("follow the changes", async () => {
    await using at = follow();
    await waitFor(() => tell !== undefined, soon);
    tell?.({ type: "ADDED", object: policy("day", { a: 1 }) });
    await waitFor(() => JSON.stringify(at.cluster.readObjects()).includes("day"), soon);
    tell?.({ type: "DELETED", object: policy("day", { a: 1 }) });
    await waitFor(() => !JSON.stringify(at.cluster.readObjects()).includes("day"), soon);
    expect(at.cluster.readObjects()).toEqual({ kind: "objects", objects: [] });
  });

  test("that may not be listed are a failure, which is logged once", async () => {
    server.intercept = () => refusal(403, "Forbidden", "not you");
    await using at = follow();
    const { failure = "" } = await waitFor(() => {
      const report = at.cluster.report();
      return report.failure !== undefined && report;
    }, soon);
    expect(failure).toContain("watch SvcPolicies: status 403");
    expect(at.cluster.readObjects()).toEqual({ kind: "unknown" });
    const asked = server.requests.length;
    await waitFor(() => server.requests.length > asked + 1, soon);
    expect(at.log).toEqual(["SvcPolicies cannot be followed"]);
  }, 40_000);
});

describe("the pods of this node", () => {
  test("are asked for by namespace, while a policy names it", async () => {
    await using at = follow();
    const podsOf = (...names: readonly string[]) => at.cluster.readPods(new Set(names));
    expect([...podsOf("shop", "bank")]).toEqual([
      ["shop", { kind: "unknown", reason: "they are not listed yet" }],
      ["bank", { kind: "unknown", reason: "they are not listed yet" }],
    ]);
    const paths = () =>
      server.requests.filter(({ path }) => path.endsWith("/pods")).map(({ path }) => path);
    await waitFor(() => new Set(paths()).size === 2, soon);
    const [request] = server.requests.filter(({ path }) => path.endsWith("/pods"));
    expect(request?.query["fieldSelector"]).toBe("spec.nodeName=node-1");
    expect([...podsOf("shop").keys()]).toEqual(["shop"]);
  });

  test("that may not be listed are unknown, with the reason", async () => {
    server.intercept = ({ path }) =>
      path.endsWith("/pods") ? refusal(403, "Forbidden", "not you") : undefined;
    await using at = follow();
    const read = () => at.cluster.readPods(new Set(["shop"])).get("shop");
    const found = await waitFor(() => {
      const pods = read();
      return pods?.kind === "unknown" && pods.reason.includes("403") && pods;
    }, soon);
    expect(found.reason).toContain("watch pods of namespace shop: status 403");
    expect(at.log).toEqual(["pods cannot be followed"]);
  }, 40_000);
});
