import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { refusal } from "@svc/testing";
import {
  apps,
  explainStage,
  makerOf,
  podOf,
  pods,
  running,
  statusOf,
} from "../explain/testdata/explain-stage.ts";
import { runCaptured } from "../testdata/run-captured.ts";
import { runStatus } from "./run-status.ts";

const stage = explainStage();
const { server } = stage;
afterAll(() => stage[Symbol.asyncDispose]());

const answers = new Map<string, object | number>();
const dayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
const secret = (version: number, path = "secret/data/db") => ({ path, version, since: dayAgo });
const ready = {
  ...{ status: "ready", rotations: 1, applicationRestarts: 0, protectionScore: 80 },
};
const told = (version: number, more = {}) => ({
  ...{ state: "current", readiness: ready, delivery: { method: "inject", memory: "memfd" } },
  ...{ secrets: [secret(version)], ...more },
});

async function putPod(name: string): Promise<void> {
  const pod = await stage.injected(name, statusOf({ state: running, started: true }));
  const ownerReferences = [{ kind: "ReplicaSet", name: "web-7d4b9c", controller: true }];
  const labels = { app: "web", "pod-template-hash": "7d4b9c" };
  server.put(`${pods}/${name}`, { ...pod, metadata: { ...pod.metadata, labels, ownerReferences } });
}

beforeEach(async () => {
  stage.reset();
  answers.clear();
  server.put(`${apps}/deployments/web`, makerOf("Deployment", podOf("web", {})));
  for (const name of ["web-0", "web-1"]) await putPod(name);
  server.intercept = ({ path }) => {
    const name = /pods\/(.*):8199\/proxy\/v1\/check$/.exec(path)?.[1];
    const answer = answers.get(name ?? "");
    if (answer === undefined) return undefined;
    return typeof answer === "number"
      ? refusal(answer, "Forbidden", "pods/proxy is forbidden")
      : Response.json(answer);
  };
});

async function status(...words: readonly string[]) {
  const environment = new Map([["KUBECONFIG", await stage.kubeconfig()]]);
  return runCaptured((output) => runStatus(words, environment, output));
}

describe("svc status", () => {
  test("shows each workload, and the versions of its programs", async () => {
    answers.set("web-0", told(7, { secrets: [secret(7), secret(2, "secret/data/x")] }));
    answers.set("web-1", told(6, { readiness: { ...ready, protectionScore: 65 } }));
    const { exitCode, out, err } = await status("-n", "shop");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out.split("\n")).toEqual([
      "WORKLOAD             PODS  READY  DELIVERY  SCORE  SECRET          VERSIONS      SINCE",
      "shop/deployment/web  2     2/2    inject    65     secret/data/db  7 (1), 6 (1)  1d",
      "                                                   secret/data/x   2             1d",
      "",
    ]);
  });

  test("says which program is in trouble, and why: status 3", async () => {
    const reason = "the secrets are being fetched: sealed (SEALED)";
    answers.set("web-0", { state: "waiting", readiness: { status: "starting", reason } });
    answers.set("web-1", told(7, { agent: { connected: false, reason: "connect: ENOENT" } }));
    const { exitCode, out } = await status("deployment/web", "-n", "shop");
    expect(exitCode).toBe(3);
    expect(out).toContain("shop/deployment/web  2     1/2    inject    80 ");
    expect(out).toEndWith(
      `\n\npod shop/web-0, container app is starting: ${reason}\n` +
        "pod shop/web-1, container app: no kernel agent of its node watches the program\n",
    );
  });

  test("of a path shows who has an old version first: status 3", async () => {
    answers.set("web-0", told(7));
    answers.set("web-1", told(6));
    const { exitCode, out } = await status("-n", "shop", "--path", "secret/data/db");
    expect(exitCode).toBe(3);
    expect(out.split("\n")).toEqual([
      "WORKLOAD             POD    CONTAINER  VERSION  SINCE  STATUS",
      "shop/deployment/web  web-1  app        6        1d     ready",
      "shop/deployment/web  web-0  app        7        1d     ready",
      "1 of 2 programs have version 7 of secret/data/db, the newest that one has",
      "",
    ]);
    const json = await status("-n", "shop", "--path=secret/data/db", "-o", "json");
    expect(JSON.parse(json.out)).toMatchObject({
      path: "secret/data/db",
      holders: [
        { namespace: "shop", workload: "deployment/web", pod: "web-1", version: 6 },
        { pod: "web-0", version: 7, since: dayAgo },
      ],
      unreached: [],
    });
  });

  test("of a path that all have in one version is 0, and of one that none has says so", async () => {
    for (const name of ["web-0", "web-1"]) answers.set(name, told(7));
    expect((await status("-n", "shop", "--path=secret/data/db")).exitCode).toBe(0);
    const other = await status("-n", "shop", "--path=secret/data/other");
    expect(other.out).toBe("no program says that it has secret/data/other\n");
  });

  test("says which wrapper cannot be asked: status 2", async () => {
    answers.set("web-0", told(7));
    answers.set("web-1", 403);
    const { exitCode, out } = await status("-n", "shop");
    expect(exitCode).toBe(2);
    expect(out).toContain("pod shop/web-1, container app cannot be asked: ask the wrapper of pod");
    const path = await status("-n", "shop", "--path=secret/data/db");
    expect(path.exitCode).toBe(2);
    expect(path.out).toContain("pod shop/web-1, container app cannot be asked");
  });

  test("of all namespaces asks the API server once for pods", async () => {
    server.put("/api/v1/pods/none", { metadata: { name: "none" } });
    const { exitCode, out, err } = await status("-A");
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toBe("svc: warning: the cluster has no pods with a wrapper that run\n");
  });

  test("gives programs one document", async () => {
    answers.set("web-0", told(7));
    answers.set("web-1", told(7));
    const { exitCode, out } = await status("-n", "shop", "-o", "json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).wrappers).toMatchObject([
      {
        ...{ namespace: "shop", workload: "deployment/web", pod: "web-0", container: "app" },
        told: { kind: "told", status: "ready", protectionScore: 80, secrets: [secret(7)] },
      },
      { pod: "web-1" },
    ]);
  });

  test.each([
    ["an object and all namespaces", ["pod", "web-0", "-A"], "--all-namespaces: must be given"],
    ["a namespace and all of them", ["-n", "shop", "-A"], "--all-namespaces: must be given"],
    ["half an object", ["deployment"], "the object: must be named as KIND NAME"],
    ["three words", ["a", "b", "c"], "name one object"],
  ])("refuses %s", async (_what, words, problem) => {
    const { exitCode, err } = await status(...words);
    expect(exitCode).toBe(125);
    expect(err).toContain(problem);
  });

  test("has a help", async () => {
    const { exitCode, out } = await status("--help");
    expect(exitCode).toBe(0);
    expect(out).toContain("usage: svc status [KIND NAME] [FLAGS]");
    expect(out).toContain("--path");
  });
});
