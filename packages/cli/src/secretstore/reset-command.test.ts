import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectKubernetes, writePhase } from "@svc/bootstrap";
import { callBao, STORE_PODS } from "@svc/testing";
import { linesOf } from "../testdata/lines-of.ts";
import { type StoreStage, secret, storeStage } from "./testdata/store-stage.ts";

const TIMEOUT_MS = 60_000;

describe("reset after a run that lost its keys", () => {
  let stage: StoreStage;
  const claims = "/api/v1/namespaces/1/persistentvolumeclaims";
  beforeAll(async () => {
    stage = await storeStage({ storage: "raft" });
    const { server, environment, nodes } = stage;
    server.put(`${claims}/data-store-0`, { metadata: { name: "data-store-0" } });
    const paths = [environment["KUBECONFIG"] ?? ""];
    const cluster = await connectKubernetes({ kind: "kubeconfig", paths });
    const [pod] = await cluster.storePods({ namespace: "1", releaseName: "store" });
    if (pod === undefined) throw new TypeError("no pod");
    const held = { holder: "run-1", sinceMs: 1, resets: 0, shares: 3, threshold: 2 } as const;
    const { name, uid, containers } = pod;
    const mark = { name, uid, containers };
    const phase = { ...held, phase: "initialising", pod: mark, beside: undefined } as const;
    const { labels, annotations, type } = writePhase(phase);
    server.put(secret, {
      metadata: { name: "svc-vault-init", labels, annotations },
      type,
      data: {},
    });
    const body = { secret_shares: 3, secret_threshold: 2 };
    await callBao(nodes[0], { method: "PUT", path: "sys/init", body });
  }, TIMEOUT_MS);
  afterAll(() => stage[Symbol.asyncDispose]());

  test("names the disk and the pod", async () => {
    expect(await stage.run("reset")).toEqual({
      exitCode: 0,
      out: "dry run: this store's keys are lost, and it was never unsealed; nothing was deleted\n         --delete deletes the claim data-store-0 and the pod store-0\n",
      err: "",
    });
    const [result] = linesOf((await stage.run("reset", { flags: ["-o", "json"] })).out);
    expect(result).toEqual({
      ...{ type: "result", dryRun: true, pod: "store-0", claim: "data-store-0" },
    });
    expect(stage.server.get(`${claims}/data-store-0`)).toBeDefined();
  });

  test("deletes the disk and the pod", async () => {
    const flags = ["--delete", "--reset-settle=0s"];
    expect(await stage.run("reset", { flags })).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(
        "done: data-store-0 and store-0 are deleted; run svc secretstore init to start over\n",
      ),
    });
    expect(stage.server.get(`${claims}/data-store-0`)).toBeUndefined();
    expect(stage.server.get(`${STORE_PODS}/store-0`)).toBeUndefined();
  });
});
