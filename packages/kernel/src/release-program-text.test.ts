import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { releaseProgramText } from "./release-program-text.ts";

test("program text is let go, and comes back", () => {
  const before = residentText();
  releaseProgramText();
  expect(residentText()).toBeLessThan(before);
  expect(JSON.parse(JSON.stringify({ still: ["running"] }))).toEqual({ still: ["running"] });
});

/** Kilobytes of executable mappings that are resident; proc_pid_smaps(5). */
function residentText(): number {
  let isText = false;
  let total = 0;
  for (const line of readFileSync("/proc/self/smaps", "latin1").split("\n")) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isText = line.includes(" r-xp ");
    if (isText && line.startsWith("Rss:")) total += Number(/\d+/.exec(line)?.[0]);
  }
  return total;
}
