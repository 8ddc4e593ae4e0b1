import { environmentStart, viewOfProc } from "@svc/kernel";
import type { AgentLink } from "../agent/agent-link.ts";

/**
 * Names to the agent the environment without a value, so that it does not mistake that of a later
 * execve for it.
 */
export function environmentWitness(agent: Pick<AgentLink, "describe"> | undefined, pid: number) {
  let isSeen = false;
  const onProgram = (bareEnvironment: bigint): void => {
    isSeen = true;
    agent?.describe(pid, { bareEnvironment });
  };
  return {
    onProgram,
    // It is not traced: its execve has closed the courier's pipe just now.
    onStarted: () => {
      if (isSeen || agent === undefined) return;
      onProgram(viewOfProc().kind === "own" ? environmentStart(pid) : 0n);
    },
  };
}
