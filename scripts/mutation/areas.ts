/** A part of the code whose decisions its unit tests have to hold, by itself and quickly. */
export interface Area {
  readonly name: string;
  /** The files to change: globs, without tests and their data. */
  readonly files: readonly string[];
  /** The tests that have to notice. */
  readonly tests: readonly string[];
}

const agent = "packages/agent/src";
const operator = "packages/operator/src";
const wrapper = "packages/wrapper/src";

/** Every area of `make mutation`. */
export const areas: readonly Area[] = [
  { name: "lifecycle", files: [`${wrapper}/life/*.ts`], tests: [`${wrapper}/life`] },
  { name: "signals", ...byName(`${wrapper}/processes`, ["signal-front"]) },
  {
    name: "spool",
    ...byName(`${agent}/spool`, ["spool", "spool-faults"], ["spool", "spool-disk"]),
  },
  {
    name: "registration",
    ...byName(
      `${agent}/registration`,
      ["registry", "ledger-text", "nearer-claim", "authority", "rate-limit", "admission"],
      ["registry", "ledger-text", "nearer-claim", "authority", "bounds"],
    ),
  },
  {
    name: "admission",
    ...byName(`${operator}/admission`, [
      ...["answer-review", "parse-review", "admission-places", "bounded-warnings", "body-room"],
    ]),
  },
];

/** Files of a folder, and their tests, which by default have their names. */
function byName(
  folder: string,
  files: readonly string[],
  tests: readonly string[] = files,
): Pick<Area, "files" | "tests"> {
  return {
    files: files.map((file) => `${folder}/${file}.ts`),
    tests: tests.map((test) => `${folder}/${test}.test.ts`),
  };
}
