import { runsAsRoot } from "@svc/testing";
import type { ProgramKind, SweepPoint } from "./sweep-point.ts";

interface Limit {
  /** Its name for testdata/starts-as.c. */
  readonly of: string;
  readonly least: number;
  /** The first one that is not tried. */
  readonly end: number;
  /** Hundreds of steps. */
  readonly step: number;
  readonly cause: RegExp;
  /** It holds for processes without capabilities: the wrapper runs as another user. */
  readonly ofUsers?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

const [KIB, MIB] = [2 ** 10, 2 ** 20];
const memory = /out of memory|no memory|ENOMEM|Cannot allocate memory|RLIMIT_/;

const limits: readonly Limit[] = [
  { of: "data", least: 0, end: 4 * MIB, step: 16 * KIB, cause: memory },
  { of: "as", least: 4 * MIB, end: 20 * MIB, step: 64 * KIB, cause: memory },
  { of: "stack", least: 0, end: MIB, step: 4 * KIB, cause: /RLIMIT_STACK/ },
  { of: "nofile", least: 0, end: 200, step: 1, cause: /EMFILE|RLIMIT_NOFILE/ },
  {
    // Nothing is checked later on, so fewer descriptors are enough.
    ...{ of: "nofile", least: 0, end: 60, step: 1, cause: /EMFILE|RLIMIT_NOFILE/ },
    settings: { SVC_ROTATION: "none" },
  },
  {
    ...{ of: "nproc", least: 0, end: 100, step: 1, ofUsers: true },
    cause: /PROCESS_LIMIT|Resource temporarily unavailable/,
  },
  {
    ...{ of: "memlock", least: 0, end: 256 * KIB, step: KIB, ofUsers: true },
    cause: /RLIMIT_MEMLOCK/,
  },
  {
    ...{ of: "memlock", least: 0, end: 256 * KIB, step: KIB, ofUsers: true },
    cause: /RLIMIT_MEMLOCK/,
    settings: { SVC_REQUIRE_MLOCK: "true" },
  },
  { of: "fsize", least: 0, end: 32 * KIB, step: 100, cause: /EFBIG|File too large/ },
];

/** Users that nothing else has: RLIMIT_NPROC counts all processes of one. */
const FIRST_USER = 1_200_000;
let user = FIRST_USER;

/** Each limit in steps, as soft and hard limit. */
export function limitPoints(programs: readonly ProgramKind[]): readonly SweepPoint[] {
  return limits
    .filter(({ ofUsers }) => ofUsers !== true || runsAsRoot())
    .flatMap((limit) => valuesOf(limit).flatMap((value) => pointsAt(limit, value, programs)));
}

function valuesOf({ least, end, step }: Limit): readonly number[] {
  return Array.from(
    { length: Math.ceil((end - least) / step) },
    (_, index) => least + index * step,
  );
}

function pointsAt(
  { of, cause, ofUsers, settings = {} }: Limit,
  limit: number,
  programs: readonly ProgramKind[],
): readonly SweepPoint[] {
  return programs.map((program) => {
    user += 1;
    return {
      ...{ of, program, cause, limit, settings },
      name: [`${of} ${limit}`, program, ...Object.keys(settings)].join(", "),
      startsAs: ["-l", `${of}=${limit}:${limit}`, ...(ofUsers === true ? ["-U", `${user}`] : [])],
    };
  });
}
