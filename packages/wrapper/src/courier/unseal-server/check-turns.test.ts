import { describe, expect, test } from "bun:test";
import { CheckTurns } from "./check-turns.ts";

const NODE = "node";
const attackers = (count: number, name = "attacker") =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** Turns whose decisions are noted as they come. */
function stage() {
  const turns = new CheckTurns((group) => group === NODE);
  const checking = new Set<string>();
  const refused: string[] = [];
  const begin = (group: string) =>
    turns.begin(group).then((isGranted) => {
      if (isGranted) checking.add(group);
      else refused.push(group);
    });
  const end = async (groups: Iterable<string>, hasFailed = true) => {
    for (const group of [...groups]) {
      checking.delete(group);
      turns.end(group, hasFailed);
    }
    await settled();
  };
  return { turns, checking, refused, begin, end };
}

/** Lets the promises of decisions run. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("turns at the vault", () => {
  test("are eight at a time, and go on when one ends", async () => {
    const { checking, begin, end, turns } = stage();
    for (const group of attackers(9)) void begin(group);
    await settled();
    expect([...checking]).toEqual(attackers(8));
    expect(turns.has("attacker 8")).toBe(true);
    await end(["attacker 3"]);
    expect(checking.has("attacker 8")).toBe(true);
  });

  test("come to an address without a failure before all those with one", async () => {
    const { checking, begin, end } = stage();
    for (const group of attackers(16)) void begin(group);
    await settled();
    // Each wave fails. The attackers come again at once.
    for (let wave = 0; wave < 4; wave += 1) {
      const wrong = [...checking];
      await end(wrong);
      for (const group of wrong) void begin(group);
      await settled();
    }
    expect(checking.size).toBe(4);
    void begin("owner");
    await settled();
    expect(checking.has("owner")).toBe(true);
  });

  test("come to the node before others that wait", async () => {
    const { checking, begin, end } = stage();
    for (const group of attackers(30)) void begin(group);
    void begin(NODE);
    await settled();
    expect(checking.has(NODE)).toBe(false);
    await end(["attacker 0"]);
    expect(checking.has(NODE)).toBe(true);
  });

  test("are refused to the last of the lowest rank if too many wait", async () => {
    const { begin, end, refused } = stage();
    const known = attackers(8, "known");
    for (const group of known) void begin(group);
    await settled();
    await end(known);
    for (const group of attackers(8)) void begin(group);
    for (const group of known) void begin(group);
    for (const group of attackers(25, "new")) void begin(group);
    await settled();
    expect(refused).toEqual(["known 7"]);
    void begin(NODE);
    await settled();
    expect(refused).toEqual(["known 7", "known 6"]);
  });

  test.each([
    ["remember the failures of 4,096 addresses", 4096, false],
    ["forget the one that failed before them", 4097, true],
  ])("%s", async (_, count, isForgotten) => {
    const { turns, checking, begin } = stage();
    const failed = attackers(count);
    for (const group of failed) {
      await turns.begin(group);
      turns.end(group, true);
    }
    // They take the places of addresses with a failure.
    for (const group of failed.slice(-4)) void begin(group);
    for (const group of failed.slice(0, 2)) void begin(group);
    await settled();
    expect(checking.has("attacker 0")).toBe(isForgotten);
    expect(checking.has("attacker 1")).toBe(false);
  });

  test("forget nothing that was accepted as a failure", async () => {
    const { checking, begin, end } = stage();
    const fair = attackers(8, "fair");
    for (const group of fair) void begin(group);
    await settled();
    await end(fair, false);
    for (const group of fair) void begin(group);
    await settled();
    expect(checking.size).toBe(8);
  });
});
