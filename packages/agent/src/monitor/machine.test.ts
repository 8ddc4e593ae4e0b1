import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { buildBpf } from "../../../../scripts/build/bpf.ts";
import { readObject } from "../run/read-object.ts";
import { machineOf } from "./machine.ts";

const root = join(import.meta.dirname, "../../../..");

describe("the entry of a system call's function is", () => {
  test.each([
    ["x64", "__x64_sys_", "__ia32_compat_sys_"],
    ["arm64", "__arm64_sys_", "__arm64_compat_sys_aarch32_"],
  ])("on %s %s", (name, native, other) => {
    const { callPrefix, otherPrefixes } = machineOf(name);
    expect(callPrefix).toBe(native);
    expect(otherPrefixes).toContain(other);
  });
});

test("an architecture without tables is named, with those that there are", () => {
  expect(() => machineOf("riscv64")).toThrow("its architecture is riscv64, want one of x64, arm64");
});

describe("the object", () => {
  test.each([
    ["x64", "arm64"],
    ["arm64", "x64"],
  ])("of %s is taken there, and refused on %s", (own, other) => {
    const path = buildBpf(root, own);
    expect(readObject(path, machineOf(own)).length).toBeGreaterThan(1000);
    expect(() => readObject(path, machineOf(other))).toThrow(`it has no svc-programs-for:${other}`);
  });
});
