/**
 * Measures the compiled agent: `bun bench/agent-program.ts [--quick]`, as root, after `make build
 * bpf`. It measures the arrival of a flood of attempts, and the time from an attempt to the
 * platform. It measures the memory with 10,000 protected processes. It measures programs that make
 * many system calls, with the agent and without. It asserts nothing.
 */
import { readFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import { gunzipSync } from "node:zlib";
import { runAttack, startAttackVictim, temporaryFolder, waitFor } from "@svc/testing";
import { type RunningAgent, startAgent } from "../e2e/harness/agent/running-agent.ts";

const isQuick = argv.includes("--quick");
const events = isQuick ? 200_000 : 3_000_000;
const attempts = isQuick ? 20 : 200;
const shells = isQuick ? 4 : 40;
const CHILDREN = 250;
const rounds = isQuick ? 3 : 7;

stdout.write(`${await flood()}\n${await delay()}\n${await memory()}\n${await busyPrograms()}\n`);

/** One process attempts as often as it can; the agent reports some and sums up the rest. */
async function flood(): Promise<string> {
  using folder = temporaryFolder();
  await using agent = await startAgent(folder.path);
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid);
  const { seconds } = await runAttack("process-vm-readv", victim, { count: events });
  const counted = () =>
    agent.records().reduce((sum, { count }) => sum + (typeof count === "number" ? count : 0), 0);
  await waitFor(() => counted() >= events, { deadlineMs: 10_000, what: "the last sum" }).catch(
    () => 0,
  );
  const lost = await metric(agent, 'ring_lost_total{ring="violations"}');
  const rate = (events / seconds / 1e6).toFixed(2);
  return `flood: ${counted()} of ${events} reported in ${agent.records().length} lines, ${lost} lost; ${rate} M/s`;
}

/** From the end of an attempt, whose process is waited for, to the request that has it. */
async function delay(): Promise<string> {
  using folder = temporaryFolder();
  let body = Buffer.alloc(0);
  await using platform = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const chunk = gunzipSync(await request.arrayBuffer());
      body = Buffer.concat([body, chunk]);
      arrived();
      return new Response();
    },
  });
  let arrived = (): void => undefined;
  await using agent = await startAgent(folder.path, {
    PLATFORM_ENDPOINT: `http://127.0.0.1:${platform.port}`,
  });
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid);
  const delays: number[] = [];
  for (let index = 0; index < attempts; index += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    arrived = () => {
      if (body.includes("process_vm_readv")) resolve();
    };
    body = Buffer.alloc(0);
    const started = performance.now();
    await runAttack("process-vm-readv", victim);
    await promise;
    delays.push(performance.now() - started);
  }
  delays.sort((a, b) => a - b);
  const at = (part: number) => (delays[Math.floor(part * (delays.length - 1))] ?? 0).toFixed(0);
  return `from the start of an attacker to the platform: median ${at(0.5)} ms, 99th ${at(0.99)} ms, most ${at(1)} ms`;
}

/** Shells with many children each, which are there before the registration. */
async function memory(): Promise<string> {
  using folder = temporaryFolder();
  await using agent = await startAgent(folder.path, { PLATFORM_ENDPOINT: "http://127.0.0.1:9" });
  const before = residentMb(agent.pid);
  const script = `for i in $(seq ${CHILDREN}); do sleep 1000 & done; echo; read line; kill $(jobs -p)`;
  const parents = Array.from({ length: shells }, () =>
    Bun.spawn(["bash", "-c", script], { stdio: ["pipe", "pipe", "ignore"] }),
  );
  for (const { stdout: out } of parents) await firstChunk(out);
  const started = performance.now();
  for (const { pid } of parents) await agent.protect(pid);
  const perProcess = (performance.now() - started) / (shells * (CHILDREN + 1));
  // Past the moment in which it returns the memory of its start.
  await Bun.sleep(4000);
  const after = residentMb(agent.pid);
  for (const parent of parents) {
    parent.stdin.write("\n");
    parent.stdin.end();
    await parent.exited;
  }
  const count = shells * (CHILDREN + 1);
  return `memory: ${before} MB resident at the start, ${after} MB with ${count} protected processes; ${perProcess.toFixed(2)} ms to protect one`;
}

/** Best of some rounds, in turns: other work of the machine only ever adds time. */
async function busyPrograms(): Promise<string> {
  const commands = {
    "find (a call every µs)": ["find", "/usr", "-xdev", "-size", "+1000G"],
    "gcc of a small file": [
      "sh",
      "-c",
      "echo 'int main(){return 0;}' | gcc -x c -O2 -o /dev/null -",
    ],
    "sha256sum of 100 MB": ["sh", "-c", "head -c 100000000 /dev/zero | sha256sum"],
  };
  const lines: string[] = [];
  for (const [name, command] of Object.entries(commands)) {
    let without = Number.POSITIVE_INFINITY;
    let withAgent = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      without = Math.min(without, msOf(command));
      using folder = temporaryFolder();
      await using _ = await startAgent(folder.path);
      withAgent = Math.min(withAgent, msOf(command));
    }
    lines.push(
      `${name}: ${without.toFixed(0)} to ${withAgent.toFixed(0)} ms, × ${(withAgent / without).toFixed(3)}`,
    );
  }
  return lines.join("\n");
}

async function firstChunk(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  await reader.read();
}

function msOf(command: readonly string[]): number {
  const started = performance.now();
  Bun.spawnSync([...command]);
  return performance.now() - started;
}

function residentMb(pid: number): string {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) / 1024).toFixed(0);
}

async function metric(agent: RunningAgent, name: string): Promise<number> {
  const { body } = await agent.ask("/metrics");
  const line = body.split("\n").find((text) => text.startsWith(`svc_agent_${name}`));
  return Number(line?.split(" ").at(-1));
}
