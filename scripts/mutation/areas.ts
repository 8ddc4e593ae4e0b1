/** A part of the code whose decisions its unit tests have to hold, by itself and quickly. */
export interface Area {
  readonly name: string;
  /** What is changed: globs of files; tests and their data never are. */
  readonly files: readonly string[];
  /** The tests that have to notice. */
  readonly tests: readonly string[];
}

const agent = "packages/agent/src";
const wrapper = "packages/wrapper/src";

/** Every area of `make mutation`. */
export const areas: readonly Area[] = [
  { name: "lifecycle", files: [`${wrapper}/life/*.ts`], tests: [`${wrapper}/life`] },
  {
    name: "signals",
    files: [`${wrapper}/supervisor/signal-front.ts`],
    tests: [`${wrapper}/supervisor/signal-front.test.ts`],
  },
  {
    name: "spool",
    files: [`${agent}/spool/spool.ts`, `${agent}/spool/spool-faults.ts`],
    tests: [`${agent}/spool/spool.test.ts`, `${agent}/spool/spool-disk.test.ts`],
  },
];
