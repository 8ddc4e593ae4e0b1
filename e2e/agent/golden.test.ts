import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { listAttacks } from "@svc/testing";
import { type AttackSight, type GoldenTable, runAttacks } from "./golden/run-attacks.ts";

let sights: Readonly<Record<string, AttackSight>> = {};

beforeAll(async () => {
  sights = await runAttacks("tracing");
});

describe("tracing on this kernel sees each attack as in the table", () => {
  const { attacks } = goldenTable();

  for (const { name, isRace } of listAttacks()) {
    if (isRace) continue;
    test(name, () => {
      const { seen, answer } = sights[name] ?? {};
      const expected = attacks[name];
      // Files and calls that one of the machines lacks cannot be opened there, nor seen.
      if (answer === "ENOENT") expect(seen).toEqual([]);
      else if (expected?.answer !== "ENOENT") expect(seen).toEqual([...(expected?.seen ?? [])]);
    });
  }

  test("and the table has no other attacks", () => {
    expect(Object.keys(attacks)).toEqual(listAttacks().map(({ name }) => name));
  });
});

/** That of a kernel without its own table is the newest one's. */
function goldenTable(): GoldenTable {
  const version = /^\d+\.\d+/.exec(release())?.[0];
  const [own, newest] = [version, "6.18"].map((name) =>
    join(import.meta.dirname, `golden/linux-${name}-tracing.json`),
  );
  const file = own !== undefined && existsSync(own) ? own : newest;
  // Our own file; a table of another shape fails its assertions.
  return JSON.parse(readFileSync(file ?? "", "utf8")) as GoldenTable;
}
