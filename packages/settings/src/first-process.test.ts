import { expect, test } from "bun:test";
import { mustBeFirstProcess } from "./first-process.ts";

for (const [path, must] of [
  ["/init", true],
  ["/sbin/init", true],
  ["/usr/lib/systemd/systemd", true],
  ["/lib/systemd/systemd", true],
  ["runit", true],
  ["/usr/bin/runsvdir", false],
  ["/app/init", false],
  ["init", false],
  ["", false],
] as const) {
  test(`${JSON.stringify(path)} ${must ? "must" : "need not"} be process 1`, () => {
    expect(mustBeFirstProcess(path)).toBe(must);
  });
}
