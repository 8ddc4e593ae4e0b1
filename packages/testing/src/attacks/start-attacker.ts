import { attackProgram } from "./attack-program.ts";
import type { AttackVictim } from "./attack-victim.ts";
import { linesOf } from "./lines-of.ts";

/** The target: a victim of ours, or any process. */
export type AttackTarget = Pick<AttackVictim, "pid"> &
  Partial<Pick<AttackVictim, "address" | "descriptor">>;

/** `svc-attack` that has made its preparations, and waits. */
export interface Attacker {
  readonly pid: number;
  /** Has it attack. */
  readonly go: () => void;
  /** Its further output; the empty string when that has ended. */
  readonly nextLine: () => Promise<string>;
  readonly exited: Promise<number>;
}

/**
 * Starts it.
 *
 * @param words before the pid of the target: its options, and the name of the attack
 * @throws RangeError if there is no attack of that name (exit code 2), or it could not begin
 */
export async function startAttacker(
  words: readonly string[],
  { pid, address = 0n, descriptor = 0 }: AttackTarget,
  count: number,
): Promise<Attacker> {
  const command = [...words, pid, count, address, descriptor].map(String);
  const child = Bun.spawn([attackProgram(process.env), ...command], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const nextLine = linesOf(child.stdout);
  const line = await nextLine();
  if (line !== "ready") {
    await child.exited;
    const end = child.signalCode ?? `exit code ${child.exitCode}`;
    throw new RangeError(`svc-attack ${words.join(" ")}: it says "${line}", and ends: ${end}`);
  }
  return {
    pid: child.pid,
    // The end of its input is as good as a line, and no broken pipe if it has been killed by
    // now.
    go: () => void child.stdin.end(),
    nextLine,
    exited: child.exited,
  };
}
