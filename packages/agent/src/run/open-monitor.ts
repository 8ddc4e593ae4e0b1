import { closeDescriptor, openProcess, SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import type { DropCounts } from "../monitor/drop-counters.ts";
import { type Blindness, isBlind, loadMonitor, type Monitor } from "../monitor/load-monitor.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { readObject } from "./read-object.ts";

/**
 * Loads the kernel side, and has it leave this process alone.
 *
 * @throws AgentError `OBJECT_UNUSABLE`
 */
export function openMonitor(
  settings: Pick<AgentSettings, "objectPath" | "watchNode" | "logAll" | "programStats">,
  { lockdown }: Surroundings,
): Monitor | Blindness {
  const { objectPath, watchNode, logAll, programStats } = settings;
  const object = readObject(objectPath);
  const confidential = lockdown === "confidentiality";
  try {
    const monitor = loadMonitor({ object, watchNode, logAll, confidential, measure: programStats });
    if (!isBlind(monitor)) exemptSelf(monitor);
    return monitor;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const found = `${error.syscall}: ${error.code}`;
    throw new AgentError(
      "OBJECT_UNUSABLE",
      `load EBPF_OBJECT_PATH (${objectPath}): ${found}`,
      error,
    );
  }
}

/** What the kernel side has lost; nothing where there is none. */
export function dropsOf(monitor: Monitor | Blindness): DropCounts {
  return isBlind(monitor) ? noDrops : monitor.drops();
}

const noDrops: DropCounts = { violations: 0n, everything: 0n, inheritances: 0n };

/** It looks into processes to say who they are. */
function exemptSelf({ marks }: Monitor): void {
  const pidfd = openProcess(process.pid);
  try {
    marks.exempt(pidfd);
  } finally {
    closeDescriptor(pidfd);
  }
}
