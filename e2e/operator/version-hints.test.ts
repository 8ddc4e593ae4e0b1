import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  callBao,
  connectKubernetesAuth,
  createServiceAccountToken,
  freePort,
  type OpenBao,
  sealBao,
  startOpenBao,
  temporaryFolder,
  unsealBao,
  waitFor,
  writeKubernetesRole,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { NAMESPACE, OPERATOR, withValues } from "../harness/kubernetes/operator-chart.ts";
import { askingPod, createPod, variableIn } from "./created-pods.ts";
import { type HintedPod, hintedPod } from "./hinted-pod.ts";
import { ownAddress } from "./own-address.ts";
import type { Replica } from "./replica.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const NAME = "svc-operator.svc-system.svc";
const DEADLINE = { deadlineMs: 60_000 };
const permitsPort = freePort();
const cleanUp = new AsyncDisposableStack();
let bao: OpenBao;
let operator: RunningOperator;
let replica: Replica;
let authorityPem: string;
/** Everything that no output may have in it. */
const secrets: string[] = [];

beforeAll(async () => {
  bao = cleanUp.use(await startOpenBao());
  const settings = { hintsVaultAddress: bao.address };
  operator = cleanUp.use(await runningOperator({ values: withValues({ settings }), replicas: 0 }));
  const { kube } = operator;
  await connectKubernetesAuth(bao, kube);
  await writePolicy(bao, "svc-version-hints", [
    { path: "secret/metadata/*", capabilities: ["read"] },
    { path: "secret/metadata/denied", capabilities: ["deny"] },
    { path: "secret/detailed-metadata/*", capabilities: ["list", "scan"] },
  ]);
  await writeKubernetesRole(bao, "svc-version-hints", {
    bound_service_account_names: [OPERATOR],
    bound_service_account_namespaces: [NAMESPACE],
    audience: "vault",
    token_policies: ["svc-version-hints"],
  });
  for (const name of ["shop", "bank", "denied", "away", "over"]) {
    await writeSecret(bao, `secret/data/${name}`, { a: "1" });
  }
  const folder = cleanUp.use(temporaryFolder());
  chmodSync(folder.path, 0o755);
  const token = await createServiceAccountToken(kube, NAMESPACE, OPERATOR, {
    audiences: ["vault"],
  });
  secrets.push(token);
  const tokenFile = join(folder.path, "token");
  writeFileSync(tokenFile, token, { mode: 0o644 });
  const flags = [
    `--permits-listen-addr=${ownAddress()}:${permitsPort}`,
    `--hints-vault-token-file=${tokenFile}`,
  ];
  replica = await operator.startReady({ flags });
  await applyObject(kube, {
    ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  });
  await applyObject(kube, {
    ...{ apiVersion: "v1", kind: "ServiceAccount" },
    metadata: { namespace: "shop", name: "default" },
  });
  const asking = await createPod(kube, askingPod(), { dryRun: true });
  authorityPem = variableIn(asking, "SVC_PERMITS_CACERT_BYTES") ?? "";
}, 180_000);
afterAll(() => cleanUp.disposeAsync());

async function post(body: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`https://${ownAddress()}:${permitsPort}/v1/hint-subscriptions`, {
    method: "POST",
    body: JSON.stringify(body),
    tls: { ca: authorityPem, serverName: NAME },
    headers: { "Content-Type": "application/json", Host: NAME, Connection: "close" },
  });
  return { status: response.status, body: await response.json() };
}

/** A subscription as a wrapper makes it, with a new key. */
function subscriptionOf(pod: HintedPod, versions: Readonly<Record<string, number>>) {
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  secrets.push(key, pod.token);
  pod.take(key);
  return {
    ...{ token: pod.token, port: pod.port, tls: false, key },
    vault: { address: bao.address },
    secrets: Object.entries(versions).map(([name, version]) => ({
      path: `secret/data/${name}`,
      version,
    })),
  };
}

async function subscribe(pod: HintedPod, versions: Readonly<Record<string, number>>) {
  const { status, body } = await post(subscriptionOf(pod, versions));
  expect([status, Object(body).decision]).toEqual([200, "subscribed"]);
  expect(Object(body).renewAfterMs).toBeWithin(400_000, 800_000);
}

async function made(name: string): Promise<HintedPod> {
  return cleanUp.use(await hintedPod(operator.kube, name));
}

/** Waits for news after a number of hints. */
async function hears(pod: HintedPod, news: string, after = 0): Promise<void> {
  await waitFor(() => pod.heard.slice(after).some((hint) => hint.news === news) || undefined, {
    ...DEADLINE,
    what: `${pod.name} to hear ${news}: ${JSON.stringify(pod.heard)}`,
  });
}

/** The vault's tokens of the operator. */
async function operatorTokens(): Promise<number> {
  const listed = await callBao(bao, { method: "GET", path: "auth/token/accessors?list=true" });
  const accessors: readonly string[] = Object(listed?.["data"]).keys;
  const found = await Promise.all(
    accessors.map((accessor) =>
      callBao(bao, { method: "POST", path: "auth/token/lookup-accessor", body: { accessor } }),
    ),
  );
  const names = found.map((answer) => String(Object(answer?.["data"]).display_name));
  return names.filter((name) => name.includes(OPERATOR)).length;
}

async function metric(name: string): Promise<number> {
  const { text = "" } = (await replica.ask("/metrics")) ?? {};
  const line = text.split("\n").find((one) => one.startsWith(`svc_operator_${name} `));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
}

test("a pod is given the address of permits, and told to subscribe to hints", async () => {
  for (const rotation of ["restart", "sighup"]) {
    const asking = askingPod({ "svc.internal/rotation": rotation });
    const pod = await createPod(operator.kube, asking, { dryRun: true });
    expect(variableIn(pod, "SVC_HINTS")).toBe("true");
    expect(variableIn(pod, "SVC_PERMITS_ADDR")).toStartWith(`https://${NAME}:`);
  }
});

test("a subscriber hears that it is fresh, and of each change", async () => {
  const pod = await made("web");
  await subscribe(pod, { shop: 1, bank: 1 });
  await hears(pod, "fresh");
  await writeSecret(bao, "secret/data/bank", { a: "2" });
  await hears(pod, "changed");
  const before = pod.heard.length;
  await subscribe(pod, { shop: 1, bank: 2 });
  await hears(pod, "fresh", before);
  await writeSecret(bao, "secret/data/shop", { a: "2" });
  await hears(pod, "changed", before);
  expect(pod.strange).toEqual([]);
  const sequences = pod.heard.map(({ sequence }) => sequence);
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
});

test("many secrets of a mount are scanned together", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `many/${index}`);
  for (const name of names) await writeSecret(bao, `secret/data/${name}`, { a: "1" });
  const pod = await made("many");
  await subscribe(pod, Object.fromEntries(names.map((name) => [name, 1])));
  await hears(pod, "fresh");
  await waitFor(async () => (await metric('hint_looks_total{way="scan",outcome="found"}')) > 2, {
    ...DEADLINE,
    what: "the mount to be scanned",
  });
  await writeSecret(bao, "secret/data/many/7", { a: "2" });
  await hears(pod, "changed");
  expect(operator.outputs()).toContain("versions for hints are looked up by scan");
});

test("a secret that is denied or not there is silence, and its neighbours are as before", async () => {
  const [pod, other] = [await made("stranger"), await made("neighbour")];
  await subscribe(pod, { shop: 1, none: 1 });
  await subscribe(other, { away: 1 });
  await hears(other, "fresh");
  await writeSecret(bao, "secret/data/away", { a: "2" });
  await hears(other, "changed");
  expect(pod.heard.filter(({ news }) => news === "fresh")).toEqual([]);
});

test("while the vault is away nothing is said, and then it goes on", async () => {
  const pod = await made("patient");
  await sealBao(bao);
  await waitFor(async () => (await metric("hint_look_age_seconds")) > 11, {
    ...DEADLINE,
    what: "the last look to be old",
  });
  await subscribe(pod, { over: 1 });
  await Bun.sleep(2000);
  expect(pod.heard).toEqual([]);
  await unsealBao(bao, bao.unsealKey);
  await hears(pod, "fresh");
  const lines = replica.log().map(({ message }) => String(message));
  expect(lines.filter((line) => line.startsWith("look up versions for hints:"))).toHaveLength(1);
  expect(lines).toContain("versions for hints can be looked up again");
});

test("a pod that knows no such key any more gets nothing more", async () => {
  const pod = await made("over");
  await subscribe(pod, { over: 1 });
  await hears(pod, "fresh");
  const before = await metric("hint_subscribers");
  pod.answerWith(403);
  await writeSecret(bao, "secret/data/over", { a: "2" });
  await hears(pod, "changed");
  await waitFor(async () => (await metric("hint_subscribers")) < before, {
    ...DEADLINE,
    what: "the subscription to be dropped",
  });
});

describe("a subscription is refused", () => {
  test("of another vault, and both are named", async () => {
    const pod = await made("elsewhere");
    const vault = { address: "https://other.test:8200" };
    const { status, body } = await post({ ...subscriptionOf(pod, { shop: 1 }), vault });
    expect(status).toBe(200);
    expect(body).toEqual({
      decision: "refused",
      reason: `the wrapper reads from https://other.test:8200, and the operator looks at ${bao.address}`,
      retryAfterMs: expect.any(Number),
    });
  });

  test("with a forged token, one for another audience, and one that is bound to no pod", async () => {
    const pod = await made("forged");
    const whole = subscriptionOf(pod, { shop: 1 });
    const tokens = [
      "eyJhbGciOiJub25lIn0.e30.",
      await createServiceAccountToken(operator.kube, "shop", "default", {
        audiences: ["svc-rotation-permits"],
      }),
      await createServiceAccountToken(operator.kube, "shop", "default", { audiences: ["vault"] }),
    ];
    for (const token of tokens) {
      secrets.push(token);
      const answer = await post({ ...whole, token });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "UNPROVEN" } } });
    }
  });

  test("that names no secrets", async () => {
    const pod = await made("nothing");
    const answer = await post(subscriptionOf(pod, {}));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "NOT_A_QUESTION" } } });
  });
});

test("a replica that ends says nothing more, ends its token, and has told no secret", async () => {
  const pod = await made("last");
  await subscribe(pod, { away: 2 });
  await hears(pod, "fresh");
  const { text: metrics = "" } = (await replica.ask("/metrics")) ?? {};
  expect(await operatorTokens()).toBe(1);
  expect(await operator.end(replica)).toBe(0);
  expect(await operatorTokens()).toBe(0);
  const before = pod.heard.length;
  await writeSecret(bao, "secret/data/away", { a: "3" });
  await Bun.sleep(2000);
  expect(pod.heard.length).toBe(before);
  const said = operator.outputs() + metrics;
  expect(secrets.length).toBeGreaterThan(10);
  expect(secrets.filter((secret) => secret !== "" && said.includes(secret))).toEqual([]);
  expect(said).not.toMatch(/hvs\.|s\.[A-Za-z0-9]{24}/);
});
