/** How long a step of a plan took. */
export interface StepTime {
  readonly step: string;
  readonly seconds: number;
  /** Processor time of the step and all that it waited for. */
  readonly cpuSeconds: number;
  /** Tests that ran; 0 for a step that builds. */
  readonly tests: number;
  readonly slowest: readonly TestTime[];
}

/** How long a test took. */
export interface TestTime {
  readonly name: string;
  readonly file: string;
  readonly seconds: number;
}

const SLOWEST = 10;

/**
 * The slowest tests of one run of `bun test`, by its lines such as `(pass) a name [12.30ms]`. Lines
 * without a time are tests that took less than a tenth of a millisecond.
 */
export function slowestTests(output: string): readonly TestTime[] {
  const found: TestTime[] = [];
  let file = "";
  for (const line of output.split("\n")) {
    if (/^\S+\.(?:engine-)?test\.tsx?:$/.test(line)) file = line.slice(0, -1);
    const [, name, ms] = /^\((?:pass|fail)\) (.*) \[([\d.]+)ms\]$/.exec(line) ?? [];
    if (name !== undefined) found.push({ name, file, seconds: Number(ms) / 1000 });
  }
  return longest(found);
}

/** A table of all steps, and the slowest tests of all, for people. */
export function timesTable(steps: readonly StepTime[]): string {
  const rows = steps.map(({ step, seconds, cpuSeconds, tests }) => [
    ...[step, seconds.toFixed(1), cpuSeconds.toFixed(1)],
    ...(tests > 0 ? [String(tests), (seconds / tests).toFixed(2)] : ["", ""]),
  ]);
  const heads = ["step", "seconds", "of a processor", "tests", "seconds per test"];
  const slowest = longest(steps.flatMap((step) => step.slowest));
  const lines = slowest.map(
    ({ name, file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${file}: ${name}`,
  );
  return [...table([heads, ...rows]), "", "the slowest tests, in seconds:", ...lines].join("\n");
}

function longest(tests: readonly TestTime[]): readonly TestTime[] {
  return tests.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
}

/** The first column to the left, and numbers to the right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = rows[0]?.map((_, index) =>
    Math.max(...rows.map((row) => (row[index] ?? "").length)),
  );
  const cell = (text: string, index: number) => {
    const width = columns?.[index] ?? 0;
    return index === 0 ? text.padEnd(width) : text.padStart(width);
  };
  return rows.map((row) => row.map(cell).join("  ").trimEnd());
}
