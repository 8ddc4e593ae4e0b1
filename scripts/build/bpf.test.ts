import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { buildBpf } from "./bpf.ts";
import { ownArchitecture } from "./bundle/architecture.ts";

const root = join(import.meta.dirname, "../..");

test.each([
  ["x64", "svc-programs-for:x64"],
  ["arm64", "svc-programs-for:arm64"],
])("an object for %s says so", (architecture, mark) => {
  const object = readFileSync(buildBpf(root, architecture));
  expect(object.includes(`${mark}\0`)).toBe(true);
});

test("there is no object for an architecture whose registers are not known", () => {
  expect(() => buildBpf(root, "riscv64")).toThrow(
    "there are none for riscv64; known are x64, arm64",
  );
});

test("each header compiles by itself", () => {
  const folder = join(root, "bpf");
  const machines = { x86: /_arm64\.h$/, arm64: /_x86\.h$/ };
  for (const [machine, isOthers] of Object.entries(machines)) {
    for (const header of readdirSync(folder).filter((name) => name.endsWith(".h"))) {
      if (isOthers.test(header)) continue;
      const { exitCode, stderr } = Bun.spawnSync(syntaxOf(header, machine), { cwd: folder });
      expect({ header, exitCode, said: stderr.toString() }).toEqual({
        ...{ header, exitCode: 0, said: "" },
      });
    }
  }
});

function syntaxOf(header: string, machine: string): string[] {
  return [
    ...["clang-19", "-fsyntax-only", "-O2", "-target", "bpf", `-D__TARGET_ARCH_${machine}`],
    ...["-idirafter", `/usr/include/${ownArchitecture().triplet}`, "-x", "c", header],
  ];
}

test("two folders give the same bytes without the cache, and a second build does nothing", () => {
  using one = temporaryFolder();
  using other = temporaryFolder();
  const before = process.env["SVC_RESULTS"];
  try {
    const paths = [one, other].map((folder) => {
      process.env["SVC_RESULTS"] = join(folder.path, "results");
      cpSync(join(root, "bpf"), join(folder.path, "bpf"), { recursive: true });
      return buildBpf(folder.path);
    });
    const [first, second] = paths.map((path) => readFileSync(path));
    expect(first?.length).toBeGreaterThan(1000);
    expect(second?.equals(first ?? new Uint8Array())).toBe(true);
    expect(buildBpf(one.path)).toBe(paths[0] ?? "");
  } finally {
    if (before === undefined) delete process.env["SVC_RESULTS"];
    else process.env["SVC_RESULTS"] = before;
  }
});
