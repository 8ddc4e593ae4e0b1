import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { refusal } from "@svc/testing";
import { explainStage, pods, webhooks } from "../explain/testdata/explain-stage.ts";
import { runCaptured } from "../testdata/run-captured.ts";
import type { Finding } from "./finding.ts";
import { runDoctor } from "./run-doctor.ts";

const stage = explainStage();
const { server } = stage;
afterAll(() => stage[Symbol.asyncDispose]());

const DAEMON_SETS = "/apis/apps/v1/daemonsets";
const KINDS = "/apis/svc.internal/v1alpha1";
const CONFIGS = `${KINDS}/namespaces/shop/svcconfigs`;
const denied =
  'admission webhook "pods.svc.internal" denied the request: svc.internal/vault-role: must be set';
const agents = (numberReady: number) => ({
  metadata: { name: "svc-agent", labels: { "app.kubernetes.io/component": "agent" } },
  status: { desiredNumberScheduled: 2, numberReady },
});
/** The answer to the pod that is only tried. */
let answer: () => Response;

beforeEach(() => {
  stage.reset();
  answer = () => refusal(400, "BadRequest", denied);
  server.put(`${DAEMON_SETS}/svc-agent`, agents(2));
  server.put("/api/v1/nodes/one", { status: { nodeInfo: { kernelVersion: "6.12.1-amd64" } } });
  server.intercept = ({ method, path }) => {
    if (method === "POST" && path === pods) return answer();
    if (path === KINDS) {
      return Response.json({ resources: [{ name: "svcconfigs" }, { name: "svcpolicies" }] });
    }
    return undefined;
  };
});

async function doctor(...words: readonly string[]) {
  const environment = new Map([["KUBECONFIG", await stage.kubeconfig()]]);
  return runCaptured((output) => runDoctor(words, environment, output));
}

async function finding(check: string): Promise<Finding & { readonly exitCode: number }> {
  const { exitCode, out } = await doctor("cluster", "-n", "shop", "-o", "json");
  const { findings }: { readonly findings: readonly Finding[] } = JSON.parse(out);
  const found = findings.find((one) => one.check === check);
  if (found === undefined) throw new TypeError(`there is no check "${check}": ${out}`);
  return { ...found, exitCode };
}

describe("svc doctor cluster", () => {
  test("of a good cluster says so, line by line: status 0", async () => {
    const { exitCode, out } = await doctor("cluster", "-n", "shop");
    expect(exitCode).toBe(0);
    expect(out.split("\n").map((line) => line.split(":")[0])).toEqual([
      "ok       webhook",
      "ok       operator",
      "ok       admission",
      "ok       definitions",
      "ok       SvcConfigs",
      "ok       kernels",
      "ok       kernel agents",
      "",
    ]);
    const tried = server.requests.find(({ method }) => method === "POST");
    expect(tried?.query).toEqual({ dryRun: "All" });
  });

  const faults: readonly (readonly [string, string, () => void, Partial<Finding>, number])[] = [
    [
      "no webhook",
      "webhook",
      () => server.remove(`${webhooks}/svc-operator`),
      { level: "failure", fix: expect.stringContaining("helm install") },
      1,
    ],
    [
      "a webhook without a CA bundle",
      "webhook",
      () =>
        stage.putWebhook({
          clientConfig: {
            service: { namespace: "svc-system", name: "svc-operator", path: "/mutate-v1-pod" },
          },
        }),
      { level: "failure", found: "webhook configuration svc-operator has no CA bundle" },
      1,
    ],
    [
      "no replica",
      "operator",
      () => stage.putOperator(0),
      { level: "failure", found: "no replica of svc-system/svc-operator takes questions" },
      1,
    ],
    [
      "a webhook that API servers cannot reach",
      "admission",
      () => {
        const why =
          'Internal error occurred: failed calling webhook "pods.svc.internal": x509: expired';
        answer = () => refusal(500, "InternalError", why);
      },
      { level: "failure", found: expect.stringContaining("x509: expired") },
      1,
    ],
    [
      "a namespace that the webhook leaves out",
      "admission",
      () => {
        answer = () => Response.json({ metadata: { annotations: {} } }, { status: 201 });
      },
      { level: "failure", fix: expect.stringContaining("namespaceSelector") },
      1,
    ],
    [
      "a user who may make no pods",
      "admission",
      () => {
        answer = () => refusal(403, "Forbidden", "pods is forbidden");
      },
      { level: "unknown", found: expect.stringContaining("pods is forbidden") },
      2,
    ],
    [
      "an old kernel",
      "kernels",
      () =>
        server.put("/api/v1/nodes/old", {
          metadata: { name: "old" },
          status: { nodeInfo: { kernelVersion: "5.10.0" } },
        }),
      { level: "warning", found: "Linux before 5.14 on old (5.10.0)" },
      2,
    ],
    [
      "no agents",
      "kernel agents",
      () => server.remove(`${DAEMON_SETS}/svc-agent`),
      { level: "warning", fix: expect.stringContaining("agent.enabled=true") },
      2,
    ],
    [
      "an agent that is not ready",
      "kernel agents",
      () => server.put(`${DAEMON_SETS}/svc-agent`, agents(1)),
      { level: "failure", found: "1 of 2 nodes have one that is ready" },
      1,
    ],
    [
      "a SvcConfig with a fault",
      "SvcConfigs",
      () =>
        server.put(`${CONFIGS}/default`, {
          metadata: { namespace: "shop", name: "default" },
          spec: {},
          status: { ready: false, message: "vaultAddress: must be set" },
        }),
      { level: "failure", found: "default: vaultAddress: must be set" },
      1,
    ],
  ];
  for (const [name, check, spoil, expected, exitCode] of faults) {
    test(`finds ${name}: status ${exitCode}`, async () => {
      spoil();
      expect(await finding(check)).toMatchObject({ ...expected, exitCode });
    });
  }

  test("takes a pod that would get its wrapper for a good sign", async () => {
    const annotations = { "svc.internal/injected": "{}" };
    answer = () => Response.json({ metadata: { annotations } }, { status: 201 });
    expect(await finding("admission")).toMatchObject({ level: "ok" });
  });

  test("does not take the refusal of another webhook for the operator's answer", async () => {
    answer = () =>
      refusal(
        400,
        "BadRequest",
        'admission webhook "policy.test" denied: svc.internal/inject must be set',
      );
    expect(await finding("admission")).toMatchObject({ level: "unknown", exitCode: 2 });
  });
});

test("svc doctor node looks at this machine", async () => {
  const { exitCode, out } = await doctor("node", "-o", "json");
  expect([0, 1, 2]).toContain(exitCode);
  expect(JSON.parse(out)).toMatchObject({ place: "node", findings: expect.any(Array) });
});

test.each([
  ["no place", [], "the place: must be node or cluster: it is missing"],
  ["another place", ["vault"], 'the place: must be node or cluster: got "vault"'],
  ["two places", ["node", "cluster"], "one place is looked at"],
])("svc doctor refuses %s", async (_what, words, problem) => {
  const { exitCode, err } = await doctor(...words);
  expect(exitCode).toBe(125);
  expect(err).toContain(problem);
});

test("svc doctor has a help", async () => {
  const { exitCode, out } = await doctor("--help");
  expect(exitCode).toBe(0);
  expect(out).toContain("usage: svc doctor node|cluster [FLAGS]");
});
