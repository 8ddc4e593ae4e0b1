import { NeedsBun, takeNeed } from "./needs-bun.ts";
import { say } from "./say.ts";

export type Body = () => unknown;
export type Hook = "afterAll" | "afterEach" | "beforeAll" | "beforeEach";

interface Test {
  readonly name: string;
  readonly body: Body;
}

/** The tests of a file or a `describe`. */
export interface Group {
  readonly name: string;
  readonly hooks: Record<Hook, Body[]>;
  readonly tests: Test[];
  readonly groups: Group[];
  /** The feature of Bun without which it cannot declare its tests. */
  need: string | undefined;
}

export function newGroup(name: string): Group {
  const hooks = { afterAll: [], afterEach: [], beforeAll: [], beforeEach: [] };
  return { name, hooks, tests: [], groups: [], need: undefined };
}

/** The number of tests in a group and below it; a group that is left out counts as one. */
export function sizeOf({ tests, groups, need }: Group): number {
  if (need !== undefined) return 1;
  return groups.reduce((sum, group) => sum + sizeOf(group), tests.length);
}

/** The results of the tests. */
export interface Tally {
  passed: number;
  failed: number;
  /** Tests and whole groups, each with the feature that it needs. */
  readonly leftOut: { readonly title: string; readonly need: string }[];
}

/** Longer than any test takes: one that waits for ever is named. */
const DEADLINE_MS = 60_000;

/** Runs groups, one after the other, and prints the failures. */
export async function runGroups(groups: readonly Group[]): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, leftOut: [] };
  for (const group of groups) await runGroup(group, [], tally);
  return tally;
}

async function runGroup(group: Group, outer: readonly Group[], tally: Tally): Promise<void> {
  const path = [...outer, group];
  if (group.need !== undefined) {
    tally.leftOut.push({ title: titleOf(path), need: group.need });
    return;
  }
  const isReady = await judged(titleOf(path), tally, async () => {
    for (const body of group.hooks.beforeAll) await body();
  });
  if (!isReady) return;
  const leftOutBefore = tally.leftOut.length;
  for (const { name, body } of group.tests) {
    const ran = judged(titleOf(path, name), tally, () => runTest(body, path));
    if (await ran) tally.passed += 1;
  }
  for (const inner of group.groups) await runGroup(inner, path, tally);
  const isWhole = tally.leftOut.length === leftOutBefore;
  await judged(titleOf(path), tally, async () => {
    for (const body of group.hooks.afterAll) await finish(body, isWhole);
  });
}

/** A hook may need the effect of a test that was left out: then it is left out, too. */
async function finish(body: Body, isWhole: boolean): Promise<void> {
  try {
    await body();
  } catch (error) {
    throw isWhole ? error : new NeedsBun("a test that was left out");
  }
}

async function runTest(body: Body, path: readonly Group[]): Promise<void> {
  for (const { hooks } of path) for (const each of hooks.beforeEach) await each();
  await body();
  for (const { hooks } of path.toReversed()) for (const each of hooks.afterEach) await each();
}

/** Whether it has done all that it should; counts and prints it if it has not. */
async function judged(title: string, tally: Tally, run: () => Promise<void>): Promise<boolean> {
  takeNeed();
  let thrown: { readonly error: unknown } | undefined;
  try {
    await withinDeadline(run());
  } catch (error) {
    thrown = { error };
  }
  const need = takeNeed(thrown?.error);
  if (need !== undefined) tally.leftOut.push({ title, need });
  else if (thrown !== undefined) {
    tally.failed += 1;
    say(`(fail) ${title}\n${textOf(thrown.error)}`);
  }
  return need === undefined && thrown === undefined;
}

async function withinDeadline(running: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`it takes longer than ${DEADLINE_MS} ms`));
  const timer = setTimeout(late, DEADLINE_MS);
  await Promise.race([running, promise]).finally(() => clearTimeout(timer));
}

function titleOf(path: readonly Group[], test = ""): string {
  return [...path.map(({ name }) => name), test].filter(Boolean).join(" > ");
}

/** An error with its stack, as a test prints it. */
export function textOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
}
