import type { Problem } from "@svc/settings";

const FAILED = 125;

/** Tells people all that is wrong with a command line. Gives the exit status. */
export function refuseProblems(problems: readonly Problem[], err: (text: string) => void): number {
  for (const { message, hint } of problems) {
    err(`svc: error: ${message}\n${hint === undefined ? "" : `svc: hint: ${hint}\n`}`);
  }
  return FAILED;
}
