import { beforeAll, describe, expect, test } from "bun:test";
import { callBao } from "@svc/testing";
import { KEYS, type OpenStore, openStore } from "./store/open-store.ts";
import { STORE } from "./store/store-objects.ts";
import { storyCluster } from "./story-cluster.ts";

const cluster = storyCluster();
let store: OpenStore;

beforeAll(async () => {
  store = await openStore(cluster);
});

describe("svc secretstore init as the chart's Job", () => {
  test("opens each of the three pods of a store that speaks TLS", async () => {
    for (const pod of STORE.pods) {
      const words = ["--for=condition=Ready", `pod/${pod}`, "-n", STORE.namespace];
      await cluster.kubectl("wait", ...words, "--timeout=5m");
    }
  });

  test("joins the three pods to one Raft cluster", async () => {
    const path = "sys/storage/raft/configuration";
    const answer = await callBao(store, { method: "GET", path });
    const text = JSON.stringify(answer);
    for (const pod of STORE.pods) expect(text).toContain(`"node_id":"${pod}"`);
  });

  test("keeps five shares and the root token in the Secret, and prints none", async () => {
    const secret = await cluster.get<{ data: Record<string, string> }>(
      ...["secret", KEYS, "-n", STORE.namespace],
    );
    expect(Object.keys(secret.data).sort()).toEqual([
      "root-token",
      ...[1, 2, 3, 4, 5].map((number) => `unseal-key-${number}`),
    ]);
    // The CronJob may be starting a pod, which has no log yet: kubectl passes over that one.
    const selector = ["-n", STORE.namespace, "-l", "app.kubernetes.io/name=svc-secretstore"];
    const logs = await cluster.kubectl("logs", ...selector, "--tail=-1", "--ignore-errors");
    for (const encoded of Object.values(secret.data)) {
      expect(logs).not.toContain(Buffer.from(encoded, "base64").toString());
    }
    expect(logs).toContain("5 key shares (3 unseal)");
  });

  test("makes the role for the audience of the operator's tokens", async () => {
    const role = await callBao(store, { method: "GET", path: "auth/kubernetes/role/svc" });
    expect(JSON.stringify(role)).toContain('"audience":"vault"');
  });
});
