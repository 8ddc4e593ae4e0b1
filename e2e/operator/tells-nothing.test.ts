import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { METRIC_PREFIX, operatorMetricTable } from "@svc/operator/reference";
import { callKubernetes, canary, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { askingPod, createPod, messageIn, podOf, wrappedIn } from "./created-pods.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { putConfig } from "./svc-configs.ts";

const TIMEOUT_MS = 180_000;
const value = canary();
const annotated = canary();
let operator: RunningOperator;
let messages = "";

/** Pods of every outcome, with a value in a variable and one in an annotation that is wrong. */
const pods: readonly object[] = [
  askingPod({}, { env: [{ name: "OWN", value }] }),
  askingPod({}, { env: [{ name: "SVC_ORIGINAL_CMD", value }] }),
  askingPod({}, { env: [{ name: "VAULT_ADDR", value }], command: undefined }),
  askingPod({ "svc.internal/rotation": annotated }, { env: [{ name: "OWN", value }] }),
  askingPod({ "svc.internal/secret-paths": `${annotated}//` }),
  askingPod({ "svc.internal/env-map": `=${annotated}` }),
  askingPod({ "svc.internal/unknown": annotated }),
  askingPod({ "svc.internal/injected": annotated }),
  askingPod({ "svc.internal/inject": annotated }),
  askingPod({ "svc.internal/config": annotated }),
  askingPod({ "svc.internal/vault-address": `https://${annotated}:x` }),
  podOf({ "svc.internal/vault-address": annotated }, { env: [{ name: "OWN", value }] }),
];

beforeAll(async () => {
  const allowedAddresses = ["https://vault.test:8200"];
  // A copy brings an init container, which another part of the API server then changes.
  const settings = { allowedAddresses, bundleSource: "copy" };
  operator = await runningOperator({ values: withValues({ settings }) });
  await putConfig(operator.kube, { name: "default" }, { secretPaths: [`kv/data/${annotated}`] });
  // Cannot be used, which an event tells.
  const elsewhere = "https://other.test:8200";
  const spec = {
    vaultAddress: elsewhere,
    vaultRole: annotated,
    secretPaths: [`kv/data/${annotated}`],
  };
  await putConfig(operator.kube, { name: "unusable" }, spec);
  const created = await Promise.all(pods.map((pod) => createPod(operator.kube, pod)));
  messages = created.map(messageIn).join("\n");
  expect(created.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(2);
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

const metrics = async () => {
  const [replica] = operator.replicas;
  return (await replica?.ask("/metrics"))?.text ?? "";
};

test("the log is lines of JSON: one for each question, with the reason", async () => {
  const lines = operator.outputs().trim().split("\n");
  const parsed = lines.map((line) => Object(JSON.parse(line)));
  const judged = parsed.filter(({ message }) => message === "pod judged");
  // The API server asks again about a pod that was changed, since others may have added containers
  // (IfNeeded).
  const again = judged.filter(({ reason }) => reason === "it is injected already");
  expect([judged.length - again.length, again.length]).toEqual([pods.length, 1]);
  for (const line of parsed) {
    expect(line).toMatchObject({ component: "operator", message: expect.any(String) });
    expect(["info", "warn", "error"]).toContain(line.level);
    expect(Date.parse(line.time)).toBeGreaterThan(0);
  }
  for (const line of judged) {
    expect(line).toMatchObject({ namespace: "shop", pod: "api-*", uid: expect.any(String) });
    expect(line.outcome === "denied" ? line.unmet.length : 1).toBeGreaterThan(0);
  }
});

describe("neither a variable's nor an annotation's value is in", () => {
  const places: Readonly<Record<string, () => string | Promise<string>>> = {
    "the log": () => operator.outputs(),
    "the metrics": metrics,
    events: async () => {
      const told = async () => {
        const path = "/apis/events.k8s.io/v1/events";
        const events = await callKubernetes(operator.kube, { method: "GET", path });
        const text = JSON.stringify(events);
        return text.includes("svc.internal/operator") && text;
      };
      return waitFor(told, { deadlineMs: 20_000, what: "an event of the operator's" });
    },
  };
  for (const [name, read] of Object.entries(places)) {
    test(
      name,
      async () => {
        const text = await read();
        expect(text.length).toBeGreaterThan(100);
        expect(text).not.toContain(value);
        expect(text).not.toContain(annotated);
      },
      TIMEOUT_MS,
    );
  }
});

test("the message for a pod's author quotes annotations, and no variable's value", () => {
  expect(messages).toContain(annotated);
  expect(messages).not.toContain(value);
});

test("every metric of the table is there, and counts", async () => {
  const text = await metrics();
  const missing = Object.values(operatorMetricTable).filter(
    ({ name }) => !text.includes(`# TYPE ${METRIC_PREFIX}${name} `),
  );
  expect(missing).toEqual([]);
  expect(text).toContain('admissions_total{outcome="injected"} 1\n');
  expect(text).toContain('admissions_total{outcome="denied"} 10\n');
  expect(text).toMatch(/svc_operator_leader 1\n/);
  expect(wrappedIn(await createPod(operator.kube, askingPod()))).toEqual(["app"]);
  expect(await metrics()).toContain('admissions_total{outcome="injected"} 2\n');
});
