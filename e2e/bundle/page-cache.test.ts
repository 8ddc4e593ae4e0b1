import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { setStage } from "../harness/wrapper/stage.ts";
import { makeApplication } from "./application.ts";
import { emptyRoot, muslRoot } from "./roots.ts";
import { inRoot, type RootRun, startInRoot } from "./run-in-root.ts";

const TIMEOUT_MS = 180_000;
const { environment, at } = setStage();

inRoot(
  "two containers with the same bundle share its pages",
  async () => {
    const roots = [emptyRoot(at("scratch")), muslRoot(at("musl"))];
    const runs: RootRun[] = [];
    await using stack = new AsyncDisposableStack();
    for (const [index, root] of roots.entries()) {
      const app = makeApplication(at(`app ${index}`), root);
      const words = ["--", "/opt/app/tells", "-w"];
      const launch = { root: root.path, app, words, environment };
      runs.push(stack.use(await startInRoot({ ...launch, options: ["-t"] })));
    }
    for (const run of runs) await run.prints("DB_PASSWORD=");
    for (const run of runs) {
      const { fileRss, filePss, privateClean } = memoryOf(await run.pid());
      expect(fileRss).toBeGreaterThan(1000);
      // Half of each page is theirs and half is ours.
      expect(filePss / fileRss).toBeLessThan(0.6);
      expect(privateClean).toBeLessThan(4096);
    }
  },
  TIMEOUT_MS,
);

/** Sizes in kB of the mappings of files; proc_pid_smaps(5). */
function memoryOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]);
  return {
    fileRss: field("Rss") - field("Anonymous"),
    filePss: field("Pss_File"),
    privateClean: field("Private_Clean"),
  };
}
