import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { SwapKeeper } from "./swap-keeper.ts";

const PID = 7;
const program = { pid: PID, startTicks: 1 };
const group = "kubepods/pod1/container1";

/** A machine with a program in a control group. */
function machine(path: string, swapMax?: string) {
  const folder = temporaryFolder();
  const proc = join(folder.path, "proc");
  const groups = join(folder.path, "groups");
  const own = join(groups, group);
  mkdirSync(join(proc, String(PID)), { recursive: true });
  mkdirSync(own, { recursive: true });
  const stat = `${PID} (a) S 1 ${"0 ".repeat(17)}1 0`;
  const files = { stat, status: `NSpid:\t${PID}\n`, cgroup: `0::${path}\n` };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(proc, String(PID), name), text);
  }
  writeFileSync(
    join(proc, "swaps"),
    "Filename\t\tType\t\tSize\tUsed\tPriority\n/swap.img file 1024 0 -2\n",
  );
  writeFileSync(join(own, "cgroup.procs"), `3\n${PID}\n`);
  if (swapMax !== undefined) writeFileSync(join(own, "memory.swap.max"), `${swapMax}\n`);
  const swapMaxNow = () => readFileSync(join(own, "memory.swap.max"), "utf8").trim();
  return { places: { proc, groups }, swapMaxNow, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

describe("a registered program", () => {
  for (const path of [`/${group}`, "/../../pod1/container1"]) {
    test(`in ${path} is kept out of swap`, () => {
      using here = machine(path, "max");
      const keeper = new SwapKeeper(true, here.places);
      expect(keeper.check([program], "all")).toEqual([]);
      expect(here.swapMaxNow()).toBe("0");
      expect(keeper.facts()).toEqual({ spaces: ["/swap.img"], keepsOut: true, swappable: [] });
    });
  }

  test("is only looked at if the setting says so", () => {
    using here = machine(`/${group}`, "max");
    const keeper = new SwapKeeper(false, here.places);
    const found = [{ pid: PID, reason: "memory.swap.max of its control group is max" }];
    expect(keeper.check([program], "all")).toEqual(found);
    expect(here.swapMaxNow()).toBe("max");
    expect(keeper.facts()).toMatchObject({ keepsOut: false, swappable: found });
  });

  test("is reported once, and not any more when it is out of swap", () => {
    using here = machine(`/${group}`, "max");
    const keeper = new SwapKeeper(false, here.places);
    expect(keeper.check([program], "all")).toHaveLength(1);
    expect(keeper.check([program], "all")).toEqual([]);
    expect(keeper.facts().swappable).toHaveLength(1);
    writeFileSync(join(here.places.groups, group, "memory.swap.max"), "0\n");
    keeper.check([program], "all");
    expect(keeper.facts().swappable).toEqual([]);
  });

  test("is looked at again when all are, or when another has its number", () => {
    using here = machine(`/${group}`, "max");
    const file = join(here.places.groups, group, "memory.swap.max");
    const keeper = new SwapKeeper(true, here.places);
    keeper.check([program], "new");
    for (const [programs, which, now] of [
      [[program], "new", "max"],
      [[program], "all", "0"],
      [[{ pid: PID, startTicks: 2 }], "new", "0"],
    ] as const) {
      writeFileSync(file, "max\n");
      keeper.check(programs, which);
      expect(here.swapMaxNow()).toBe(now);
    }
  });

  test("in a group that has no such limit may be swapped", () => {
    using here = machine(`/${group}`);
    const reason = "its control group has no memory.swap.max";
    const keeper = new SwapKeeper(true, here.places);
    expect(keeper.check([program], "all")).toEqual([{ pid: PID, reason }]);
  });

  for (const groups of [undefined, "/nowhere"]) {
    test(`may be swapped if control groups are ${groups ?? "not mounted"}`, () => {
      using here = machine(`/${group}`, "max");
      const keeper = new SwapKeeper(true, { ...here.places, groups });
      const reason = "its control group is not seen from here";
      expect(keeper.check([program], "all")).toEqual([{ pid: PID, reason }]);
    });
  }

  test("that has ended is ignored", () => {
    using here = machine(`/${group}`, "max");
    const keeper = new SwapKeeper(true, here.places);
    expect(keeper.check([{ pid: 8, startTicks: 1 }], "all")).toEqual([]);
  });
});
