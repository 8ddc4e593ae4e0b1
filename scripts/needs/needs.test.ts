import { describe, expect, test } from "bun:test";
import { missingPackages, needsGo, type Occasion, occasions } from "./needs.ts";

describe("missing packages", () => {
  const rows: readonly (readonly [Occasion, readonly string[], readonly string[]])[] = [
    ["demo", [], []],
    ["demo", ["gcc", "flock", "unshare"], ["gcc", "util-linux"]],
    ["demo", ["python3 -m pip --version", "clang-19"], ["python3-pip"]],
    ["build", ["python3 -m pip --version"], []],
    ["test", ["clang-19", "aarch64-linux-gnu-as"], ["binutils-aarch64-linux-gnu", "clang-19"]],
    ["test", ["/usr/sbin/runc"], []],
    ["cluster", ["/usr/sbin/runc", "/sbin/ip"], ["iproute2", "runc"]],
  ];
  for (const [occasion, absent, packages] of rows) {
    test(`for ${occasion} without ${absent.join(", ") || "nothing"}`, () => {
      const isThere = (name: string) => !absent.includes(name);
      expect(missingPackages(occasion, isThere)).toEqual([...packages]);
    });
  }

  test("include a later occasion's all of an earlier one", () => {
    const all = occasions.map((occasion) => missingPackages(occasion, () => false));
    const cluster = all.at(-1) ?? [];
    for (const packages of all) expect(cluster).toEqual(expect.arrayContaining([...packages]));
  });
});

test("Go is needed by checks and tests alone", () => {
  expect(occasions.filter(needsGo)).toEqual(["check", "test", "cluster"]);
});
