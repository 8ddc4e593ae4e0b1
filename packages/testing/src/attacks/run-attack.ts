import { type AttackTarget, startAttacker } from "./start-attacker.ts";

/** How an attack went. */
export interface AttackResult {
  /** The pid of the attacker. */
  readonly pid: number;
  /** `ok`, `leaked N bytes`, or the name of an errno. */
  readonly answer: string;
  readonly seconds: number;
}

/** Options of an attack. */
export interface AttackOptions {
  /** How often; by default 1. */
  readonly count?: number;
  /** Called with the attacker's pid when it is there, and has done its preparations alone. */
  readonly before?: (pid: number) => void | Promise<void>;
}

/**
 * Has a separate process reach for another one.
 *
 * @param name one of listAttacks, or a harmless one: `own-memory`, `bpf-map-create`, `getppid`,
 * `read-byte`, `open-file`, `map-page`, `signal-itself`, `run-program`, `bpf-connect-program`.
 * @throws RangeError if there is no attack of that name (exit code 2), or it could not begin.
 */
export async function runAttack(
  name: string,
  target: AttackTarget,
  { count = 1, before }: AttackOptions = {},
): Promise<AttackResult> {
  const attacker = await startAttacker([name], target, count);
  await before?.(attacker.pid);
  attacker.go();
  const [answer, seconds] = [await attacker.nextLine(), Number(await attacker.nextLine())];
  await attacker.exited;
  return { pid: attacker.pid, answer, seconds };
}
