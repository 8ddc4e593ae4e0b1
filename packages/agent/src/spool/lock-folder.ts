import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";

/**
 * Makes the folder if it is not there, and has it for this process alone until the descriptor is
 * closed.
 *
 * @throws AgentError `SPOOL_UNUSABLE`, `SPOOL_TAKEN`
 */
export function lockFolder(folder: string): number {
  let fd: number | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fd = openSync(join(folder, "lock"), "w", 0o600);
    if (lockFile(fd)) return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw unusableSpool(folder, error);
  }
  closeSync(fd);
  throw new AgentError("SPOOL_TAKEN", `use the spool in ${folder}: another process uses it`);
}

/** The error of a folder that cannot be a spool. */
export function unusableSpool(folder: string, error: unknown): AgentError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
  return new AgentError("SPOOL_UNUSABLE", `use the spool in ${folder}: ${code}`, error);
}
