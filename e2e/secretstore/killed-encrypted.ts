import { expect } from "bun:test";
import { Secret } from "@svc/vault";
import { ageIdentity } from "../harness/stores/age-identity.ts";
import { textOf } from "../harness/stores/opened-store.ts";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, lastOf } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import { initRequests, KEEPING } from "./init-requests.ts";
import { killedAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

/** A run is killed after it has stored encrypted shares: only their holders can go on. */
export function killedEncrypted(test: AccidentTest): void {
  const title = "a run is killed once encrypted shares are stored";
  test(`${title}: their holders unseal, and the next one finishes`, killAndUnseal);
}

async function killAndUnseal(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  await using stack = new AsyncDisposableStack();
  const holders = [];
  for (const _ of [1, 2, 3]) holders.push(stack.use(await ageIdentity()));
  const recipients = holders.map(({ recipient }) => recipient).join(",");
  const environment = { BOOTSTRAP_AGE_RECIPIENTS: recipients };
  const run = { cluster, release, environment };
  const row = { number: KEEPING, moment: "after", title: "" } as const;
  const first = await runProxied({ ...run, accident: killedAt(row) });
  expect(first.requests).toEqual(initRequests.slice(0, KEEPING));
  const second = await runProxied(run);
  expect(lastOf(second)).toMatchObject({ type: "error", code: "SHARES_ENCRYPTED" });

  const keys = (await cluster.keysOf(release)) ?? {};
  const shares = await Promise.all(
    holders.map((holder, index) =>
      holder.decrypt(new Secret(keys[`unseal-key-${index + 1}`] ?? "")),
    ),
  );
  const input = shares.slice(1).map((share) => `${textOf(share)}\n`);
  const words = ["unseal", "--shares-stdin", "-o", "json"];
  const unsealed = await runProxied({ ...run, words, input: input.join("") });
  expect(unsealed.exitCode, describeRuns("unseal", [unsealed])).toBe(0);
  const third = await runProxied(run);
  const told = describeRuns("after the unsealing", [first, second, unsealed, third]);
  expect(lastOf(third), told).toMatchObject({ type: "result", encryption: { shares: "age" } });
  expect(lastOf(await runProxied(run)), told).toMatchObject({ type: "result", changes: 0 });
}
