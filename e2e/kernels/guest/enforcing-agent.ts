import { mkdirSync } from "node:fs";
import { waitFor } from "@svc/testing";
import { type RunningAgent, startAgent } from "../../harness/agent/running-agent.ts";

/** An agent that refuses attacks, its own end included. */
export interface EnforcingAgent {
  readonly agent: RunningAgent;
  /** Ends it by its control group, which asks no hook. Gives the pid of the process that did it. */
  readonly end: () => Promise<number>;
}

let groups = 0;

/** Starts the agent with ENFORCE_MODE=true in a new control group. */
export async function startEnforcingAgent(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<EnforcingAgent> {
  groups += 1;
  const group = `/sys/fs/cgroup/svc-agent-${groups}`;
  mkdirSync(group);
  const agent = await startAgent(
    folder,
    { ENFORCE_MODE: "true", GLOBAL_PRIVESC_DETECT: "true", ...environment },
    (words) => ["sh", "-c", `echo $$ >${group}/cgroup.procs; exec "$@"`, "sh", ...words],
  );
  return {
    agent,
    end: async () => {
      // A separate process does it: if nothing can refuse the kill, the agent kills the one that
      // sends it.
      const { pid } = Bun.spawnSync(["sh", "-c", `echo 1 >${group}/cgroup.kill`]);
      await waitFor(() => !isThere(agent.pid), { deadlineMs: 60_000, what: "svc-agent to end" });
      return pid;
    },
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
