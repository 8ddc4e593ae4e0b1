import { readdirSync } from "node:fs";
import { closeDescriptor, openProcess, processLives, SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { cgroupIdentity } from "../report/cgroup-identity.ts";
import type { NotedProcess } from "./ledger-text.ts";
import { type ProcessFacts, readProcess } from "./process-facts.ts";
import type { Protecting } from "./protect-program.ts";

/** The request of a wrapper over TCP. */
export interface PodClaim {
  readonly registration: bigint;
  readonly podUid: string | undefined;
  /** In a pid namespace of the pod. */
  readonly pid: number;
}

const LOOKED_AT_ONCE = 200;
const MOST_OF_ONE_NUMBER = 32;

/**
 * Marks every process of a pod that has the number in its own pid namespace. Containers of a pod
 * may have the same numbers: one too many is protected rather than none. Marked processes stay
 * unchanged.
 *
 * @throws AgentError if there is none
 */
export async function protectInPod(
  { marks, registry }: Protecting,
  claim: PodClaim,
): Promise<readonly NotedProcess[]> {
  const { registration, podUid, pid } = claim;
  const found = podUid === undefined ? [] : await processesOf(podUid, pid);
  const own: NotedProcess[] = [];
  for (const facts of found) {
    const other = registry.ofProcess(facts);
    if (other !== undefined && other !== registration) continue;
    if (!markOne(facts, claim, marks)) continue;
    own.push({ pid: facts.pid, startTicks: facts.startTicks, bareEnvironment: 0n });
  }
  if (own.length > 0) return own;
  const message = `protect process ${pid} of pod ${podUid}: there is none, or it is protected for another wrapper`;
  throw new AgentError("REGISTRATION_NOT_DESCENDANT", message);
}

async function processesOf(podUid: string, pid: number): Promise<readonly ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const [index, name] of readdirSync("/proc").entries()) {
    // A node has thousands: other work of the agent must not wait for all of them.
    if (index % LOOKED_AT_ONCE === 0) await new Promise(setImmediate);
    const facts = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (facts?.namespacePids.at(-1) !== pid) continue;
    if (cgroupIdentity(facts.cgroup).podUid === podUid) found.push(facts);
    if (found.length === MOST_OF_ONE_NUMBER) break;
  }
  return found;
}

function markOne(
  facts: ProcessFacts,
  { registration, podUid, pid }: PodClaim,
  marks: Protecting["marks"],
): boolean {
  let pidfd: number | undefined;
  try {
    pidfd = openProcess(facts.pid);
    const now = readProcess(facts.pid);
    if (now?.startTicks !== facts.startTicks || now.namespacePids.at(-1) !== pid) return false;
    if (cgroupIdentity(now.cgroup).podUid !== podUid || !processLives(pidfd)) return false;
    const markedBy = marks.protectedBy(pidfd);
    if (markedBy === undefined) marks.protect(pidfd, registration);
    return markedBy === undefined || markedBy === registration;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === "ESRCH") return false;
    throw new AgentError("REGISTRATION_FAILED", `mark a process: ${error.message}`, error);
  } finally {
    if (pidfd !== undefined) closeDescriptor(pidfd);
  }
}
