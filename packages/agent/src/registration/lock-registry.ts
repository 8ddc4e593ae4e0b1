import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { lockFile } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";

/**
 * Locks REGISTRY_PATH for one agent at a time, until this process ends. The ledger itself is
 * replaced now and then, so a file beside it has the lock.
 *
 * @throws AgentError `AGENT_RUNNING`, `REGISTRY_UNUSABLE`
 */
export function lockRegistry(registryPath: string): void {
  const path = `${registryPath}.lock`;
  const fd = openLock(path);
  if (lockFile(fd)) return;
  closeSync(fd);
  throw new AgentError("AGENT_RUNNING", `lock ${path}: another agent has locked it`);
}

function openLock(path: string): number {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    return openSync(path, O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    throw new AgentError("REGISTRY_UNUSABLE", `open ${path}: ${found}`, error);
  }
}
