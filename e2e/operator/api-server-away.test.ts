import { afterAll, beforeAll, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { createPod, messageIn, podOf, variableIn, wrappedIn } from "./created-pods.ts";
import type { Replica } from "./replica.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";
import { type SeverablePath, severablePath } from "./severable-path.ts";
import { putConfig } from "./svc-configs.ts";

const TIMEOUT_MS = 180_000;
let operator: RunningOperator;
let path: SeverablePath;
beforeAll(async () => {
  operator = await runningOperator();
  path = severablePath(operator.kube.address);
  await putConfig(operator.kube, { name: "default" });
}, TIMEOUT_MS);
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  path[Symbol.dispose]();
});

const asking = (annotations: object = {}) =>
  podOf({ "svc.internal/inject": "true", ...annotations });
const create = (annotations?: object) => createPod(operator.kube, asking(annotations));
const warnings = (replica: Replica) =>
  replica.log().filter(({ level, message }) => level === "warn" && message !== "pod judged");
/** By way of the path that can be cut. */
const throughPath = () => ({ kubeconfig: operator.writeKubeconfig({ address: path.address }) });

test(
  "a replica that finds no API server waits for it, says so in few lines, and is ready when it comes",
  async () => {
    const replica = operator.start(throughPath());
    const isTold = () => warnings(replica).length > 0;
    await waitFor(isTold, {
      deadlineMs: 10_000,
      what: "its message that the server does not answer",
    });
    expect(String(warnings(replica)[0]?.["message"])).toContain(path.address);
    expect(await replica.ask("/healthz")).toBeUndefined();
    const count = warnings(replica).length;
    await path.mend();
    const isReady = async () => (await replica.ask("/readyz"))?.status === 200;
    await waitFor(isReady, { deadlineMs: 45_000, what: "it to be ready" });
    expect(warnings(replica).length - count).toBeLessThan(10);
    await operator.kill(replica);
  },
  TIMEOUT_MS,
);

test(
  "while it is away later, pods are judged by known facts, and unknown ones are reported",
  async () => {
    await path.mend();
    const replica = await operator.replace(throughPath());
    expect(wrappedIn(await create())).toEqual(["app"]);
    path.cut();
    const isTold = () => warnings(replica).length > 0;
    await waitFor(isTold, { deadlineMs: 10_000, what: "it to miss the API server" });
    for (let count = 0; count < 20; count++) expect(wrappedIn(await create())).toEqual(["app"]);
    // If replicas were not longer ready, no pod could be created that asks.
    expect((await replica.ask("/readyz"))?.status).toBe(200);
    await putConfig(operator.kube, { name: "later" }, { vaultRole: "later" });
    const unknown = await create({ "svc.internal/config": "later" });
    expect(unknown.status).toBe(500);
    expect(messageIn(unknown)).toContain(
      "SvcConfigs of namespace shop: must be readable: the API server did not give them (create the pod again)",
    );
    await path.mend();
    const isKnown = async () =>
      variableIn(await create({ "svc.internal/config": "later" }), "VAULT_AUTH_ROLE") === "later";
    await waitFor(isKnown, { deadlineMs: 10_000, what: "the new SvcConfig" });
    await putConfig(operator.kube, { name: "default" }, { vaultRole: "new" });
    const isNew = async () => variableIn(await create(), "VAULT_AUTH_ROLE") === "new";
    await waitFor(isNew, { deadlineMs: 45_000, what: "the watch to go on" });
    expect(await operator.end(replica)).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "it ends at once although it cannot release its lease",
  async () => {
    await path.mend();
    const replica = await operator.startReady({ ...throughPath(), flags: ["--shutdown-delay=0s"] });
    path.cut();
    replica.process.signal("SIGTERM");
    const beganMs = performance.now();
    expect(await replica.process.ended).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(60_000);
  },
  TIMEOUT_MS,
);
