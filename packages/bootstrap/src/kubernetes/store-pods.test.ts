import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { refusal, startObjectServer } from "@svc/testing";
import { connectKubernetes, type KubernetesCluster } from "./connect-kubernetes.ts";

const server = startObjectServer();
afterAll(() => server[Symbol.asyncDispose]());

const pods = "/api/v1/namespaces/vault/pods";
const release = { namespace: "vault", releaseName: "store" };
let cluster: KubernetesCluster;
beforeEach(async () => {
  server.remove();
  server.intercept = () => undefined;
  cluster = await connectKubernetes({ kind: "kubeconfig", paths: [server.kubeconfig] });
});

const set = [{ kind: "StatefulSet", name: "store" }];
function put(name: string, metadata: object = {}, more: object = {}): void {
  server.put(`${pods}/${name}`, { metadata: { name, ownerReferences: set, ...metadata }, ...more });
}

describe("the pods of a store", () => {
  test("come in the order of their numbers, with their places in the cluster's DNS", async () => {
    for (const index of [10, 2, 0]) put(`store-${index}`);
    put("store-1", {}, { spec: { hostname: "one", subdomain: "internal" } });
    const found = await cluster.storePods(release);
    expect(found.map(({ index, host }) => [index, host])).toEqual([
      [0, "store-0.store-internal.vault"],
      [1, "one.internal.vault"],
      [2, "store-2.store-internal.vault"],
      [10, "store-10.store-internal.vault"],
    ]);
  });

  test("are those that stay, and that a StatefulSet owns", async () => {
    put("store-0");
    put("store-1", { deletionTimestamp: "2026-11-01T00:00:00Z" });
    put("store-2", { ownerReferences: [{ kind: "Job", name: "store" }] });
    expect((await cluster.storePods(release)).map(({ name }) => name)).toEqual(["store-0"]);
  });

  test("come page by page", async () => {
    const page = (name: string, next: string) =>
      Response.json({
        ...{ kind: "PodList", apiVersion: "v1", metadata: next === "" ? {} : { continue: next } },
        items: [{ metadata: { name, ownerReferences: set } }],
      });
    const asked: (string | undefined)[] = [];
    server.intercept = ({ query }) => {
      asked.push(query["continue"]);
      return query["continue"] === "second" ? page("store-1", "") : page("store-0", "second");
    };
    const found = await cluster.storePods(release);
    expect(found.map(({ name }) => name)).toEqual(["store-0", "store-1"]);
    expect(asked).toEqual([undefined, "second"]);
  });

  test("have the claims that they mount", async () => {
    const volumes = [
      { name: "data", persistentVolumeClaim: { claimName: "data-store-0" } },
      { name: "config", configMap: { name: "c" } },
    ];
    put("store-0", {}, { spec: { volumes } });
    expect((await cluster.storePods(release))[0]?.claims).toEqual(["data-store-0"]);
  });

  test("that cannot be listed are an error with the namespace", async () => {
    server.intercept = () => refusal(403, "Forbidden", "not you");
    expect(cluster.storePods(release)).rejects.toMatchObject({
      code: "KUBERNETES_DENIED",
      message: expect.stringContaining('list the pods in namespace "vault": status 403'),
    });
  });

  test("that are not there: the others are named", async () => {
    put("other-0", { labels: { "app.kubernetes.io/instance": "other" } });
    expect(await cluster.describeNoPods(release)).toEndWith("there are other-0 (of release other)");
  });
});

describe("a life of the pod's containers", () => {
  const started = { name: "bao", containerID: "containerd://1", restartCount: 0 };
  const side = { name: "side", containerID: "containerd://2", restartCount: 0 };
  const lifeOf = async (containerStatuses?: readonly object[]) => {
    put("store-0", {}, { status: { phase: "Running", containerStatuses } });
    return (await cluster.storePods(release))[0]?.containers;
  };
  test("is the same in any order", async () => {
    const life = await lifeOf([started, side]);
    expect(life).toMatch(/^[0-9a-f]{16}$/);
    expect(await lifeOf([side, started])).toBe(life);
  });

  const others = [
    ["a restart", { ...started, restartCount: 1 }],
    ["another container", { ...started, containerID: "containerd://3" }],
    ["another name", { ...started, name: "vault" }],
  ] as const;
  for (const [name, other] of others) {
    test(`is another one after ${name}`, async () => {
      expect(await lifeOf([other, side])).not.toBe(await lifeOf([started, side]));
    });
  }

  const unknown = [
    ["without containers", []],
    ["without a status", undefined],
    ["with one that was not started", [started, { ...side, containerID: "" }]],
  ] as const;
  for (const [name, statuses] of unknown) {
    test(`is not known ${name}`, async () => {
      expect(await lifeOf(statuses)).toBeUndefined();
    });
  }
});
