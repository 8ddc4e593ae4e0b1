import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { findResult, keyOf, longResult, type Result, result } from "./results.ts";

let folder: ReturnType<typeof temporaryFolder>;
const before = process.env["SVC_RESULTS"];

beforeEach(() => {
  folder = temporaryFolder();
  process.env["SVC_RESULTS"] = join(folder.path, "results");
});

afterEach(() => {
  if (before === undefined) delete process.env["SVC_RESULTS"];
  else process.env["SVC_RESULTS"] = before;
  folder[Symbol.dispose]();
});

const wanted = (key: string): Result => ({ name: "thing-x64", key: key.repeat(16) });
const make = (text: string) => (work: string) => writeFileSync(join(work, "thing"), text);
const read = (path: string | undefined) => readFileSync(join(path ?? "", "thing"), "utf8");
const entries = () => readdirSync(join(folder.path, "results"));
const forbidden = () => {
  throw new Error("it was made again");
};

describe("a result", () => {
  test("is made once, and taken afterwards", () => {
    expect(findResult(wanted("a"))).toBeUndefined();
    expect(read(result(wanted("a"), make("one")))).toBe("one");
    expect(read(result(wanted("a"), forbidden))).toBe("one");
    expect(read(findResult(wanted("a")))).toBe("one");
  });

  test("is another one for other inputs", () => {
    result(wanted("a"), make("one"));
    expect(read(result(wanted("b"), make("two")))).toBe("two");
    expect(read(findResult(wanted("a")))).toBe("one");
  });

  for (const [damage, text] of [
    ["other bytes", "onE"],
    ["the end missing", "on"],
    ["nothing", ""],
  ] as const) {
    test(`with ${damage} is made again`, () => {
      const path = join(result(wanted("a"), make("one")), "thing");
      writeFileSync(path, text);
      expect(findResult(wanted("a"))).toBeUndefined();
      expect(read(result(wanted("a"), make("one")))).toBe("one");
    });
  }

  test("without its list of sums is made again", () => {
    mkdirSync(join(folder.path, "results/thing-x64-aaaaaaaaaaaaaaaa"), { recursive: true });
    expect(read(result(wanted("a"), make("one")))).toBe("one");
  });

  test("whose making fails leaves nothing", async () => {
    const fails = (work: string): never => {
      make("half")(work);
      throw new Error("no space");
    };
    expect(() => result(wanted("a"), fails)).toThrow("no space");
    const long = longResult(wanted("a"), async (work) => fails(work), forbidden);
    await expect(long).rejects.toThrow("no space");
    expect(entries().filter((name) => !name.endsWith(".lock"))).toEqual([]);
  });

  test("stays if it was used lately, and the oldest others are removed", () => {
    for (const key of "abcdef") {
      const path = result(wanted(key), make(key));
      const time = new Date(Date.UTC(2026, 0, key.charCodeAt(0) - 96));
      utimesSync(path, time, time);
    }
    findResult(wanted("a"));
    result(wanted("0"), make("new"));
    const kept = ["0", "a", "c", "d", "e", "f"].map((key) => `thing-x64-${key.repeat(16)}`);
    expect(entries().toSorted()).toEqual(kept);
  });
});

test("work that a killed build has left is removed a day later", () => {
  const store = join(folder.path, "results");
  for (const [name, hours] of [
    ["thing-x64-bbbbbbbbbbbbbbbb.part-1", 25],
    ["thing-x64-bbbbbbbbbbbbbbbb.part-2", 1],
  ] as const) {
    mkdirSync(join(store, name), { recursive: true });
    const time = new Date(Date.now() - hours * 3600 * 1000);
    utimesSync(join(store, name), time, time);
  }
  result(wanted("a"), make("one"));
  expect(entries().toSorted()).toEqual([
    "thing-x64-aaaaaaaaaaaaaaaa",
    "thing-x64-bbbbbbbbbbbbbbbb.part-2",
  ]);
});

test("of two makers at once one works, and the other waits for its result", async () => {
  const said: string[] = [];
  let made = 0;
  const take = () =>
    longResult(
      wanted("a"),
      async (work) => {
        made++;
        await Bun.sleep(1000);
        make("one")(work);
      },
      (line) => void said.push(line),
    );
  const paths = await Promise.all([take(), take()]);
  expect(paths.map(read)).toEqual(["one", "one"]);
  expect(made).toBe(1);
  expect(said).toEqual(["another build makes thing-x64: waiting for it"]);
});

describe("the key", () => {
  const key = (words: readonly string[]) =>
    keyOf({ words, files: ["*.c", "in/*"], root: folder.path });
  const write = (path: string, text: string) => Bun.write(join(folder.path, path), text);

  test("changes with each input, and with nothing else", async () => {
    await write("a.c", "one");
    await write("in/b", "two");
    const first = key(["gcc 12", "-O2"]);
    const keys = [first, key(["gcc 13", "-O2"]), key(["gcc 12-O2"])];
    await write("a.c", "onE");
    keys.push(key(["gcc 12", "-O2"]));
    await write("a.c", "one");
    await write("c.c", "");
    keys.push(key(["gcc 12", "-O2"]));
    expect(new Set(keys).size).toBe(5);
    await Bun.file(join(folder.path, "c.c")).delete();
    await write("other.txt", "not an input");
    expect(key(["gcc 12", "-O2"])).toBe(first);
    expect(basename(result({ name: "x", key: first }, make("")))).toBe(`x-${first.slice(0, 16)}`);
  });
});
