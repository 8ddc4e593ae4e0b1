import { afterAll, beforeAll, expect, test } from "bun:test";
import { callKubernetes, certificateAuthority, waitFor } from "@svc/testing";
import { CONFIGURATION, LEASE } from "../harness/kubernetes/operator-release.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 240_000;
const DEADLINE_MS = 60_000;
let operator: RunningOperator;

beforeAll(async () => {
  operator = await runningOperator();
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

async function patch(path: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await callKubernetes(operator.kube, { method: "PATCH", path, body, contentType });
}

/** Keeps the lease for a while, so that no replica mends the bundle. */
async function holdLease(holderIdentity: string, leaseDurationSeconds: number): Promise<void> {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  await patch(LEASE, { spec: { holderIdentity, leaseDurationSeconds, renewTime } });
}

async function trustOnly(authorityPem: string): Promise<void> {
  const read = await callKubernetes(operator.kube, { method: "GET", path: CONFIGURATION });
  const caBundle = Buffer.from(authorityPem).toString("base64");
  const webhooks = Object(read).webhooks.map((webhook: object) => ({
    ...webhook,
    clientConfig: { ...Object(webhook).clientConfig, caBundle },
  }));
  await patch(CONFIGURATION, { webhooks });
}

async function notes(): Promise<readonly string[]> {
  const path = "/apis/events.k8s.io/v1/namespaces/default/events";
  const { items } = Object(await callKubernetes(operator.kube, { method: "GET", path }));
  return items
    .filter(({ reason }: { readonly reason: string }) => reason === "WebhookRefused")
    .map(({ note }: { readonly note: string }) => note);
}

test(
  "a replica that API servers would refuse is not ready, says why, and is ready again",
  async () => {
    const [replica] = operator.replicas;
    const ready = async (status: number, what: string) =>
      waitFor(
        async () => {
          const page = await replica?.ask("/readyz");
          return page?.status === status && page;
        },
        { deadlineMs: DEADLINE_MS, what },
      );
    expect(await ready(200, "the replica to be ready")).toMatchObject({
      text: '{"status":"ready"}',
    });
    await holdLease("another", 3600);
    await trustOnly((await certificateAuthority("another")).certificatePem);
    const page = await ready(503, "the replica to see that it is refused");
    const { status, reason } = JSON.parse(page.text);
    expect(status).toBe("refused");
    expect(reason).toMatch(/^API servers refuse this replica for webhook ".+" of configuration "/);
    expect(replica?.log().map(({ message }) => message)).toContain(reason);
    const isTold = async () => (await notes()).includes(reason);
    await waitFor(isTold, { deadlineMs: DEADLINE_MS, what: "an event" });

    await holdLease("", 1);
    await ready(200, "the leader to mend the bundle");
  },
  TIMEOUT_MS,
);
