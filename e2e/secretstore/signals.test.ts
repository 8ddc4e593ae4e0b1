import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { expectNothingLeft } from "../wrapper/leftovers.ts";
import { describeRuns, lastOf, reopenWithSecret } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Accident, Fate } from "./fault-proxy.ts";
import { INITIALISATION, KEEPING } from "./init-requests.ts";
import { type ProxiedRun, runProxied, startProxied } from "./proxied-run.ts";
import { writePod } from "./store-pods.ts";
import { startRelease } from "./store-release.ts";
import { inTurn } from "./turns.ts";

const TIMEOUT_MS = 120_000;
/** A busy machine's moment. */
const SOON_MS = 5000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
type StopSignal = keyof typeof signals;

/** Holds one request until it is let go. */
function holdAt(number: number) {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const accident = (): Accident => ({
    onRequest: async (request): Promise<Fate> => {
      if (request.number !== number) return "passes";
      arrive();
      await held;
      return "passes";
    },
  });
  return { accident, arrived, letGo };
}

const held = [
  ["the store initialises itself", INITIALISATION],
  ["the keys are in the process alone", KEEPING],
] as const;
const sequences: readonly (readonly [StopSignal, ...StopSignal[]])[] = [
  ["SIGTERM"],
  ["SIGINT"],
  ["SIGHUP"],
  ["SIGQUIT"],
  ["SIGTERM", "SIGTERM"],
  ["SIGINT", "SIGINT"],
  ["SIGHUP", "SIGTERM"],
];

describe("while", () => {
  for (const [moment, number] of held) {
    for (const sequence of sequences) {
      const title = `${moment}, ${sequence.join(" and ")} has to wait until they are stored`;
      test.concurrent(title, () => inTurn(() => stopAt(number, sequence)), TIMEOUT_MS);
    }
  }
});

async function stopAt(
  number: number,
  sequence: readonly [StopSignal, ...StopSignal[]],
): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const { accident, arrived, letGo } = holdAt(number);
  const run = await startProxied({ cluster, release, accident });
  await Promise.race([arrived, run.ended]);
  for (const [index, signal] of sequence.entries()) {
    run.child.kill(signal);
    const warnings = () =>
      run.said().split("it ends once the keys that it holds are stored").length - 1;
    const what = `warning ${index + 1}`;
    await waitFor(() => warnings() > index || hasEnded(run), { deadlineMs: SOON_MS, what });
  }
  expect(hasEnded(run), run.said()).toBe(false);
  letGo();
  const first = await run.ended;
  const told = (...more: readonly (typeof first)[]) =>
    describeRuns(sequence.join(), [first, ...more]);
  expect(first.exitCode, told()).toBe(signals[sequence[0]]);
  expect(lastOf(first), told()).toMatchObject({ type: "error", code: "STOPPED" });
  expect(Object.keys((await cluster.keysOf(release)) ?? {}), told()).toHaveLength(4);
  const second = await runProxied({ cluster, release });
  expect(second.exitCode, told(second)).toBe(0);
  expect(first.initialisations + second.initialisations, told(second)).toBe(1);
  await reopenWithSecret(cluster, release);
}

function hasEnded({ child }: ProxiedRun): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

describe("while it waits for pods", () => {
  for (const [signal, exitCode] of Object.entries(signals)) {
    if (!isStopSignal(signal)) continue;
    test.concurrent(`${signal} ends it at once`, async () => {
      await using release = await startRelease(cluster.kube, { storage: "inmem" });
      await writePod(cluster.kube, release, { index: 0, phase: "Pending" });
      const run = await startProxied({ cluster, release });
      const what = "it to wait";
      await waitFor(() => run.said().includes("waiting"), { deadlineMs: SOON_MS, what });
      run.child.kill(signal);
      await waitFor(() => hasEnded(run), { deadlineMs: SOON_MS, what: "its end" });
      const end = await run.ended;
      expect([end.exitCode, lastOf(end)], end.stdout).toMatchObject([
        exitCode,
        { code: "STOPPED" },
      ]);
    });
  }
});

function isStopSignal(name: string): name is StopSignal {
  return name in signals;
}

test.concurrent("a signal does not end it where nobody reads the warning any more, as of `| tee`", async () => {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const { accident, arrived, letGo } = holdAt(KEEPING);
  // The reader takes the two lines that come before, and leaves.
  const run = await startProxied({ cluster, release, accident, redirections: "> >(head -n 2)" });
  await Promise.race([arrived, run.ended]);
  await waitFor(() => run.said().includes("started"), { deadlineMs: SOON_MS, what: "two lines" });
  run.child.kill("SIGINT");
  run.child.kill("SIGTERM");
  letGo();
  const end = await run.ended;
  const told = describeRuns("nobody reads", [end]);
  expect(Object.keys((await cluster.keysOf(release)) ?? {}), told).toHaveLength(4);
  expect([130, 143], told).toContain(end.exitCode);
  await expect(runProxied({ cluster, release })).resolves.toMatchObject({ exitCode: 0 });
  await reopenWithSecret(cluster, release);
});

/** What becomes of what is said; a reader leaves after some lines. */
const outputs: readonly (readonly [string, readonly string[], string])[] = [
  ["a full disk", [], ">/dev/full"],
  ["a full disk, as JSON", ["-o", "json"], ">/dev/full"],
  ["a full disk for errors, too", [], ">/dev/full 2>/dev/full"],
  ["nothing that is open", [], ">&- 2>&- <&-"],
  ["a reader that is gone", [], "> >(true) 2>&1"],
  ...[1, 2, 3, 4].map(
    (lines) => [`a reader of ${lines} lines`, ["-o", "json"], `> >(head -n ${lines})`] as const,
  ),
];

describe("no key is lost where standard output is", () => {
  for (const [name, more, redirections] of outputs) {
    test.concurrent(
      name,
      () =>
        inTurn(async () => {
          await using release = await startRelease(cluster.kube, { storage: "inmem" });
          const words = ["init", ...more];
          const end = await runProxied({ cluster, release, words, redirections });
          const told = describeRuns(name, [end]);
          expect([end.exitCode, end.initialisations], told).toEqual([0, 1]);
          await reopenWithSecret(cluster, release);
        }),
      TIMEOUT_MS,
    );
  }
});
