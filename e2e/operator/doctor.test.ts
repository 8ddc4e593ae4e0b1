import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kubeconfig, temporaryFolder } from "@svc/testing";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const svc = join(import.meta.dirname, "../../dist/bin/svc");
const TIMEOUT_MS = 240_000;
const folder = temporaryFolder();
let operator: RunningOperator;

beforeAll(async () => {
  operator = await runningOperator();
}, TIMEOUT_MS);
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The findings of `svc doctor cluster`, by their checks. */
async function doctor() {
  const path = join(folder.path, "kubeconfig");
  writeFileSync(path, kubeconfig(operator.kube), { mode: 0o600 });
  const words = ["doctor", "cluster", "-n", "shop", "-o", "json"];
  const child = Bun.spawn([svc, ...words], {
    env: { KUBECONFIG: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  const { findings } = JSON.parse(out === "" ? "{}" : out);
  const levels = Object.fromEntries(
    (findings ?? []).map((one: { readonly check: string; readonly level: string }) => [
      one.check,
      one.level,
    ]),
  );
  return { exitCode, err, out, levels };
}

test(
  "svc doctor has the API server ask the operator, and makes no pod",
  async () => {
    const { levels, err, out } = await doctor();
    expect(err).toBe("");
    expect(levels, out).toMatchObject({ webhook: "ok", admission: "ok", definitions: "ok" });
    const pods = await operator.release.read("/api/v1/namespaces/shop/pods");
    expect(Object(pods)["items"]).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "and finds that API servers cannot reach it: status 1",
  async () => {
    for (const replica of [...operator.replicas]) await operator.kill(replica);
    const { exitCode, levels, out } = await doctor();
    expect(exitCode).toBe(1);
    expect(levels, out).toMatchObject({ webhook: "ok", admission: "failure" });
    expect(out).toContain("failed calling webhook");
  },
  TIMEOUT_MS,
);
