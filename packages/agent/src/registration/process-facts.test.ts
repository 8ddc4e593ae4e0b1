import { describe, expect, test } from "bun:test";
import { parseProcess, readProcess } from "./process-facts.ts";

const rest = "1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 9 9";
const texts = {
  stat: `5 (sh) S 4 ${rest}`,
  status: "Name:\tsh\nTracerPid:\t7\nNSpid:\t5\t2\n",
  cgroup: "0::/kubepods/x\n",
};

describe("the facts of a process in /proc", () => {
  test("is read", () => {
    expect(parseProcess(5, texts)).toEqual({
      pid: 5,
      parentPid: 4,
      startTicks: 777,
      namespacePids: [5, 2],
      tracer: 7,
      cgroup: "/kubepods/x",
    });
  });

  test("is not misled by the name that a process gives itself", () => {
    const facts = parseProcess(5, { ...texts, stat: `5 (a) S 1 ) S 4 ${rest}` });
    expect(facts).toMatchObject({ parentPid: 4, startTicks: 777 });
  });

  for (const state of ["Z", "X"]) {
    test(`is nothing for one of state ${state}`, () => {
      expect(parseProcess(5, { ...texts, stat: `5 (sh) ${state} 4 ${rest}` })).toBeUndefined();
    });
  }

  const groups: readonly (readonly [name: string, text: string, path: string])[] = [
    ["the unified hierarchy", "0::/a/b\n", "/a/b"],
    ["the unified one among older ones", "1:cpu:/old\n0::/a\n", "/a"],
    ["an older one if the unified one is not in use", "9:name=systemd:/old\n0::/\n", "/old"],
    ["a path with a colon", "0::/a:b\n", "/a:b"],
    ["none", "", ""],
  ];
  for (const [name, cgroup, path] of groups) {
    test(`gives the path of ${name}`, () => {
      expect(parseProcess(5, { ...texts, cgroup })?.cgroup).toBe(path);
    });
  }

  test("is undefined for an unused number", () => {
    expect(readProcess(4_194_300)).toBeUndefined();
    expect(readProcess(process.pid)?.parentPid).toBe(process.ppid);
  });
});
