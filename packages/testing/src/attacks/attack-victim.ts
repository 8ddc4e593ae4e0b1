import { TestingError } from "../errors.ts";
import { attackProgram } from "./attack-program.ts";
import { linesOf } from "./lines-of.ts";

/**
 * A process that holds a secret for attacks: in its memory, in secret memory, in its environment.
 */
export interface AttackVictim extends AsyncDisposable {
  readonly pid: number;
  /** Its address in the memory, for attacks that read memory. */
  readonly address: bigint;
  /** Its descriptor of secret memory, or of a memfd if the kernel has none. */
  readonly descriptor: number;
  /** Has a child become traced by it; returns the child's pid, which is gone then. */
  readonly haveTracedChild: () => Promise<number>;
}

/** Starts a victim, which ends with its scope. */
export async function startAttackVictim(): Promise<AttackVictim> {
  const child = Bun.spawn([attackProgram(process.env), "--victim"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const nextLine = linesOf(child.stdout);
  const first = await nextLine();
  const [pid, address, descriptor] = first.split(" ");
  if (address === undefined) {
    throw new TestingError("SERVER_FAILED", `start a victim: it says "${first}"`);
  }
  return {
    pid: Number(pid),
    address: BigInt(address),
    descriptor: Number(descriptor),
    haveTracedChild: async () => {
      child.stdin.write("t");
      child.stdin.flush();
      return Number(await nextLine());
    },
    [Symbol.asyncDispose]: async () => {
      // An attacker who was killed may have left it stopped.
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
