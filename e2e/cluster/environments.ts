import { readdirSync, readFileSync } from "node:fs";

/** A process whose environment holds something. */
export interface Finding {
  readonly pid: string;
  readonly command: string;
}

/**
 * Looks for a text in `/proc/PID/environ` of every process of this machine, as root on the node
 * does. Gives the number of readable ones, and the processes that have it.
 */
export function searchEnvironments(text: string): {
  readonly read: number;
  readonly found: readonly Finding[];
} {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const readable = pids.flatMap((pid) => {
    const environment = tryRead(`/proc/${pid}/environ`);
    return environment === undefined ? [] : [{ pid, environment }];
  });
  const found = readable
    .filter(({ environment }) => environment.includes(text))
    .map(({ pid }) => ({ pid, command: tryRead(`/proc/${pid}/comm`)?.toString().trim() ?? "" }));
  return { read: readable.length, found };
}

/** A process may end while it is looked at. */
function tryRead(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
