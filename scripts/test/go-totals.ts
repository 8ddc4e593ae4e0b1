import type { Totals } from "./totals.ts";

/** What `go test -json` said. */
export interface GoReport {
  readonly totals: Totals;
  /** For people: a line for each package, and everything that tests said that did not pass. */
  readonly text: string;
}

/** A package or one of its tests. */
interface Subject {
  readonly packageName: string;
  /** Undefined for the package itself. */
  readonly test: string | undefined;
  readonly output: string;
  /** Undefined if the process died before. */
  readonly ending: string | undefined;
}

/**
 * Reads the output of `go test -json`. A test that has subtests counts as these. A failure counts
 * at its beginning: a parent or a package counts only if nothing in it failed (it does not compile,
 * TestMain, a check after the subtests). A test that never ended has failed.
 */
export function readGoReport(output: string): GoReport {
  const { subjects, rest } = collect(output.split("\n"));
  const tests = subjects.filter(({ test }) => test !== undefined);
  const origins = subjects.filter(
    (subject) => failed(subject) && !within(subject, tests).some(failed),
  );
  const passed = tests.filter((test) => test.ending === "pass" && within(test, tests).length === 0);
  const skipped = tests.filter(({ ending }) => ending === "skip");
  const shown = subjects.filter(({ test, ending }) => test === undefined || ending !== "pass");
  return {
    totals: { passed: passed.length, failed: origins.length, skipped: skipped.length },
    text: rest + shown.map((subject) => subject.output).join(""),
  };
}

function failed({ ending }: Subject): boolean {
  return ending === "fail" || ending === undefined;
}

/** The tests of a package, or the subtests of a test. */
function within({ packageName, test }: Subject, tests: readonly Subject[]): readonly Subject[] {
  const ofPackage = tests.filter((other) => other.packageName === packageName);
  return test === undefined
    ? ofPackage
    : ofPackage.filter((other) => other.test?.startsWith(`${test}/`));
}

/** Collects the output of each subject. Output without a subject (compiling) is the rest. */
function collect(lines: readonly string[]) {
  const subjects = new Map<string, Subject>();
  let rest = "";
  for (const line of lines) {
    const event = readEvent(line);
    if (event?.packageName === undefined) {
      rest += event?.output ?? (line && `${line}\n`);
      continue;
    }
    const { packageName, test, ending, output } = event;
    const key = JSON.stringify([packageName, test]);
    const before = subjects.get(key);
    subjects.set(key, {
      packageName,
      test,
      output: (before?.output ?? "") + output,
      ending: ending ?? before?.ending,
    });
  }
  return { subjects: [...subjects.values()], rest };
}

/** An event of `go doc test2json`; undefined for another line. */
function readEvent(line: string) {
  if (!/^\{.*\}$/.test(line)) return undefined;
  const event: unknown = JSON.parse(line);
  const fields = new Map(Object.entries(typeof event === "object" && event !== null ? event : {}));
  const text = (name: string) => {
    const value: unknown = fields.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const action = text("Action");
  return {
    packageName: text("Package"),
    test: text("Test"),
    output: text("Output") ?? "",
    ending: action === "pass" || action === "fail" || action === "skip" ? action : undefined,
  };
}
