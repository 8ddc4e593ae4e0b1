import type { Programs } from "./compile-programs.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Starts the program once and gives the milliseconds from the launcher's execve to the program's
 * first instruction, both by CLOCK_MONOTONIC in the processes themselves.
 */
export function timeStart(programs: Programs, scenario: Scenario): number {
  const { launcher, program, evict } = programs;
  const { coldFile } = scenario;
  if (coldFile !== undefined && !Bun.spawnSync([evict, coldFile]).success) {
    throw new Error(`${scenario.name}: take ${coldFile} out of the page cache`);
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync({
    cmd: [launcher, ...scenario.command, program],
    env: scenario.env,
  });
  if (exitCode !== 0 || stdout.length !== 16) {
    throw new Error(`${scenario.name}: ended with ${exitCode}: ${stderr}`);
  }
  const begin = stdout.readBigUInt64LE(0);
  const end = stdout.readBigUInt64LE(8);
  return Number(end - begin) / 1e6;
}
