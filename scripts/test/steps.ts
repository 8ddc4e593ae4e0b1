import { join } from "node:path";
import type { Step } from "./schedule.ts";

const root = join(import.meta.dirname, "../..");

/** A script or another command of the runtime. */
const bun = (name: string, words: readonly string[], more: Partial<Step> = {}): Step => ({
  name,
  command: [process.execPath, ...words],
  ...(words[0] === "test" && { totals: "bun" }),
  ...more,
});

/** Tests of folders. Each test that waits for a server has its own deadline. */
const tests = (
  name: string,
  folders: readonly string[],
  more: Partial<Step> & { readonly seconds?: number } = {},
): Step => {
  const { seconds = 180, ...rest } = more;
  return bun(name, ["test", ...folders, "--timeout", String(seconds * 1000)], rest);
};

/** Compilers, and the kernel's headers. */
const compilers = ["compilers"];
/** With the commands that tests call. */
const commands = ["commands"];
/** Programs for this machine, and a vault. */
const programs = [...commands, "build", "OpenBao"];
/** With a kube-apiserver, and the programs that its stories install. */
const servers = [...programs, "BPF programs", "Kubernetes", "Helm"];
/** Guests of QEMU, and agents. */
const agents = [...programs, "BPF programs", "collector"];

const isAccident = (path: string) => /\/(?:accidents|killed-on-raft)\.test\.ts$/.test(path);
const stories = [...new Bun.Glob("e2e/secretstore/*.test.ts").scanSync(root)].sort();
/** Half of the time of secretstore's stories. They wait for runs, so the other half fits beside. */
const accidents = stories.filter(isAccident);
const secretstore = stories.filter((path) => !isAccident(path));

/** They compile for minutes, and leave the processors to all others: nice(1). */
const background = { live: true, busy: 0.5, quiet: true, needs: commands } as const;

/** A guest of QEMU is busy with translating code. */
const guest = { alone: true, inGuest: true, busy: 2 } as const;

/** The stories of the agent on one of e2e/kernels/guest-kernels.ts. */
const onKernel = (name: string, kernel: string): Step => {
  const step = tests(name, ["e2e/kernels"], { needs: agents, ...guest });
  return { ...step, command: ["env", `GUESTS=${kernel}`, ...step.command] };
};

/** All steps, in the order in which they should begin. */
export const steps: readonly Step[] = [
  bun("compilers", ["scripts/ensure-commands.ts", "check"]),
  bun("commands", ["scripts/ensure-commands.ts", "test"], { needs: compilers }),
  bun("node's commands", ["scripts/ensure-commands.ts", "cluster"], { needs: commands }),

  // The checks of the code.
  { name: "types", command: ["node_modules/.bin/tsc", "--noEmit", "-p", "."] },
  { name: "lint", command: ["node_modules/.bin/biome", "check", "--error-on-warnings", "."] },
  bun("layout", ["scripts/check-layout.ts"]),
  bun("Vale", ["scripts/fetch-vale.ts"], { live: true, needs: compilers, busy: 2 }),
  bun("prose", ["scripts/check-prose.ts"], { needs: ["Vale"] }),
  bun("figures", ["scripts/check-figures.ts"]),
  bun("commits", ["scripts/check-commits.ts"]),
  bun("generated files", ["scripts/generate.ts", "--check"], { needs: compilers }),

  // Builds.
  bun("OpenBao", ["scripts/fetch-openbao.ts"], { needs: commands, busy: 0.5 }),
  bun("build", ["scripts/bundle.ts"], { live: true, needs: commands, busy: 2 }),
  bun("Kubernetes", ["scripts/fetch-kubernetes.ts"], background),
  bun("Helm", ["scripts/fetch-helm.ts"], background),
  bun("gVisor", ["scripts/fetch-runsc.ts"], background),
  bun("collector", ["scripts/fetch-collector.ts"], background),
  bun("BPF programs", ["scripts/build/bpf.ts"], { needs: commands }),

  // The longest first, so that the others fill the room beside them.
  tests("accidents of secretstore", accidents, { needs: servers, seconds: 240 }),
  tests("svc secretstore", secretstore, { needs: servers, seconds: 240 }),
  tests("Kubernetes stories", ["e2e/kubernetes"], { needs: servers }),
  tests("operator", ["e2e/operator"], { needs: servers, seconds: 240 }),
  // Fifty wrappers at once, for a moment, and a minute and a half of waiting for leaders.
  tests("chaos", ["e2e/chaos"], { needs: programs, seconds: 240 }),

  // Unit tests.
  bun("unit tests of changes", ["scripts/test-packages.ts"], {
    needs: [...programs, "Vale"],
  }),
  // Some start a vault, and the rules of the prose linter have tests, too.
  tests("unit tests", ["packages", "scripts", "bench"], {
    needs: [...commands, "OpenBao", "Vale"],
  }),
  {
    name: "Go library",
    // Never from Go's cache of results: the tests ask the kernel.
    command: ["go", "test", "-race", "-shuffle=on", "-count=1", "-json", "./..."],
    ...{ folder: "go", totals: "go", needs: commands },
  },

  // Each fault that is put into the wrapper's code has to be found by the simulator: some minutes.
  bun("planted faults", ["scripts/simulate.ts", "--planted"], { live: true, needs: commands }),

  // Three stories that break most often.
  tests("a delivery", ["e2e/wrapper/openbao.test.ts"], { needs: programs }),
  tests("an admission", ["e2e/kubernetes/admission.test.ts"], {
    needs: [...programs, "Kubernetes"],
  }),
  tests("a registration", ["e2e/registration/registration.test.ts"], {
    needs: [...programs, "BPF programs"],
  }),

  // Stories with a vault.
  tests("contract tests", ["e2e/contract"], { needs: programs }),
  tests("store bootstrap", ["e2e/bootstrap"], { needs: programs }),
  tests("program stories", ["e2e/wrapper", "e2e/cli"], { needs: programs }),
  tests("limits", ["e2e/limits"], { needs: programs }),
  tests("limits, every point", ["e2e/limits"], {
    ...{ needs: programs, busy: 2 },
    command: [
      // 5,000 starts, in three minutes; `limits` makes a sample of them.
      ...["env", "SVC_SWEEP=all", process.execPath, "test", "e2e/limits"],
      ...["--timeout", "3600000"],
    ],
  }),
  tests("stories in gVisor", ["e2e/gvisor"], { needs: [...programs, "gVisor"] }),
  tests("lifecycle", ["e2e/lifecycle"], { needs: programs }),
  tests("registration", ["e2e/registration"], { needs: programs }),
  tests("interposer", ["e2e/preload"], { needs: programs }),
  tests("Go library stories", ["e2e/library"], { needs: programs }),
  tests("any image", ["e2e/bundle"], { needs: programs }),
  tests("registries", ["e2e/registry"], { needs: programs }),

  // Stories with heavy servers.
  bun("arm64 tools", ["e2e/harness/guests/ensure-guest-tools.ts"], { needs: commands }),
  bun("build for arm64", ["scripts/bundle.ts", "arm64"], {
    ...{ live: true, needs: ["build", "arm64 tools"], busy: 2, quiet: true },
  }),
  tests("Raft cluster over TLS", ["e2e/raft"], { needs: programs, seconds: 240 }),
  tests("systemd", ["e2e/systemd"], { needs: [...programs, "BPF programs"] }),
  tests("real programs", ["e2e/programs"], { needs: programs }),
  bun("images", ["scripts/images.ts", "amd64"], {
    ...{ live: true, needs: [...programs, "BPF programs"], quiet: true },
  }),
  bun("release", ["scripts/release.ts", "amd64"], { live: true, needs: ["images"], quiet: true }),
  tests("images and release", ["e2e/images", "e2e/release"], { needs: ["release"] }),
  bun("cluster programs", ["scripts/fetch-cluster.ts"], {
    // Most of their packages are those of kube-apiserver.
    ...{ ...background, needs: ["node's commands", "Kubernetes"] },
  }),

  // By themselves. Guests of QEMU may call apt-get, as launch chains may.
  // An old kernel with one kind of hooks, a new one with the other; all eleven take an hour.
  onKernel("agent on Linux 6.1", "debian-6.1"),
  onKernel("agent on Linux 6.12", "debian-6.12-without-bpf"),
  // Not beside stories that read the environment of every process: it would see them.
  tests("kernel agent", ["e2e/agent"], { needs: agents, alone: true }),
  tests("arm64 guest", ["e2e/arm64"], {
    ...{ needs: [...agents, "build for arm64"], ...guest },
  }),
  // It looks at every process of the machine, and it may call apt-get.
  tests("launch chains", ["e2e/chains"], {
    ...{ needs: programs, alone: true, besideGuests: true, seconds: 3600 },
  }),
  bun("cluster", ["e2e/cluster/run-in-cluster.ts"], {
    // All in one cluster, which is removed when they have ended.
    ...{ totals: "bun", alone: true, needs: [...servers, "images", "cluster programs"] },
    command: [
      ...[process.execPath, "e2e/cluster/run-in-cluster.ts"],
      ...[process.execPath, "test", "e2e/cluster", "--timeout", "600000"],
    ],
  }),
  bun("quick start in a cluster", ["e2e/cluster/run-in-cluster.ts"], {
    // In another one, which has nothing of svc.
    ...{ totals: "bun", alone: true, needs: [...servers, "images", "cluster programs"] },
    command: [
      ...[process.execPath, "e2e/cluster/run-in-cluster.ts"],
      ...[process.execPath, "test", "./e2e/cluster/empty/quick-start.ts", "--timeout", "900000"],
    ],
  }),

  // They compile or compute, and find room beside all that waits.
  // The whole wrapper on simulated machines: a thousand seeds.
  bun("simulator", ["scripts/simulate.ts"], { needs: commands, busy: 2, quiet: true }),
  bun("unit tests on the engine", ["scripts/engine/test-on-engine.ts"], {
    ...{ needs: ["build"], quiet: true },
  }),
  bun("engine", ["scripts/engine/check-engine.ts"], {
    ...{ live: true, needs: commands, busy: 2, quiet: true },
  }),
  // A second build from nothing has the same bytes; the cache keeps the proof of the engine.
  bun("the same bytes", ["scripts/reproduce.ts", "x64"], {
    ...{ live: true, needs: ["build"], busy: 2, quiet: true },
  }),
  bun("Go library, fuzzed", ["scripts/fuzz-go.ts"], {
    ...{ totals: "bun", needs: commands, quiet: true },
  }),
  bun("Go library on six systems", ["scripts/check-go.ts"], {
    ...{ needs: compilers, quiet: true },
  }),

  // The kernel on which kprobes refuse calls: ten minutes of compiling, once.
  bun("override kernel", ["scripts/fetch-override-kernel.ts"], { live: true, needs: commands }),
  tests("agent on kernels", ["e2e/kernels"], {
    ...{ needs: [...programs, "BPF programs", "override kernel"], alone: true },
  }),
];

const checks = [
  "types",
  "lint",
  "layout",
  "prose",
  "figures",
  "commits",
  "generated files",
  "Go library on six systems",
];
const tested = [
  ...["unit tests", "simulator", "Go library", "unit tests on the engine", "engine"],
  ...["contract tests", "store bootstrap", "program stories", "limits", "lifecycle"],
  "registration",
  ...["interposer", "Go library stories", "any image", "registries"],
];
const heavy = [
  ...[
    "images and release",
    "Raft cluster over TLS",
    "Kubernetes stories",
    "svc secretstore",
    "accidents of secretstore",
  ],
  ...["operator", "systemd", "real programs", "Go library, fuzzed"],
  ...["kernel agent", "agent on Linux 6.1", "agent on Linux 6.12", "arm64 guest"],
  ...["chaos", "launch chains"],
];
const quick = [
  ...["types", "lint", "layout", "prose", "figures", "commits", "generated files"],
  ...["unit tests of changes", "a delivery", "an admission", "a registration"],
];

/** The steps of each plan, besides those that they need. */
export const plans = {
  quick,
  check: checks,
  fast: [...checks, ...tested],
  heavy,
  kernel: ["agent on kernels"],
  sweep: ["limits, every point"],
  cluster: ["cluster", "quick start in a cluster"],
  // After `quick`, whose checks it does not repeat.
  ci: [
    "Go library on six systems",
    ...tested,
    ...heavy,
    "cluster",
    "quick start in a cluster",
    "the same bytes",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The name of a plan. */
export type PlanName = keyof typeof plans;

/** The target of the Makefile that runs a plan, for people. */
export const makeTargets: Readonly<Record<PlanName, string>> = {
  quick: "quick",
  check: "check",
  fast: "test",
  heavy: "e2e",
  kernel: "e2e-kernel",
  sweep: "e2e-limits",
  cluster: "e2e-cluster",
  ci: "ci",
};
