import { expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { buildBpf } from "./bpf.ts";

const root = join(import.meta.dirname, "../..");

test("two folders give the same bytes, and a second build does nothing", () => {
  using one = temporaryFolder();
  using other = temporaryFolder();
  const paths = [one, other].map((folder) => {
    cpSync(join(root, "bpf"), join(folder.path, "bpf"), { recursive: true });
    return buildBpf(folder.path);
  });
  const [first, second] = paths.map((path) => readFileSync(path));
  expect(first?.length).toBeGreaterThan(1000);
  expect(second?.equals(first ?? new Uint8Array())).toBe(true);
  expect(buildBpf(one.path)).toBe(paths[0] ?? "");
});
