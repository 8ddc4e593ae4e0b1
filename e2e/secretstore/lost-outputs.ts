import { describe, expect } from "bun:test";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

/** The fate of a run's output. */
interface OutputRow {
  readonly name: string;
  readonly flags: readonly string[];
  readonly redirections: string;
}

const asJson = ["-o", "json"];

const rows: readonly OutputRow[] = [
  { name: "a full disk", flags: [], redirections: ">/dev/full" },
  { name: "a full disk, as JSON", flags: asJson, redirections: ">/dev/full" },
  { name: "a full disk, for errors too", flags: [], redirections: ">/dev/full 2>/dev/full" },
  { name: "nothing that is open", flags: [], redirections: ">&- 2>&- <&-" },
  { name: "a reader that is gone", flags: [], redirections: "> >(true) 2>&1" },
  // The second line comes before the store is initialised, the third with the keys in the Secret.
  ...[1, 2, 3, 4].map((lines) => ({
    name: `a reader that leaves after line ${lines}`,
    flags: asJson,
    redirections: `> >(head -n ${lines})`,
  })),
];

/** A run can say nothing. */
export function lostOutputs(test: AccidentTest): void {
  describe("no key is lost, and the run finishes, if its output is", () => {
    for (const row of rows) test(row.name, (cluster) => runUnheard(cluster, row));
  });
}

async function runUnheard(cluster: Cluster, row: OutputRow): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const { flags, redirections } = row;
  const end = await runProxied({ cluster, release, words: ["init", ...flags], redirections });
  const told = describeRuns(row.name, [end]);
  expect([end.exitCode, end.initialisations], told).toEqual([0, 1]);
  await reopenWithSecret(cluster, release);
}
