import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { releaseProgramPages } from "./release-program-pages.ts";

test("pages of the program are released, and come back", () => {
  const before = residentOfFiles();
  releaseProgramPages();
  expect(residentOfFiles()).toBeLessThan(before);
  expect(JSON.parse(JSON.stringify({ still: ["running"] }))).toEqual({ still: ["running"] });
});

/** Kilobytes of private mappings of files that are resident; proc_pid_smaps(5). */
function residentOfFiles(): number {
  let isOfFile = false;
  let total = 0;
  for (const line of readFileSync("/proc/self/smaps", "latin1").split("\n")) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isOfFile = / r-[x-]p .* \//.test(line);
    if (isOfFile && line.startsWith("Rss:")) total += Number(/\d+/.exec(line)?.[0]);
  }
  return total;
}
