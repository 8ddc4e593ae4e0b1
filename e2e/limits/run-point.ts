import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compileOnce } from "../harness/programs/compile-once.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import type { WrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import type { SweepEnd } from "./judge-start.ts";
import type { ProgramKind, SweepPoint } from "./sweep-point.ts";

/** Three times SVC_START_DEADLINE. */
const LONGEST_MS = 12_000;
const NAME = "exits-by-value";

/** The programs of the sweep, by their paths. */
export type Programs = Readonly<Record<ProgramKind, string>>;

/** Puts the programs into a folder, in which each user may start them. */
export function putPrograms(folder: string): Programs {
  const source = resolve(import.meta.dir, `../testdata/${NAME}.c`);
  const linked = compileOnce({
    ...{ name: NAME, from: ["static", readFileSync(source)] },
    command: (target) => ["gcc", "-static", "-O1", "-o", target, source],
  });
  chmodSync(folder, 0o755);
  const put = (kind: ProgramKind, from: string): string => {
    const path = join(folder, kind);
    copyFileSync(from, path);
    return path;
  };
  return { static: put("static", linked), dynamic: put("dynamic", fixture(NAME)) };
}

/** The exit status by which the program says that it has the value. */
export function statusFor(value: string): number {
  const sum = [...Buffer.from(value)].reduce((total, byte) => total + byte, 0);
  return 10 + (sum % 100);
}

/** Starts the wrapper at a point, and kills all of it if it has not ended in time. */
export async function runPoint(
  point: SweepPoint,
  programs: Programs,
  environment: WrapperEnvironment,
): Promise<SweepEnd> {
  await using wrapper = await startWrapper({
    ...{ program: [programs[point.program]], startsAs: point.startsAs },
    environment: { ...environment, SVC_START_DEADLINE: "4s", ...point.settings },
  });
  const timer = Promise.withResolvers<undefined>();
  const timeout = setTimeout(() => timer.resolve(undefined), LONGEST_MS);
  const ended = await Promise.race([wrapper.ended, timer.promise]);
  clearTimeout(timeout);
  return { exitCode: ended?.exitCode, stderr: wrapper.stderr() };
}

/** Whether the program starts at a point without the wrapper: the kernel may refuse that, too. */
export async function startsAlone(point: SweepPoint, programs: Programs): Promise<boolean> {
  const words = [fixture("starts-as"), ...point.startsAs, programs[point.program]];
  const alone = Bun.spawn(words, { env: {}, stdio: ["ignore", "ignore", "ignore"] });
  return (await alone.exited) === WITHOUT_VALUE;
}

const WITHOUT_VALUE = 9;
