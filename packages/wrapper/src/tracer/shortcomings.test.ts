import { expect, test } from "bun:test";
import { processId } from "@svc/kernel";
import { Shortcomings } from "./shortcomings.ts";

test("every program with plain values counts, and each file is reported once", () => {
  const lines: { readonly message: string; readonly fields: unknown }[] = [];
  let counted = 0;
  const warn = (message: string, fields: unknown) => void lines.push({ message, fields });
  const shortcomings = new Shortcomings({ warn }, () => {
    counted += 1;
  });
  const pid = processId();
  shortcomings.note("foreign", pid);
  shortcomings.note("foreign", pid);
  shortcomings.note("traced by another", pid);
  expect([shortcomings.count, counted]).toEqual([3, 3]);
  expect(lines).toHaveLength(2);
  expect(lines[0]?.message).toContain("32 bits");
  expect(lines[0]?.fields).toMatchObject({ pid, program: expect.stringContaining("/") });
  const startedBy = expect.stringContaining("/");
  // Nothing traces this process: the name of process 0 cannot be read.
  expect(lines[1]?.fields).toEqual({ pid, startedBy, tracer: "unknown" });
});

test("a program that starts thousands of others does not fill the log", () => {
  let lines = 0;
  const warn = () => {
    lines += 1;
  };
  const shortcomings = new Shortcomings({ warn }, () => undefined);
  for (let pid = 1; pid <= 5000; pid += 1) shortcomings.note("no memory", -pid);
  expect(shortcomings.count).toBe(5000);
  expect(lines).toBeLessThanOrEqual(100);
});
