import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { programSettings } from "@svc/agent/reference";
import { type AgentStage, startAgentStage } from "../harness/agent/agent-stage.ts";

let stage: AgentStage;

beforeAll(() => {
  stage = startAgentStage({ watchNode: true });
});
afterAll(() => stage[Symbol.dispose]());

/** Folders with settings of the kernel; those of devices and of tracing name no program. */
const roots = ["/proc/sys", "/sys/kernel", "/sys/module", "/sys/fs/cgroup"];
const others = new Set(["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/btf"]);
/** Paths of other things: the folder of firmware. */
const noPrograms = ["/sys/module/firmware_class/parameters/path"];
/** A path, or a path behind the sign for a pipe, as in core_pattern. */
const program = /^\|?\/\S/;
const telling = /(?:helper|agent|modprobe|hotplug|_cmd|_prog)$/;

const settings = roots.flatMap((root) => [...settingsBelow(root)]);

test("each setting of this kernel that names a program is in the list", () => {
  expect(settings.length).toBeGreaterThan(500);
  const missing = settings.filter((path) => namesProgram(path) && !isListed(path));
  expect(missing).toEqual([]);
});

test("each listed setting that this kernel has is an attempt when it is opened to be written", () => {
  const listed = settings.filter(isListed);
  expect(listed).toContain("/proc/sys/kernel/core_pattern");
  stage.violations();
  for (const path of listed) closeSync(openSync(path, "a"));
  const told = stage.violations().flatMap((event) => ("file" in event ? [event.file] : []));
  const events = new Set(listed.map((path) => listedAs(path)?.event));
  expect(new Set<string | undefined>(told)).toEqual(new Set<string | undefined>(events));
});

function* settingsBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !others.has(path)) yield* settingsBelow(path);
    else if (entry.isFile() && isReadAndWritten(path)) yield path;
  }
}

/** A file that only takes commands has no text to look at. */
function isReadAndWritten(path: string): boolean {
  try {
    const { mode } = statSync(path);
    return (mode & 0o400) !== 0 && (mode & 0o200) !== 0;
  } catch {
    // The folder of a process or of a group that has ended.
    return false;
  }
}

function namesProgram(path: string): boolean {
  if (noPrograms.includes(path)) return false;
  if (telling.test(path)) return true;
  try {
    return program.test(readFileSync(path, "latin1"));
  } catch {
    return false;
  }
}

function isListed(path: string): boolean {
  return listedAs(path) !== undefined;
}

function listedAs(path: string) {
  const file = basename(path);
  const folder = basename(dirname(path));
  return programSettings.find(
    (each) =>
      (each.file === undefined ? folder === each.event : each.file === file) &&
      (each.folder === undefined || each.folder === folder),
  );
}
