import { attackProgram } from "./attack-program.ts";
import type { AttackVictim } from "./attack-victim.ts";
import { linesOf } from "./lines-of.ts";

/** How an attack went. */
export interface AttackResult {
  /** Of the attacker. */
  readonly pid: number;
  /** `ok`, `leaked N bytes`, or the name of an errno. */
  readonly answer: string;
  readonly seconds: number;
}

/** What may be different about an attack. */
export interface AttackOptions {
  /** How often; 1 unless told. */
  readonly count?: number;
  /** Called with the attacker's pid when it is there, before it does anything but what it does before. */
  readonly before?: (pid: number) => void | Promise<void>;
}

/** Whom it is for: a victim of ours, or any process. */
export type AttackTarget = Pick<AttackVictim, "pid"> &
  Partial<Pick<AttackVictim, "address" | "descriptor">>;

/**
 * Has a process of its own reach for another one.
 *
 * @param name one of listAttacks, or `own-memory`, `bpf-map-create`, `getppid`, `read-byte`, `open-file`,
 * `map-page`, `signal-itself`, `run-program`, which are none.
 * @throws RangeError where there is no attack of that name.
 */
export async function runAttack(
  name: string,
  target: AttackTarget,
  { count = 1, before }: AttackOptions = {},
): Promise<AttackResult> {
  const { pid, address = 0n, descriptor = 0 } = target;
  const words = [name, pid, count, address, descriptor].map(String);
  const attacker = Bun.spawn([attackProgram(process.env), ...words], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const nextLine = linesOf(attacker.stdout);
  if ((await nextLine()) !== "ready") throw new RangeError(`run attack "${name}": there is none`);
  await before?.(attacker.pid);
  attacker.stdin.write("\n");
  attacker.stdin.end();
  const [answer, seconds] = [await nextLine(), Number(await nextLine())];
  await attacker.exited;
  return { pid: attacker.pid, answer, seconds };
}
