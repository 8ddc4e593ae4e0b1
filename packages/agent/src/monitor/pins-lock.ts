import { closeSync, constants, openSync } from "node:fs";
import { lockDescriptor } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";

/** Folders that this process has locked, until it ends. */
const held = new Map<string, number>();

/**
 * Locks the folder of the pins for one agent at a time. This comes first: while another agent runs,
 * its guards punish a process that asks the kernel side for anything. False if there is no such
 * folder.
 *
 * @throws AgentError `AGENT_RUNNING`
 */
export function lockPins(folder: string): boolean {
  if (held.has(folder)) return true;
  const fd = openFolder(folder);
  if (fd === undefined) return false;
  if (lockDescriptor(fd)) {
    held.set(folder, fd);
    return true;
  }
  closeSync(fd);
  throw new AgentError("AGENT_RUNNING", `lock ${folder}: another agent has locked it`);
}

/** The folder is removed: a later one of its name is another agent's. */
export function unlockPins(folder: string): void {
  const fd = held.get(folder);
  if (fd !== undefined) closeSync(fd);
  held.delete(folder);
}

function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
