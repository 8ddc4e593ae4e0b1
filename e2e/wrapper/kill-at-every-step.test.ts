import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const { environment, at } = setStage();
const TIMEOUT_MS = 180_000;
const KILLED = 128 + 9;

/**
 * strace(1) ends the supervisor at its n-th call of ptrace or waitid, as SIGKILL from outside
 * would. A remaining child would hold the output open, and `runWrapper` would not return.
 */
const programs: Readonly<Record<string, readonly string[]>> = {
  "a program": ["/bin/true"],
  "a program behind launchers": ["/bin/sh", "-c", "env true; exec true"],
};

for (const [what, program] of Object.entries(programs)) {
  for (const call of ["ptrace", "waitid"]) {
    test(
      `a supervisor that is killed at any ${call} leaves nothing of ${what} stopped or traced`,
      async () => {
        const steps = await stepsOf(call, program);
        expect(steps.length).toBeGreaterThan(5);
        const ends = await Promise.all(
          steps.map(async (step) => ({ step, ...(await killedAt(call, step, program)) })),
        );
        // The last few may come after the program has gone its own way, and the end may win.
        const survivors = ends.filter(({ exitCode }) => exitCode !== KILLED && exitCode !== 0);
        expect(survivors.map(({ step, exitCode, stderr }) => ({ step, exitCode, stderr }))).toEqual(
          [],
        );
        const killed = ends.filter(({ exitCode }) => exitCode === KILLED);
        expect(killed.length).toBeGreaterThan(steps.length / 2);
      },
      TIMEOUT_MS,
    );
  }
}

/**
 * The numbers of the calls that change something; of many alike in a row the first and the last.
 */
async function stepsOf(call: string, program: readonly string[]): Promise<readonly number[]> {
  const record = at(`record-${crypto.randomUUID()}`);
  const { exitCode, stderr } = await runWrapper({
    instead: [...strace(record), "-e", `trace=${call}`, wrapperPath, "--", ...program],
    environment,
  });
  expect(exitCode, stderr).toBe(0);
  const calls = readFileSync(record, "utf8")
    .split("\n")
    .filter((line) => line.startsWith(`${call}(`))
    .map((line) => /^\w+\((\w+)/.exec(line)?.[1] ?? "");
  return calls.flatMap((kind, index) => {
    const repeats = kind === calls[index - 1] && kind === calls[index + 1];
    return repeats || kind === "PTRACE_PEEKDATA" ? [] : [index + 1];
  });
}

async function killedAt(call: string, step: number, program: readonly string[]) {
  const inject = `inject=${call}:signal=KILL:when=${step}`;
  return await runWrapper({
    instead: [...strace("/dev/null"), "-e", inject, wrapperPath, "--", ...program],
    environment,
  });
}

function strace(output: string): readonly string[] {
  return ["strace", "-qq", "-o", output];
}
