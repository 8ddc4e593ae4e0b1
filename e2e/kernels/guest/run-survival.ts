import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AttackVictim, runCampaign, startAttackVictim, waitFor } from "@svc/testing";
import { agentBinary, type PrintedRecord } from "../../harness/agent/running-agent.ts";
import { type EnforcingAgent, startEnforcingAgent } from "./enforcing-agent.ts";

const PINS = "/sys/fs/bpf/svc";
const SETTING = "/proc/sys/kernel/core_pattern";
/** Each is taken over by the next agent. The first agent has taken over from one that crashed. */
const ENDS = ["crash", "SIGTERM"] as const;
/** The shortest that there is. */
const DEADLINE_MS = 10_000;

/**
 * The state of a protected process while agents came and went, and of the machine without an agent.
 */
export interface SurvivalStory {
  /** The attempts of a process that reads its memory all the time. */
  readonly attempts: { readonly all: number; readonly refused: number; readonly leaked: number };
  /** The number of agents that have reported a take-over. */
  readonly adoptions: number;
  /** The message of a second agent while one ran. */
  readonly secondAgent: string;
  /**
   * The message of agents with an unusable setting, started again and again when none ran any more.
   */
  readonly failingAgent: string;
  /** Whether a setting of the kernel could be written, and the memory be read, at each moment. */
  readonly moments: Readonly<Record<string, Moment>>;
  /** What `svc-agent break-glass` said. */
  readonly breakGlass: Readonly<Record<string, string>>;
  /** Kinds of the agents' records about themselves, with the requests that caused them. */
  readonly told: readonly string[];
  /** Pins are there at the end. */
  readonly hasPins: boolean;
}

/** One moment. */
export interface Moment {
  readonly setting: "written" | "refused";
  readonly memory: "read" | "refused";
}

/** Has agents crash, end, be replaced, be opened and taken away. For kernels whose hooks refuse. */
export async function runSurvival(folder: string): Promise<SurvivalStory> {
  const adminSocket = `${folder}/admin.sock`;
  const environment = { ADMIN_SOCKET_PATH: adminSocket, ENFORCE_DEADLINE: `${DEADLINE_MS}ms` };
  const start = () => startEnforcingAgent(folder, environment);
  const agents: EnforcingAgent[] = [await start()];
  const current = () => agents.at(-1)?.agent;
  await using victim = await startAttackVictim();
  await current()?.protect(victim.pid);
  const siege = besiege(victim);
  for (const end of ENDS) {
    if (end === "crash") await agents.at(-1)?.end();
    else await current()?.kill(end);
    agents.push(await start());
  }
  const attempts = await siege.end();
  const moments: Record<string, Moment> = {};
  const look = async (moment: string): Promise<void> => {
    moments[moment] = { setting: writeSetting(), memory: await readMemory(victim) };
  };
  const ask = (...words: readonly string[]) => breakGlass(adminSocket, words);
  await look("it runs");
  const answers: Record<string, string> = {};
  const secondAgent = refusalOf(environment);
  answers["open"] = ask("--reason", "a driver", "--for", "1h");
  await look("a break-glass");
  answers["close"] = ask("--reason", "it is in", "--close");
  await look("it is closed again");
  await current()?.kill("SIGTERM");
  await look("it has ended");
  let failingAgent = "";
  const endMs = performance.now() + DEADLINE_MS;
  do {
    failingAgent = refusalOf({ ...environment, GRPC_SOCKET_PATH: "/proc/svc/agent.sock" });
  } while (performance.now() < endMs);
  await waitFor(() => writeSetting() === "written", {
    // Shorter than from the end of the last of them.
    deadlineMs: DEADLINE_MS / 2,
    what: "guards without an agent to open",
  });
  await look("no agent has come for long");
  answers["remove"] = ask("--reason", "uninstall", "--remove");
  const records = agents.flatMap(({ agent }) => agent.records());
  const later = agents.slice(1).flatMap(({ agent }) => agent.records());
  return {
    ...{
      attempts,
      secondAgent,
      failingAgent,
      moments,
      breakGlass: answers,
      hasPins: existsSync(PINS),
    },
    // The first agent has reported the adoption that the story before caused.
    adoptions: later.filter(({ kind }) => kind === "agent_adoption").length,
    told: records.map(toldOf).filter((word) => word !== undefined),
  };
}

/** A process that tries to read its memory, again and again, without a pause. */
function besiege(victim: AttackVictim) {
  const stop = new AbortController();
  const sum = { all: 0, refused: 0, leaked: 0 };
  const work = (async () => {
    while (!stop.signal.aborted) {
      const { ok, killed, leaked, refused } = await runCampaign("process-vm-readv", victim);
      const times = Object.values(refused).reduce((total, count) => total + count, 0);
      sum.all += ok + killed + times;
      sum.refused += times;
      sum.leaked += leaked;
    }
  })();
  return {
    end: async () => {
      stop.abort();
      await work;
      return sum;
    },
  };
}

/** The setting's present value. */
function writeSetting(): Moment["setting"] {
  try {
    writeFileSync(SETTING, readFileSync(SETTING));
    return "written";
  } catch {
    return "refused";
  }
}

async function readMemory(victim: AttackVictim): Promise<Moment["memory"]> {
  const { leaked } = await runCampaign("process-vm-readv", victim, { count: 1 });
  return leaked > 0 ? "read" : "refused";
}

function breakGlass(adminSocket: string, words: readonly string[]): string {
  const { stdout, stderr } = Bun.spawnSync([agentBinary, "break-glass", ...words], {
    env: { ADMIN_SOCKET_PATH: adminSocket },
  });
  return `${stdout}${stderr}`.trim();
}

/** Its code, if it does not start. */
function refusalOf(environment: Readonly<Record<string, string>>): string {
  const { stderr } = Bun.spawnSync([agentBinary], {
    env: {
      ...environment,
      EBPF_OBJECT_PATH: `${import.meta.dirname}/../../../dist/bpf/secret_monitor.o`,
      ...{ ENFORCE_MODE: "true", HEALTH_LISTEN_ADDR: "127.0.0.1:0" },
    },
    timeout: 30_000,
  });
  return /"code":"(\w+)"/.exec(stderr.toString())?.[1] ?? stderr.toString();
}

function toldOf({ kind, asked }: PrintedRecord & { readonly asked?: unknown }) {
  if (kind !== "agent_break_glass" && kind !== "agent_stopped") return undefined;
  return typeof asked === "string" ? `${kind} ${asked}` : kind;
}
