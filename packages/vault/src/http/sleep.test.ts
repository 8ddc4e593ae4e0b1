import { expect, test } from "bun:test";
import { sleep } from "./sleep.ts";

test("a moment that has passed is waited for without a warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  try {
    await sleep(-5, new AbortController().signal);
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", note);
  }
});
