import { exit, onUncaught } from "svc:engine";
import "./web-for-tests.ts";
import "./agent-functions.ts";
import "./bun-globals.ts";
import { expect } from "./expect.ts";
import { NeedsBun, onlyBun, takeNeed } from "./needs-bun.ts";
import { say } from "./say.ts";
import {
  type Body,
  type Group,
  type Hook,
  newGroup,
  runGroups,
  sizeOf,
  textOf,
} from "./test-groups.ts";

// `bun:test` for the small engine, as far as our tests use it: the same test files run on both.

export { expect };

/** The engine's modules cannot be replaced by others. */
export const mock = onlyBun("mock");

// A module that waits for others also rejects its own promise before its importer hears of it.
onUncaught((error) => {
  if (error instanceof NeedsBun) return;
  say(`not caught: ${textOf(error)}`);
  exit(1);
});

const files: Group[] = [];
let current = newGroup("");

export function describe(name: string, body: Body): void {
  const outer = current;
  const inner = newGroup(name);
  outer.groups.push(inner);
  current = inner;
  try {
    body();
  } catch (error) {
    inner.need = takeNeed(error);
    if (inner.need === undefined) throw error;
  } finally {
    current = outer;
  }
}

export function test(name: string, body: Body): void {
  current.tests.push({ name, body });
}

const skip = () => undefined;
describe.skipIf = (condition: boolean) => (condition ? skip : describe);
test.skipIf = (condition: boolean) => (condition ? skip : test);
// One after the other is one of the orders in which they may run.
test.concurrent = test;

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

/**
 * Loads a test file. A file that needs a feature of Bun before it declares anything is left out.
 *
 * @throws Error if it declares no test.
 */
export async function testFile(path: string, load: () => Promise<unknown>): Promise<void> {
  takeNeed();
  current = newGroup(path);
  files.push(current);
  try {
    await load();
  } catch (error) {
    current.need = takeNeed(error);
    if (current.need === undefined) throw error;
  }
  if (current.need === undefined && sizeOf(current) === 0) {
    throw new Error(`${path} declares no test`);
  }
}

/**
 * Runs all declared tests, in their order, prints those that failed or were left out, and exits.
 */
export async function runTests(): Promise<never> {
  const { passed, failed, leftOut } = await runGroups(files);
  for (const { title, need } of leftOut) say(`left out: ${title}: it needs ${need}`);
  say(`${passed} pass, ${failed} fail, ${leftOut.length} left out`);
  return exit(failed === 0 ? 0 : 1);
}
