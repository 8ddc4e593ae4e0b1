import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DeliveryMethod } from "@svc/agent-protocol";
import { waitFor } from "@svc/testing";
import { processesOf } from "../../harness/agent/is-about.ts";
import type { EnforcingAgent } from "./enforcing-agent.ts";

/**
 * The operations of a container runtime on a container whose program is registered, under an agent
 * that enforces.
 */
export interface ContainerStory {
  /** By operation: `ok`, or its message. */
  readonly steps: Readonly<Record<string, string>>;
  /**
   * The actor and the operation of each event. One attempt may be several events if its use is
   * refused.
   */
  readonly told: readonly string[];
}

const DEADLINE_MS = 60_000;
const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", XDG_RUNTIME_DIR: "/run" };
const inside = (...words: readonly string[]) => ["/bin/busybox", ...words];

/** By runtime. */
export async function runContainers(
  folder: string,
  guard: EnforcingAgent,
): Promise<Readonly<Record<string, ContainerStory>>> {
  return {
    runc: await runContainer("runc", folder, guard),
    crun: await runContainer("crun", folder, guard),
  };
}

/**
 * A kubelet's day: exec, ps, pause, an end. And a process in the container that reads the first
 * process of it.
 */
async function runContainer(
  runtime: string,
  folder: string,
  { agent }: EnforcingAgent,
): Promise<ContainerStory> {
  const id = `svc-${runtime}`;
  const bundle = join(folder, id);
  writeBundle(runtime, bundle);
  const container = Bun.spawn([runtime, "run", "--bundle", bundle, id], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pid = await waitFor(() => runningPid(runtime, id), {
    deadlineMs: DEADLINE_MS,
    what: `${runtime} to run a container`,
  });
  await agent.protect(pid, DeliveryMethod.INJECT);
  const steps = Object.fromEntries(
    [
      ["exec", id, ...inside("true")],
      ["ps", id],
      ["pause", id],
      ["resume", id],
      ["exec", "--tty=false", id, ...inside("id")],
    ].map((words) => [words.join(" "), ask(runtime, ...words)]),
  );
  ask(runtime, "exec", id, ...inside("cat", "/proc/1/maps"));
  const told = () =>
    agent.records().flatMap((record) => {
      const { kind, file, actor } = record as { kind: string; file?: string; actor?: unknown };
      return processesOf(record).target === pid ? `${kind} ${file} by ${nameOf(actor)}` : [];
    });
  await waitFor(() => told().length > 0, {
    deadlineMs: DEADLINE_MS,
    what: `an event of the reader of the program of ${id}`,
  });
  const end = ask(runtime, "kill", id, "KILL");
  await container.exited;
  return { steps: { ...steps, kill: end }, told: told() };
}

function writeBundle(runtime: string, bundle: string): void {
  mkdirSync(join(bundle, "rootfs/bin"), { recursive: true });
  copyFileSync("/run/busybox", join(bundle, "rootfs/bin/busybox"));
  Bun.spawnSync([runtime, "spec"], { cwd: bundle, env: environment });
  const file = join(bundle, "config.json");
  // The runtime has written it just now.
  const config = JSON.parse(readFileSync(file, "utf8"));
  const process = { ...config.process, terminal: false, args: inside("sleep", "1000") };
  writeFileSync(file, JSON.stringify({ ...config, process }));
}

/**
 * Once the program runs: a runtime says so a moment before its own process becomes it, and with
 * that one's environment would be registered what `ps` may open. Nothing is at its place while it
 * is made.
 */
function runningPid(runtime: string, id: string): number | undefined {
  const { stdout, exitCode } = Bun.spawnSync([runtime, "state", id], {
    env: environment,
    stderr: "ignore",
  });
  if (exitCode !== 0) return undefined;
  const { status, pid } = JSON.parse(stdout.toString());
  const isProgram = () => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "busybox";
  return status === "running" && isProgram() ? Number(pid) : undefined;
}

function ask(runtime: string, ...words: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([runtime, ...words], {
    env: environment,
    timeout: DEADLINE_MS,
  });
  return exitCode === 0 ? "ok" : `exit code ${exitCode}: ${stdout}${stderr}`;
}

function nameOf(actor: unknown): unknown {
  return typeof actor === "object" && actor !== null && "name" in actor ? actor.name : undefined;
}
