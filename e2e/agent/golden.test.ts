import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { release } from "node:os";
import { listAttacks } from "@svc/testing";
import {
  type AttackSight,
  goldenTable,
  NEWEST_TABLE,
  tableName,
  tablePath,
} from "./golden/golden-table.ts";
import { runAttacks } from "./golden/run-attacks.ts";

let sights: Readonly<Record<string, AttackSight>> = {};

beforeAll(async () => {
  sights = await runAttacks("tracing");
});

describe("tracing on this kernel sees each attack as in the table", () => {
  const { attacks } = goldenTable(nameOfTable());

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
function nameOfTable(): string {
  const own = tableName({ kernel: release(), mechanism: "tracing" });
  return existsSync(tablePath(own)) ? own : NEWEST_TABLE;
}
