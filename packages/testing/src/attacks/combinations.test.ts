import { describe, expect, test } from "bun:test";
import { listCombinations, sampleCombinations } from "./combinations.ts";

const all = listCombinations();

describe("the list of combinations", () => {
  test("names each one once, by its parts", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name, goal, arguments: way, table, width, target, time } of all) {
      expect(name).toBe([goal, way, table, width, target, time].join("/"));
    }
  });

  test("has the same order each time", () => {
    expect(listCombinations()).toEqual(all);
    expect(all[0]?.name).toBe("memory/warm/own/64/main/after");
  });

  test("has those of io_uring last, since agents look closer after the first ring", () => {
    const isOfRing = all.map(({ goal }) => goal.includes("-by-r"));
    expect(isOfRing.lastIndexOf(false)).toBeLessThan(isOfRing.indexOf(true));
  });

  test("has every place of arguments and every holder of each call with attributes", () => {
    for (const goal of ["samples-of-all", "probe", "maps"]) {
      expect(all.filter((combination) => combination.goal === goal)).toHaveLength(5 * 4 * 2);
    }
  });

  test("varies the arguments of a mapping only if they lie in memory", () => {
    const ways = (width: string) =>
      new Set(
        all
          .filter((each) => each.goal === "region" && each.width === width)
          .map(({ arguments: way }) => way),
      );
    expect([...ways("64")]).toEqual(["warm"]);
    expect([...ways("32")]).toEqual(["warm", "cold", "dropped", "faulted", "rewritten"]);
  });

  test("shares no descriptor of a call that has none", () => {
    const calls = all.filter(({ goal }) => goal === "read-call" || goal === "trace");
    expect(new Set(calls.map(({ table }) => table))).toEqual(new Set(["own"]));
  });

  test("says which ones race", () => {
    const races = all.filter(({ isRace }) => isRace);
    expect(races.length).toBeGreaterThan(0);
    for (const { arguments: way, target } of races) {
      expect(way === "rewritten" || target === "newborn").toBe(true);
    }
  });
});

describe("a sample", () => {
  const namesOf = (count: number, seed: number) =>
    sampleCombinations(all, count, seed).map(({ name }) => name);

  test("is the same for the same seed, and another one for another seed", () => {
    expect(namesOf(50, 7)).toEqual(namesOf(50, 7));
    expect(namesOf(50, 7)).not.toEqual(namesOf(50, 8));
  });

  test("has as many as asked for, in the order of the list, each once", () => {
    const names = namesOf(50, 7);
    const places = names.map((name) => all.findIndex((each) => each.name === name));
    expect(new Set(names).size).toBe(50);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test("is the whole list if more are asked for", () => {
    expect(namesOf(all.length + 1, 7)).toEqual(all.map(({ name }) => name));
  });
});
