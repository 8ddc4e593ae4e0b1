import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder, waitFor } from "@svc/testing";
import { processesOf } from "../harness/agent/is-about.ts";
import { type PlacedCgroup, placedCgroup } from "../harness/agent/pod-cgroup.ts";
import { agentBinary, type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";
import { linesOf, logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const SIGSTOP = 19;
const SIGCONT = 18;
const deadlineMs = 60_000;
/** A wrapper does not wait longer for an answer: CONNECT_MS of agent-link.ts. */
const PATIENCE_MS = 5_500;
/** Each `/bin/true` is an execve that the wrapper follows: it traces its program for that. */
const startsPrograms = ["/bin/sh", "-c", "while /bin/true; do echo turn; sleep 0.05; done"];
const stage = setStage();
let folder: TemporaryFolder;
/** A BPF file system for one test: its pins end with it. */
let bpffs: string;

beforeEach(() => {
  folder = temporaryFolder();
  bpffs = join(folder.path, "bpffs");
  mkdirSync(bpffs);
  Bun.spawnSync(["mount", "-t", "bpf", "bpf", bpffs]);
});
afterEach(() => {
  Bun.spawnSync(inBpffs([agentBinary, "break-glass", "--reason", "the test is over", "--remove"]), {
    env: { ADMIN_SOCKET_PATH: join(folder.path, "admin.sock") },
  });
  Bun.spawnSync(["umount", bpffs]);
  folder[Symbol.dispose]();
});

function inBpffs(words: readonly string[]): string[] {
  const script = `mount --bind ${bpffs} /sys/fs/bpf && exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", script, "sh", ...words];
}

function startEnforcing(
  within: (words: readonly string[]) => readonly string[] = (words) => words,
): Promise<RunningAgent> {
  return startAgent(folder.path, { ENFORCE_MODE: "true" }, (words) => within(inBpffs(words)));
}

function startProgram({ socketPath }: RunningAgent) {
  return startWrapper({
    program: startsPrograms,
    environment: {
      ...{ ...stage.environment, SVC_LOG_FORMAT: "json", SVC_DELIVERY: "inject" },
      SVC_EBPF_AGENT_ADDR: `unix://${socketPath}`,
    },
  });
}

function freeze({ path }: PlacedCgroup, isFrozen: boolean): void {
  writeFileSync(join(path, "cgroup.freeze"), isFrozen ? "1" : "0");
}

/** How many connections of unix sockets a process has. */
function unixSockets(pid: number): number {
  const known = readFileSync("/proc/net/unix", "utf8");
  const inodes = new Set(known.split("\n").map((line) => line.split(/ +/)[6]));
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
  return targets.filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1])).length;
}

/** A descriptor may be closed by then. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The program has started others since. */
async function goesOn(wrapper: RunningWrapper): Promise<void> {
  const before = linesOf(wrapper).length;
  const has = () => linesOf(wrapper).length > before + 3;
  await waitFor(has, { deadlineMs, what: `the program to go on: ${wrapper.stderr()}` });
}

/** Attempts on the program that an agent has reported of the program's wrapper. */
function falseRefusals(agents: readonly RunningAgent[], wrapper: RunningWrapper) {
  return agents
    .flatMap((agent) => agent.records())
    .filter(({ actor }) => processesOf({ actor }).actor === wrapper.pid);
}

test("a wrapper that a busy agent does not answer in time goes on tracing its program", async () => {
  const first = await startEnforcing();
  await using wrapper = await startProgram(first);
  await wrapper.prints("turn");
  await logs(wrapper, "connected with the kernel agent", 1);
  const connected = unixSockets(wrapper.pid);
  const connects = (count: number, what: string) =>
    waitFor(() => unixSockets(wrapper.pid) === count, { deadlineMs, what });
  wrapper.kill(SIGSTOP);
  await first.kill("SIGTERM");
  await using cgroup = placedCgroup(["svc-e2e-busy-agent"]);
  await using second = await startEnforcing((words) => cgroup.command(...words));
  using _thaw = { [Symbol.dispose]: () => freeze(cgroup, false) };
  // The kernel takes connections for an agent that does not get on. A signal would be refused.
  freeze(cgroup, true);
  wrapper.kill(SIGCONT);
  await connects(connected - 1, "the wrapper to have lost the first agent");
  await connects(connected, "the wrapper to be connected");
  wrapper.kill(SIGSTOP);
  freeze(cgroup, false);
  await Bun.sleep(PATIENCE_MS);
  // The agent has taken the Hello. The wrapper looks at its clock before it reads the answer, and
  // gives up.
  wrapper.kill(SIGCONT);
  await goesOn(wrapper);
  await logs(wrapper, "connected with the kernel agent", 2);
  await goesOn(wrapper);
  expect(falseRefusals([first, second], wrapper)).toEqual([]);
});

test("agents that are killed and come back never refuse a wrapper its program", async () => {
  const agents = [await startEnforcing()];
  await using wrapper = await startProgram(agents[0] as RunningAgent);
  await wrapper.prints("turn");
  for (const turn of [1, 2, 3]) {
    await logs(wrapper, "connected with the kernel agent", turn);
    await agents.at(-1)?.kill("SIGTERM");
    await goesOn(wrapper);
    agents.push(await startEnforcing());
    await goesOn(wrapper);
  }
  await logs(wrapper, "connected with the kernel agent", 4);
  await agents.at(-1)?.kill("SIGTERM");
  expect(falseRefusals(agents, wrapper)).toEqual([]);
});
