import { afterAll, beforeEach, expect, test } from "bun:test";
import { refusal } from "@svc/testing";
import { apps, explainStage, makerOf, podOf, pods } from "../explain/testdata/explain-stage.ts";
import { runCaptured } from "../testdata/run-captured.ts";
import { runRefresh } from "./run-refresh.ts";

const stage = explainStage();
const { server } = stage;
afterAll(() => stage[Symbol.asyncDispose]());

/** The answers of the wrappers, by pod; each in turn, and then the last one. */
const answers = new Map<string, object[]>();

beforeEach(async () => {
  stage.reset();
  answers.clear();
  server.put(`${apps}/deployments/web`, makerOf("Deployment", podOf("web", {})));
  for (const name of ["web-0", "web-1"]) {
    server.put(`${pods}/${name}`, await stage.injected(name, { phase: "Running" }));
    answers.set(name, [{ state: "current" }]);
  }
  server.intercept = ({ path }) => {
    const name = /pods\/(.*):8199\/proxy\/v1\/check$/.exec(path)?.[1];
    const left = answers.get(name ?? "");
    if (left === undefined) return undefined;
    return Response.json(left.length > 1 ? left.shift() : left[0]);
  };
});

async function refresh(...words: readonly string[]) {
  const environment = new Map([["KUBECONFIG", await stage.kubeconfig()]]);
  return runCaptured((output) => runRefresh(words, environment, output));
}

const asked = () => server.requests.filter(({ path }) => path.endsWith("/v1/check"));

test("each wrapper of a workload is asked, and the command says when all are current", async () => {
  const secrets = [{ path: "secret/data/app", version: 8, since: "2026-11-28T10:00:00.000Z" }];
  answers.set("web-1", [
    { state: "checking", reason: "it checks" },
    { state: "current", secrets },
  ]);
  const { exitCode, out, err } = await refresh("deployment/web", "-n", "shop");
  expect(exitCode).toBe(0);
  expect(err).toBe("svc: pod web-1, container app: it checks\n");
  expect(out).toMatch(
    /^pod web-0, container app: has the newest values\npod web-1, container app: has the newest values: secret\/data\/app version 8\nDeployment shop\/web: 2 of 2 have the newest values, after [\d.]+ s\n$/,
  );
});

test("a program reads the outcome of each wrapper as JSON", async () => {
  answers.set("web-0", [{ state: "unchecked", reason: "SVC_ROTATION=none" }]);
  const { exitCode, out } = await refresh("pod", "web-0", "-n", "shop", "-o", "json");
  expect(exitCode).toBe(2);
  expect(JSON.parse(out)).toEqual({
    object: "Pod shop/web-0",
    wrappers: [
      {
        ...{ pod: "web-0", container: "app" },
        ...{ outcome: "unchecked", reason: "SVC_ROTATION=none" },
      },
    ],
    tookMs: expect.any(Number),
  });
});

test("a wrapper that does not become current in time gives 3, and its last state", async () => {
  answers.set("web-1", [{ state: "rotating", reason: "waits for a permit: 1 is away" }]);
  const { exitCode, out } = await refresh("deploy/web", "-n", "shop", "--timeout=1s");
  expect(exitCode).toBe(3);
  expect(out).toContain("does not have the newest values yet: waits for a permit: 1 is away\n");
  expect(out).toContain("1 of 2 have the newest values");
});

test("a dry run lists the wrappers, and asks none", async () => {
  const before = asked().length;
  const { exitCode, out } = await refresh("deployment/web", "-n", "shop", "--dry-run");
  expect([exitCode, asked().length]).toEqual([0, before]);
  expect(out).toContain("pod web-1, container app: would be asked\n");
});

test("a workload without wrappers gives 2 and a warning", async () => {
  server.remove(`${pods}/web-0`);
  server.remove(`${pods}/web-1`);
  expect(await refresh("deployment/web", "-n", "shop")).toMatchObject({
    exitCode: 2,
    err: "svc: warning: Deployment shop/web has no pods with a wrapper that run\n",
  });
});

test("a right that the user lacks is named", async () => {
  server.intercept = ({ path }) =>
    path.endsWith("/v1/check") ? refusal(403, "Forbidden", "cannot create pods/proxy") : undefined;
  const { exitCode, err } = await refresh("deployment/web", "-n", "shop");
  expect(exitCode).toBe(125);
  expect(err).toContain("CLUSTER_UNREADABLE: ask the wrappers of namespace shop");
  expect(err).toContain("cannot create pods/proxy");
});

test.each([
  [["deployment/none", "-n", "shop"], "OBJECT_MISSING: read Deployment shop/none: there is none"],
  [["web"], "the object: must be named as KIND NAME"],
  [["deployment/web", "--timeout=0s"], "--timeout"],
  [["deployment/web", "--wiat"], "--wiat"],
])("%j is refused: %s", async (words, text) => {
  const { exitCode, err } = await refresh(...words);
  expect([exitCode, err]).toEqual([125, expect.stringContaining(text)]);
});

test("help names the exit statuses", async () => {
  const { exitCode, out } = await refresh("--help");
  expect(exitCode).toBe(0);
  expect(out).toContain("usage: svc refresh KIND NAME");
});
