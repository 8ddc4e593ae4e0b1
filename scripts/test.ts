/**
 * Runs the tests: `bun scripts/test.ts fast|heavy|kernel|cluster`. Prints the output of each run,
 * then the times of all, then the failures once more, and closes with one line of totals. It exits
 * 1 when a run failed or nothing ran. For an ordinary user one more line says which tests were not run because they need
 * root.
 */
import { join } from "node:path";
import { runsAsRoot } from "@svc/testing";
import { goEnvironment } from "./go/go-command.ts";
import { failuresIn } from "./test/failures.ts";
import { readGoReport } from "./test/go-totals.ts";
import { describeNotRun, forbidsSkipped, hasTested } from "./test/not-run.ts";
import { type StepTime, slowestTests, timesTable } from "./test/times.ts";
import { parseTotals, type Totals } from "./test/totals.ts";

const root = join(import.meta.dirname, "..");
const asRoot = runsAsRoot();

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Below the root; the root itself where nothing is said. */
  readonly folder?: string;
  /** It takes minutes, and says on standard error how far it is: that is shown at once. */
  readonly live?: true;
  /**
   * The source of its totals: the closing lines of `bun test`, or the events of `go test -json`.
   */
  readonly totals?: "bun" | "go";
}

const bun = (name: string, ...words: readonly string[]): Step => ({
  name,
  command: [process.execPath, ...words],
  ...(words[0] === "test" && { totals: "bun" }),
});

const goTests: Step = {
  name: "Go library",
  // Never from Go's cache of results: the tests ask the kernel.
  command: ["go", "test", "-race", "-shuffle=on", "-count=1", "-json", "./..."],
  folder: "go",
  totals: "go",
};

const kernelGuests = bun("agent on kernels", "test", "e2e/kernels", "--timeout", "180000");

/** An old kernel with one kind of hooks, a new one with the other; all eleven take an hour. */
const someGuests: Step = {
  ...kernelGuests,
  name: "agent on two kernels",
  command: ["env", "GUESTS=debian-6.1,debian-6.12-without-bpf", ...kernelGuests.command],
};

/** The kernel on which kprobes refuse calls: ten minutes of compiling, once. */
const overrideKernel: Step = {
  ...bun("build the override kernel", "scripts/fetch-override-kernel.ts"),
  live: true,
};

/** All in one cluster, which is removed when they have ended. */
const clusterStories: Step = {
  name: "cluster",
  command: [
    ...[process.execPath, "e2e/cluster/run-in-cluster.ts"],
    ...[process.execPath, "test", "e2e/cluster", "--timeout", "600000"],
  ],
  totals: "bun",
};

/** Steps of one stage run at the same time; the next stage begins when all have succeeded. */
const plans: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  fast: [
    [bun("commands", "scripts/ensure-commands.ts")],
    [
      // Builds the programs too, which the bundle begins with.
      bun("build", "scripts/bundle.ts"),
      bun("fetch OpenBao", "scripts/fetch-openbao.ts"),
      bun("unit tests", "test", "packages", "scripts", "bench", "--timeout", "180000"),
      goTests,
    ],
    [
      bun("unit tests on the engine", "scripts/engine/test-on-engine.ts"),
      { ...bun("engine", "scripts/engine/check-engine.ts"), live: true },
    ],
    [
      bun("contract tests", "test", "e2e/contract", "--timeout", "180000"),
      bun("store bootstrap", "test", "e2e/bootstrap", "--timeout", "180000"),
      bun("program stories", "test", "e2e/wrapper", "e2e/cli", "--timeout", "180000"),
      bun("lifecycle", "test", "e2e/lifecycle", "--timeout", "180000"),
      bun("registration", "test", "e2e/registration", "--timeout", "180000"),
      bun("interposer", "test", "e2e/preload", "--timeout", "180000"),
      bun("Go library stories", "test", "e2e/library", "--timeout", "180000"),
      bun("any image", "test", "e2e/bundle", "--timeout", "180000"),
      bun("registries", "test", "e2e/registry", "--timeout", "180000"),
    ],
  ],
  heavy: [
    [bun("commands", "scripts/ensure-commands.ts")],
    [bun("arm64 tools", "e2e/harness/guests/ensure-guest-tools.ts")],
    // Builds this machine's programs too.
    [
      bun("build", "scripts/bundle.ts", "arm64"),
      bun("build BPF programs", "scripts/build/bpf.ts"),
      bun("fetch OpenBao", "scripts/fetch-openbao.ts"),
      { ...bun("build Kubernetes", "scripts/fetch-kubernetes.ts"), live: true },
      { ...bun("build Helm", "scripts/fetch-helm.ts"), live: true },
      { ...bun("build the collector", "scripts/fetch-collector.ts"), live: true },
    ],
    [{ ...bun("make images", "scripts/images.ts", "amd64"), live: true }],
    [{ ...bun("make a release", "scripts/release.ts", "amd64"), live: true }],
    [
      bun("images and release", "test", "e2e/images", "e2e/release", "--timeout", "180000"),
      bun("Raft cluster over TLS", "test", "e2e/raft", "--timeout", "240000"),
      bun("Kubernetes", "test", "e2e/kubernetes", "--timeout", "180000"),
      bun("svc secretstore", "test", "e2e/secretstore", "--timeout", "240000"),
      bun("operator", "test", "e2e/operator", "--timeout", "240000"),
      bun("systemd", "test", "e2e/systemd", "--timeout", "180000"),
      bun("real programs", "test", "e2e/programs", "--timeout", "180000"),
    ],
    // By itself: guests of QEMU want the processors, and it may call apt-get.
    [someGuests],
    [
      { ...bun("Go library, fuzzed", "scripts/fuzz-go.ts"), totals: "bun" },
      // Not beside stories that read the environment of every process: it would see them.
      bun("kernel agent", "test", "e2e/agent", "--timeout", "180000"),
    ],
    // By itself: fifty wrappers want the processors, and their stories have deadlines.
    [bun("chaos", "test", "e2e/chaos", "--timeout", "240000")],
    // By itself: it looks at every process of the machine, and it may call apt-get.
    [bun("launch chains", "test", "e2e/chains", "--timeout", "3600000")],
    // By itself: like the programs' it may call apt-get, and it is busy with translating code.
    [bun("arm64 guest", "test", "e2e/arm64", "--timeout", "180000")],
  ],
  kernel: [
    [bun("commands", "scripts/ensure-commands.ts")],
    [bun("build", "scripts/build.ts"), bun("build BPF programs", "scripts/build/bpf.ts")],
    [overrideKernel],
    [kernelGuests],
  ],
  cluster: [
    [bun("commands", "scripts/ensure-commands.ts", "cluster")],
    [
      bun("build", "scripts/bundle.ts"),
      bun("build BPF programs", "scripts/build/bpf.ts"),
      bun("fetch OpenBao", "scripts/fetch-openbao.ts"),
      { ...bun("build Kubernetes", "scripts/fetch-kubernetes.ts"), live: true },
      { ...bun("build Helm", "scripts/fetch-helm.ts"), live: true },
    ],
    [
      bun("images", "scripts/images.ts", "amd64"),
      // After kube-apiserver, most of whose packages the others are made of.
      { ...bun("build the cluster", "scripts/fetch-cluster.ts"), live: true },
    ],
    [clusterStories],
  ],
};

/** The targets of the Makefile that run a plan. */
const makeTargets: Readonly<Record<string, string>> = {
  fast: "test",
  heavy: "e2e",
  kernel: "e2e-kernel",
  cluster: "e2e-cluster",
};

process.exit(await run(process.argv[2] ?? ""));

async function run(name: string): Promise<number> {
  const plan = plans[name];
  if (plan === undefined) {
    process.stderr.write(`usage: bun scripts/test.ts ${Object.keys(plans).join("|")}\n`);
    return 2;
  }
  const results: Result[] = [];
  for (const stage of plan) {
    results.push(...(await Promise.all(stage.map(runStep))));
    if (results.some(({ ok }) => !ok)) break;
  }
  process.stdout.write(`\n${timesTable(results.map((result) => timeOf(name, result)))}\n`);
  const broken = results.filter(({ ok }) => !ok);
  // The runs of a stage print thousands of lines after each other: the important ones come last.
  for (const { name, said } of broken) {
    process.stdout.write(`\n== failed: ${name}\n${failuresIn(said)}\n`);
  }
  const totals = results.map((result) => result.totals).reduce(add);
  const { passed, failed, skipped } = totals;
  const notRun = asRoot ? undefined : describeNotRun(results, makeTargets[name] ?? name);
  process.stdout.write(
    `\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}\n` +
      (notRun === undefined ? "" : `${notRun}\n`),
  );
  // For root a skipped test is a server that is missing: that is a failure here, not a footnote.
  const bad = broken.length > 0 || failed > 0 || forbidsSkipped(totals, asRoot) || passed === 0;
  return bad ? 1 : 0;
}

function timeOf(plan: string, { name, seconds, totals, said }: Result): StepTime {
  const { passed, failed } = totals;
  return { plan, step: name, seconds, tests: passed + failed, slowest: slowestTests(said) };
}

/** How a step has ended. */
interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly totals: Totals;
  /** Its output, for people. */
  readonly said: string;
}

async function runStep({ name, command, folder = ".", live, totals: kind }: Step): Promise<Result> {
  const started = performance.now();
  const child = Bun.spawn([...command], {
    cwd: join(root, folder),
    // The race detector is C.
    ...(kind === "go" && { env: { ...goEnvironment(process.env), CGO_ENABLED: "1" } }),
    stdout: "pipe",
    stderr: live ? "inherit" : "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    live ? "" : new Response(child.stderr).text(),
  ]);
  const exitCode = await child.exited;
  const seconds = (performance.now() - started) / 1000;
  const { totals, text } =
    kind === "go" ? readGoReport(out) : { totals: parseTotals(err), text: out };
  const said = text + err;
  process.stdout.write(`\n== ${name} (${seconds.toFixed(1)} s, exit ${exitCode})\n${said}`);
  const untested = kind !== undefined && !hasTested(totals, asRoot);
  if (untested) process.stdout.write(`${name}: no test has passed\n`);
  return { name, ok: exitCode === 0 && !untested, seconds, totals, said };
}

function add(a: Totals, b: Totals): Totals {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
