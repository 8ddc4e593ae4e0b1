import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callBao, refusal, STORE_PODS, STORE_SECRETS } from "@svc/testing";
import type { PodMark } from "../secret/secret-phase.ts";
import { type RunStage, recorded, runStage } from "../testdata/run-stage.ts";
import { resetUnfinished } from "./reset-unfinished.ts";

const TIMEOUT_MS = 60_000;
const claims = "/api/v1/namespaces/1/persistentvolumeclaims";
const claim = `${claims}/data-store-0`;
const podPath = `${STORE_PODS}/store-0`;
const beside = "svc-vault-init-1a2b3c4d";
let stage: RunStage;

beforeAll(async () => {
  stage = await runStage({ storage: "raft" });
  // The run that did it has lost the keys.
  const body = { secret_shares: 3, secret_threshold: 2 };
  await callBao(stage.nodes[0], { method: "PUT", path: "sys/init", body });
}, TIMEOUT_MS);
afterAll(() => stage[Symbol.asyncDispose]());

const held = { holder: "run-0", sinceMs: 1, resets: 0, shares: 3, threshold: 2 } as const;
const markOf = async (): Promise<PodMark> => {
  const [pod] = await stage.cluster.storePods({ namespace: "1", releaseName: "store" });
  if (pod === undefined) throw new TypeError("there is no pod");
  const { name, uid, containers } = pod;
  return { name, uid, containers };
};
beforeEach(async () => {
  stage.server.remove();
  stage.server.intercept = () => undefined;
  stage.putPod(0);
  stage.server.put(claim, { metadata: { name: "data-store-0" } });
  stage.putPhase({ ...held, phase: "initialising", pod: await markOf(), beside });
});

const reset = (isDeleted: boolean, holder = "run-1") =>
  recorded((progress) => {
    const { settleMs: _, ...settings } = stage.settings();
    const wanted = { ...settings, settleMs: 0, delete: isDeleted };
    return resetUnfinished(wanted, { ...stage.tools(progress), holder });
  });

test("a proof alone deletes nothing", async () => {
  const before = stage.server.get(stage.path);
  expect(await reset(false)).toEqual({
    ...{ result: { pod: "store-0", claim: "data-store-0" }, error: undefined, steps: [] },
  });
  expect([stage.server.get(claim), stage.server.get(podPath)]).not.toContain(undefined);
  expect(stage.server.get(stage.path)).toEqual(before);
});

test("a reset notes itself, deletes the disk and the pod, and lets the next run begin", async () => {
  const { steps, error } = await reset(true);
  expect(error).toBeUndefined();
  expect(steps).toEqual([
    "waiting: nothing to change at store-0 for 0 ms",
    "reset store-0 updated",
  ]);
  expect([stage.server.get(claim), stage.server.get(podPath)]).toEqual([undefined, undefined]);
  expect(await stage.phase()).toMatchObject({ phase: "resetting", sinceMs: 0, resets: 1 });
  const notes = stage.server.requests.filter(({ method }) => method !== "GET");
  expect(notes.slice(-4).map(({ method, path }) => `${method} ${path}`)).toEqual([
    ...[`PUT ${stage.path}`, `DELETE ${claim}`, `DELETE ${podPath}`, `PUT ${stage.path}`],
  ]);
});

describe("a reset never deletes an object that was made later:", () => {
  for (const [name, path] of [
    ["a claim", claim],
    ["a pod", podPath],
  ] as const) {
    test(name, async () => {
      stage.server.intercept = ({ method, path: asked }) => {
        // It is made again between the last look and the deletion.
        if (method === "DELETE" && asked === path) {
          const { uid: _, ...metadata } = Object(Object(stage.server.get(path)).metadata);
          stage.server.put(path, { ...stage.server.get(path), metadata });
        }
        return undefined;
      };
      expect((await reset(true)).error).toBeUndefined();
      expect(stage.server.get(path)).toBeDefined();
    });
  }

  test("or one that is gone already", async () => {
    stage.server.intercept = ({ method, path }) => {
      if (method === "DELETE") stage.server.remove(path);
      return undefined;
    };
    expect((await reset(true)).error).toBeUndefined();
  });
});

describe("a reset is refused if", () => {
  const rows: readonly (readonly [string, () => void | Promise<void>, object])[] = [
    [
      "another client has changed the Secret meanwhile",
      () => {
        stage.server.intercept = ({ method, path }) => {
          if (method === "PUT") stage.server.put(path, Object(stage.server.get(path)));
          return undefined;
        };
      },
      {
        code: "RESET_REFUSED",
        message: expect.stringContaining("another run has changed the Secret"),
      },
    ],
    [
      "the answer to the note is lost",
      () => {
        stage.server.intercept = ({ method }) =>
          method === "PUT" ? refusal(500, "InternalError", "away") : undefined;
      },
      { code: "RESET_REFUSED", message: expect.stringContaining("nothing was deleted") },
    ],
    [
      "a Secret beside it may have the keys",
      () => stage.server.put(`${STORE_SECRETS}/${beside}`, { metadata: { name: beside } }),
      { code: "RESET_REFUSED", message: expect.stringContaining(`the Secret ${beside} beside it`) },
    ],
    [
      "the Secret beside it may not be read",
      () => {
        stage.server.intercept = ({ path }) =>
          path.endsWith(beside) ? refusal(403, "Forbidden", "not you") : undefined;
      },
      { code: "RESET_REFUSED", message: expect.stringContaining("cannot be read") },
    ],
    [
      "the claim is not there",
      () => stage.server.remove(claim),
      { code: "RESET_REFUSED", message: expect.stringContaining("has no claim") },
    ],
    [
      "the claim may not be read",
      () => {
        stage.server.intercept = ({ path }) =>
          path === claim ? refusal(403, "Forbidden", "not you") : undefined;
      },
      { code: "KUBERNETES_DENIED", message: expect.stringContaining('claim "data-store-0"') },
    ],
    [
      "the pod may not be deleted",
      () => {
        stage.server.intercept = ({ method, path }) =>
          method === "DELETE" && path === podPath
            ? refusal(403, "Forbidden", "not you")
            : undefined;
      },
      { code: "KUBERNETES_DENIED", message: expect.stringContaining('delete pod "store-0"') },
    ],
    [
      "the pod was started again",
      () => {
        const pod = Object(stage.server.get(podPath));
        const containerStatuses = [{ name: "bao", containerID: "containerd://2", restartCount: 1 }];
        stage.server.put(podPath, { ...pod, status: { phase: "Running", containerStatuses } });
      },
      { code: "RESET_REFUSED", message: expect.stringContaining("it may have been open") },
    ],
    [
      "there is no Secret",
      () => stage.server.remove(stage.path),
      { code: "RESET_REFUSED", message: expect.stringContaining("there is no Secret") },
    ],
  ];
  for (const [name, prepare, error] of rows) {
    test(name, async () => {
      await prepare();
      const ended = await reset(true);
      expect(ended.error).toMatchObject(error);
      expect(stage.server.get(podPath)).toBeDefined();
    });
  }
});

test("init resets it if it may, and initialises the new store", async () => {
  const environment = { BOOTSTRAP_RESET_UNFINISHED: "true", BOOTSTRAP_RESET_SETTLE: "0s" };
  const rehearsed = await stage.rehearse({ environment });
  expect(rehearsed.error).toBeUndefined();
  expect(rehearsed.steps.slice(0, 3)).toEqual([
    ...["reset store-0 updated", "initialise created", "unseal store-0 updated"],
  ]);
  // The pod does not come again: the run waits for it, and its time is up.
  const { steps, error } = await stage.init({ environment });
  expect(steps).toContain("reset store-0 updated");
  expect(error).toMatchObject({ code: "PODS_NOT_READY" });
  expect(await stage.phase()).toMatchObject({ phase: "resetting", resets: 1 });
  expect((await stage.rehearse()).error).toMatchObject({ code: "PODS_NOT_READY" });
});

test("a store that a person has begun to open is left", async () => {
  const body = { key: btoa("x".repeat(33)) };
  await callBao(stage.nodes[0], { method: "PUT", path: "sys/unseal", body });
  expect((await reset(true)).error).toMatchObject({
    code: "RESET_REFUSED",
    message: expect.stringContaining("store-0 was given 1 shares"),
  });
});
