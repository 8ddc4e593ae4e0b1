import { neighbours } from "../../harness/agent/neighbours.ts";

/** Has all tools that work beside a process do so, and gives the exit codes. */
export function runNeighbours(victim: number): Readonly<Record<string, number>> {
  const env = { ...process.env, VICTIM: String(victim) };
  const ends = neighbours.map(([who, script]) => {
    const { exitCode } = Bun.spawnSync(["sh", "-c", script], { env });
    if (exitCode === 127) throw new TypeError(`${who}: a command is missing`);
    return [who, exitCode] as const;
  });
  return Object.fromEntries(ends);
}
