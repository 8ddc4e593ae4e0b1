import { agentProgram } from "./agent-programs.ts";

/** How an attempt went. */
export interface Attempt {
  readonly pid: number;
  /** `ok`, or the name of an errno. */
  readonly answer: string;
  readonly seconds: number;
}

/** What may be different about an attempt. */
export interface AttemptOptions {
  readonly count?: number;
  /** Called with the attacker's pid before it does anything. */
  readonly before?: (pid: number) => void;
}

/** Has a process of its own reach for another one, in one of the ways of testdata/reaches-for.c. */
export async function attempt(
  way: string,
  pid: number,
  { count = 1, before }: AttemptOptions = {},
): Promise<Attempt> {
  const attacker = Bun.spawn([agentProgram("reaches-for"), way, `${pid}`, `${count}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  before?.(attacker.pid);
  attacker.stdin.write("\n");
  attacker.stdin.end();
  const [answer = "", seconds] = (await attacker.stdout.text()).trim().split(" ");
  if ((await attacker.exited) !== 0) throw new TypeError(`there is no attempt "${way}"`);
  return { pid: attacker.pid, answer, seconds: Number(seconds) };
}
