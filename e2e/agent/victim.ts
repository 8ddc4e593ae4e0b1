import { lineReader } from "../harness/processes/line-reader.ts";
import { agentProgram } from "./agent-programs.ts";

/** A process that does nothing, until it is told. */
export interface Victim extends AsyncDisposable {
  readonly pid: number;
  /** Has a child execute the program; returns its pid. */
  readonly fork: () => Promise<number>;
  /** Starts a thread that waits for executeInThread. */
  readonly startThread: () => Promise<number>;
  /** Has a thread that is not the first one execute the program; the pid stays. */
  readonly executeInThread: () => Promise<number>;
}

/** Starts testdata/becomes-others.c; its children end with it. */
export async function startVictim(): Promise<Victim> {
  const child = Bun.spawn([agentProgram("becomes-others")], { stdio: ["pipe", "pipe", "inherit"] });
  const nextLine = lineReader(child.stdout);
  const told = async (letter: string) => {
    child.stdin.write(letter);
    child.stdin.flush();
    return Number(await nextLine());
  };
  const pid = Number(await nextLine());
  return {
    pid,
    fork: () => told("f"),
    startThread: () => told("p"),
    executeInThread: () => told("t"),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}
