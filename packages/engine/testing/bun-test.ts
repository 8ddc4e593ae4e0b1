import { exit } from "svc:engine";
import "./web-for-tests.ts";
import { expect } from "./expect.ts";
import { say } from "./say.ts";

// `bun:test` for the small engine, as far as our tests use it: the same test files run on both.

export { expect };

type Body = () => unknown;
type Hook = "afterAll" | "afterEach" | "beforeAll" | "beforeEach";

interface Group {
  readonly name: string;
  readonly hooks: Record<Hook, Body[]>;
  readonly tests: { readonly name: string; readonly body: Body }[];
  readonly groups: Group[];
}

const root = newGroup("");
let current = root;

function newGroup(name: string): Group {
  const hooks = { afterAll: [], afterEach: [], beforeAll: [], beforeEach: [] };
  return { name, hooks, tests: [], groups: [] };
}

export function describe(name: string, body: Body): void {
  const outer = current;
  current = newGroup(name);
  outer.groups.push(current);
  body();
  current = outer;
}

export function test(name: string, body: Body): void {
  current.tests.push({ name, body });
}

test.each =
  (rows: readonly unknown[]) =>
  (name: string, body: (...values: readonly unknown[]) => unknown): void => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      test(named(name, values), () => body(...values));
    }
  };

/** As printf has it: `%s` and the like are the values in their order, `%%` is a percent sign. */
function named(name: string, values: readonly unknown[]): string {
  let next = 0;
  return name.replaceAll(/%[%sdijop]/g, (format) => {
    return format === "%%" ? "%" : String(values[next++]);
  });
}

const hook = (kind: Hook) => (body: Body) => void current.hooks[kind].push(body);
export const afterAll = hook("afterAll");
export const afterEach = hook("afterEach");
export const beforeAll = hook("beforeAll");
export const beforeEach = hook("beforeEach");

interface Counts {
  passed: number;
  failed: number;
}

/** Runs all that was declared, in its order, prints what has failed, and exits. */
export async function runTests(): Promise<never> {
  const counts = { passed: 0, failed: 0 };
  await runGroup(root, [], counts);
  say(`${counts.passed} pass, ${counts.failed} fail`);
  return exit(counts.failed === 0 ? 0 : 1);
}

async function runGroup(group: Group, outer: readonly Group[], counts: Counts): Promise<void> {
  const path = [...outer, group];
  for (const body of group.hooks.beforeAll) await body();
  for (const { name, body } of group.tests) {
    const title = [...path.map((part) => part.name), name].filter(Boolean).join(" > ");
    await runTest(title, body, path, counts);
  }
  for (const inner of group.groups) await runGroup(inner, path, counts);
  for (const body of group.hooks.afterAll) await body();
}

async function runTest(
  title: string,
  body: Body,
  path: readonly Group[],
  counts: Counts,
): Promise<void> {
  try {
    for (const { hooks } of path) for (const each of hooks.beforeEach) await each();
    await body();
    for (const { hooks } of path.toReversed()) for (const each of hooks.afterEach) await each();
    counts.passed += 1;
  } catch (error) {
    counts.failed += 1;
    say(`(fail) ${title}\n${textOf(error)}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
}
