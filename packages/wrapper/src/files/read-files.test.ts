import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import type { Logger } from "../log.ts";
import { opened } from "../testdata/outcomes.ts";
import { readFiles, readFilesPatiently } from "./read-files.ts";

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(() => folder[Symbol.dispose]());

/** The lines of a log, and a log that keeps them. */
function keptLog(): { readonly lines: string[]; readonly log: Logger } {
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  return { lines, log: { debug: say, info: say, warn: say, error: say } };
}

/** Reads with patience, and calls back at each retry. */
async function read(
  names: readonly string[],
  options: object = {},
  onRetry = (): void => undefined,
) {
  const { lines, log } = keptLog();
  const patience = { deadlineMs: 60_000, says: false, log, onRetry, ...options };
  const paths = names.map((name) => ({ path: at(name) }));
  const outcomes = await readFilesPatiently(paths, patience);
  const values = outcomes.map((outcome) => {
    if (!outcome.ok) return outcome.error.failure.message;
    return [...outcome.secret.fields.values()].map(opened).join();
  });
  return { lines, values };
}

const missing = (name: string) => `read file:${at(name)}: it is not there (ENOENT)`;
writeFileSync(at("a"), "1");
writeFileSync(at("b"), "2");
writeFileSync(at("large"), "x".repeat((1 << 20) + 1));

describe("readFilesPatiently", () => {
  test("gives the outcomes in the order of the paths, and reads one path once", async () => {
    expect((await read(["b", "a", "b"])).values).toEqual(["2", "1", "2"]);
  });

  test("waits for a file, and says so each time", async () => {
    let retries = 0;
    const { lines, values } = await read(["a", "late"], {}, () => {
      retries += 1;
      if (retries === 2) writeFileSync(at("late"), "3");
    });
    expect(values).toEqual(["1", "3"]);
    expect(lines).toEqual([missing("late"), missing("late")]);
  });

  test("gives up at the deadline, or after a number of tries", async () => {
    expect((await read(["gone"], { deadlineMs: 150 })).values).toEqual([missing("gone")]);
    const { lines, values } = await read(["gone"], { maxAttempts: 2 });
    expect([lines, values]).toEqual([[missing("gone")], [missing("gone")]]);
    expect((await read(["gone"], { maxAttempts: 1 })).lines).toEqual([]);
  });

  test("waits for nothing beside an error that no pause mends", async () => {
    const { lines, values } = await read(["gone", "large", "a"]);
    expect(lines).toEqual([]);
    expect(values[0]).toBe(missing("gone"));
    expect(values[1]).toStartWith(`read file:${at("large")}: it is larger`);
    expect(values[2]).toBe("1");
  });

  test("says who else may read the files, if that is wanted and all were read", async () => {
    expect((await read(["a"], { says: true })).lines).toContain(
      "the program, and others of its user, can read these files themselves",
    );
    expect((await read(["a"], { says: false })).lines).toEqual([]);
    expect((await read(["a", "gone"], { says: true, maxAttempts: 1 })).lines).toEqual([]);
  });
});

test("readFiles tries once", () => {
  const outcomes = readFiles([{ path: at("a") }, { path: at("gone") }]);
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
});
