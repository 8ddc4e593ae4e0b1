/**
 * Measures system calls beside the compiled agent: `bun bench/agent-calls.ts [--quick]`, as root,
 * after `make build bpf`. It measures calls without an agent, with one that looks, with one that
 * looks while io_uring of another process has opened a file, and with one that enforces. It asserts
 * nothing.
 */
import { argv, stdout } from "node:process";
import { runAttack, temporaryFolder } from "@svc/testing";
import { agentProgram } from "../e2e/agent/agent-programs.ts";
import { startAgent } from "../e2e/harness/agent/running-agent.ts";

const isQuick = argv.includes("--quick");
const count = isQuick ? 500_000 : 3_000_000;
const rounds = isQuick ? 3 : 7;
const calls = ["getppid", "read-byte"] as const;

type Costs = Record<(typeof calls)[number], number>;

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };
const ways: Readonly<Record<string, () => Promise<AsyncDisposable>>> = {
  "without an agent": async () => nothing,
  "an agent that looks": () => agentWith({}),
  "the same, and a ring of another process": async () => {
    const agent = await agentWith({});
    const ring = startRing();
    await ring.isOpen;
    return both(ring, agent);
  },
  "an agent that enforces": () => agentWith({ ENFORCE_MODE: "true" }),
};

const best = new Map<string, Costs>();
for (let round = 0; round < rounds; round += 1) {
  // In turns: other work of the machine only ever adds time.
  for (const [way, start] of Object.entries(ways)) {
    await using _ = await start();
    const before = best.get(way);
    const now = {
      getppid: await nanosecondsOf("getppid"),
      "read-byte": await nanosecondsOf("read-byte"),
    };
    best.set(way, before === undefined ? now : least(before, now));
  }
}
stdout.write(`| ns a call | ${calls.join(" | ")} |\n| --- | --: | --: |\n`);
for (const [way, costs] of best) {
  stdout.write(`| ${way} | ${calls.map((call) => costs[call].toFixed(0)).join(" | ")} |\n`);
}

function least(a: Costs, b: Costs): Costs {
  return {
    getppid: Math.min(a.getppid, b.getppid),
    "read-byte": Math.min(a["read-byte"], b["read-byte"]),
  };
}

async function nanosecondsOf(call: (typeof calls)[number]): Promise<number> {
  const { seconds } = await runAttack(call, { pid: 0 }, { count });
  return (seconds / count) * 1e9;
}

async function agentWith(settings: Readonly<Record<string, string>>): Promise<AsyncDisposable> {
  const folder = temporaryFolder();
  const agent = await startAgent(folder.path, settings, withoutPins);
  return both(agent, { [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() });
}

/** An agent that enforces ends with its process. */
function withoutPins(words: readonly string[]): readonly string[] {
  return [
    "unshare",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs none /sys/fs/bpf && exec "$@"',
    "sh",
    ...words,
  ];
}

function startRing() {
  const child = Bun.spawn([agentProgram("opens-by-ring"), "/etc/hostname", "none"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const isOpen = child.stdout.getReader().read();
  return {
    isOpen,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}

function both(first: AsyncDisposable, second: AsyncDisposable): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}
