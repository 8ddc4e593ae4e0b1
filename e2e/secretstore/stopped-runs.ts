import { describe, expect } from "bun:test";
import { waitFor } from "@svc/testing";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, lastOf, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import type { Accident, Fate } from "./fault-proxy.ts";
import { INITIALISATION, KEEPING } from "./init-requests.ts";
import { type ProxiedRun, runProxied, startProxied } from "./proxied-run.ts";
import { writePod } from "./store-pods.ts";
import { startRelease } from "./store-release.ts";

/** A busy machine's moment. */
const SOON_MS = 5000;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
type StopSignal = keyof typeof exitCodes;

/** A request that is held while signals come. */
interface StopRow {
  readonly moment: string;
  readonly number: number;
  readonly signals: readonly [StopSignal, ...StopSignal[]];
}

/** The moments with their signals. The rest of the signals is like the first. */
const rows: readonly StopRow[] = [
  { moment: "the store initialises itself", number: INITIALISATION, signals: ["SIGTERM"] },
  ...(
    [
      ["SIGTERM"],
      ["SIGINT"],
      ["SIGHUP"],
      ["SIGQUIT"],
      ["SIGTERM", "SIGTERM"],
      ["SIGINT", "SIGINT"],
      ["SIGHUP", "SIGTERM"],
    ] as const
  ).map((signals) => ({ moment: "the keys are in the process alone", number: KEEPING, signals })),
];

/** A run is told to stop. */
export function stoppedRuns(test: AccidentTest): void {
  describe("while", () => {
    for (const row of rows) {
      const title = `${row.moment}, ${row.signals.join(" and ")} has to wait until they are stored`;
      test(title, (cluster) => stopAt(cluster, row));
    }
    for (const [signal, exitCode] of Object.entries(exitCodes)) {
      const title = `it waits for pods, ${signal} ends it at once`;
      test(title, (cluster) => stopWaiting(cluster, { signal, exitCode }));
    }
  });
  const title = "a signal does not end it if no process reads the warning any more, as of `| tee`";
  test(title, stopUnheard);
}

async function stopAt(cluster: Cluster, { number, signals }: StopRow): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const { accident, arrived, proceed } = holdAt(number);
  const run = await startProxied({ cluster, release, accident });
  await Promise.race([arrived, run.ended]);
  for (const [index, signal] of signals.entries()) {
    run.child.kill(signal);
    const warnings = () =>
      run.said().split("it ends once the keys that it holds are stored").length - 1;
    const what = `warning ${index + 1}`;
    await waitFor(() => warnings() > index || hasEnded(run), { deadlineMs: SOON_MS, what });
  }
  expect(hasEnded(run), run.said()).toBe(false);
  proceed();
  const first = await run.ended;
  const told = (...more: readonly (typeof first)[]) =>
    describeRuns(signals.join(), [first, ...more]);
  expect(first.exitCode, told()).toBe(exitCodes[signals[0]]);
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

async function stopWaiting(
  cluster: Cluster,
  { signal, exitCode }: { readonly signal: string; readonly exitCode: number },
): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  await writePod(cluster.kube, release, { index: 0, phase: "Pending" });
  const run = await startProxied({ cluster, release });
  const waits = () => run.said().includes("waiting");
  await waitFor(waits, { deadlineMs: SOON_MS, what: "it to wait" });
  process.kill(run.child.pid, signal);
  await waitFor(() => hasEnded(run), { deadlineMs: SOON_MS, what: "its end" });
  const end = await run.ended;
  const told = describeRuns(signal, [end]);
  expect([end.exitCode, lastOf(end)], told).toMatchObject([exitCode, { code: "STOPPED" }]);
}

async function stopUnheard(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const { accident, arrived, proceed } = holdAt(KEEPING);
  // The reader takes the two lines that come before, and leaves.
  const run = await startProxied({ cluster, release, accident, redirections: "> >(head -n 2)" });
  await Promise.race([arrived, run.ended]);
  await waitFor(() => run.said().includes("started"), { deadlineMs: SOON_MS, what: "two lines" });
  run.child.kill("SIGINT");
  run.child.kill("SIGTERM");
  proceed();
  const end = await run.ended;
  const told = describeRuns("nobody reads", [end]);
  expect(Object.keys((await cluster.keysOf(release)) ?? {}), told).toHaveLength(4);
  expect([130, 143], told).toContain(end.exitCode);
  await expect(runProxied({ cluster, release })).resolves.toMatchObject({ exitCode: 0 });
  await reopenWithSecret(cluster, release);
}

/** Holds one request until it is released. */
function holdAt(number: number) {
  const { promise: held, resolve: proceed } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const accident = (): Accident => ({
    onRequest: async (request): Promise<Fate> => {
      if (request.number !== number) return "passes";
      arrive();
      await held;
      return "passes";
    },
  });
  return { accident, arrived, proceed };
}
