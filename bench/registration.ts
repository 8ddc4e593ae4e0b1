/**
 * Measures a registration with a kernel agent: the time that it adds to a program's start, and the
 * memory that it adds to the supervisor. `bun bench/registration.ts [--quick]`, as root, after
 * `make build` and `make bpf`. It asserts nothing.
 */
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { certificateAuthority, temporaryFolder } from "@svc/testing";
import { compilePrograms } from "./compile-programs.ts";
import { measureMemory } from "./measure-memory.ts";
import type { Scenario } from "./scenario.ts";
import { startStore } from "./start-store.ts";
import { summarise } from "./statistics.ts";
import { timeStart } from "./time-start.ts";

const root = join(import.meta.dirname, "..");
const rounds = argv.includes("--quick") ? 10 : 60;
const WARM_UP_ROUNDS = 3;

const settings = {
  PATH: "/usr/bin:/bin",
  VAULT_TOKEN: "s.bench",
  SVC_SECRET_PATHS: "secret/data/app-0",
  SVC_ENV_MAP: "value=SECRET_0",
  HEALTH_ADDR: "127.0.0.1:0",
  SVC_LOG_LEVEL: "error",
};

await bench();

async function bench(): Promise<void> {
  using folder = temporaryFolder();
  const programs = compilePrograms(folder.path);
  using store = await startStore(await (await certificateAuthority()).issue());
  const socket = join(folder.path, "svc/agent.sock");
  await using _ = await startAgent(folder.path, socket);
  const list = scenarios(store, socket);
  const samples = list.map((): number[] => []);
  // In turns, so that a slow moment of the machine falls on all of them.
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round += 1) {
    for (const [index, scenario] of list.entries()) {
      const ms = timeStart(programs, scenario);
      if (round >= WARM_UP_ROUNDS) samples[index]?.push(ms);
    }
  }
  const [base = 1] = samples.map((of) => summarise(of).median);
  for (const [index, scenario] of list.entries()) {
    const { median, min, p95 } = summarise(samples[index] ?? []);
    const { anonymousKiB } = await measureMemory(programs, scenario);
    const times = [median, median / base, min, p95].map((ms) => ms.toFixed(2)).join(", ");
    const memory = (anonymousKiB / 1024).toFixed(2);
    stdout.write(`${scenario.name}: median, ×, min, p95 ms ${times}; ${memory} MiB anonymous\n`);
  }
}

function scenarios(store: { readonly http: string; readonly slowHttp: string }, socket: string) {
  const addresses = {
    "no agent": {},
    "an agent": { SVC_EBPF_AGENT_ADDR: `unix://${socket}` },
    "an agent that is away": { SVC_EBPF_AGENT_ADDR: "unix:///nonexistent/agent.sock" },
  };
  const stores = { "at once": store.http, "after 50 ms": store.slowHttp };
  return Object.entries(stores).flatMap(([when, address]) =>
    Object.entries(addresses).map(
      ([agent, env]): Scenario => ({
        name: `store answers ${when}, ${agent}`,
        command: [join(root, "dist/bin/svc-wrapper"), "--"],
        env: { ...settings, VAULT_ADDR: address, ...env },
        storeDelayMs: 0,
      }),
    ),
  );
}

async function startAgent(folder: string, socket: string): Promise<AsyncDisposable> {
  const agent = Bun.spawn([join(root, "dist/bin/svc-agent")], {
    env: {
      EBPF_OBJECT_PATH: join(root, "dist/bpf/secret_monitor.o"),
      GRPC_SOCKET_PATH: socket,
      GRPC_LISTEN_ADDR: "127.0.0.1:0",
      HEALTH_LISTEN_ADDR: "127.0.0.1:0",
      SPOOL_DIR: join(folder, "spool"),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = agent.stderr.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; !text.includes("registrations are taken"); ) {
    const { done, value } = await log.read();
    if (done) throw new Error(`start svc-agent: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return {
    [Symbol.asyncDispose]: async () => {
      agent.kill();
      await agent.exited;
    },
  };
}
