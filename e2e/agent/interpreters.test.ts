import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";
import { agentProgram } from "./agent-programs.ts";

// A format goes by the end of a file's name, which only these tests use.
const FORMATS = "/proc/sys/fs/binfmt_misc";
const own = `svc-test-${process.pid}`;
const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const interpreter = agentProgram("tells-its-value");
const wasMounted = existsSync(join(FORMATS, "register"));
let agent: RunningAgent;

beforeAll(async () => {
  if (!wasMounted) run("mount", "-t", "binfmt_misc", "binfmt_misc", FORMATS);
  put("script", "#! \t/bin/sh -e\necho ordinary\n");
  put("by-env", "#!/usr/bin/env sh\necho ordinary\n");
  put("by-script", `#!${at("script")}\n`);
  put("chain", `#!${interpreter}\n`);
  put(`file.${own}`, "#!/bin/sh\necho ordinary\n");
  put(`file.${own}-chain`, "#!/bin/sh\necho ordinary\n");
  register(own, interpreter);
  register(`${own}-chain`, at("chain"));
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true" });
});
afterAll(async () => {
  // This process is a wrapper to the agent, which stops it from changing formats.
  await agent[Symbol.asyncDispose]();
  for (const name of [own, `${own}-chain`]) writeFileSync(join(FORMATS, name), "-1");
  if (!wasMounted) run("umount", FORMATS);
  folder[Symbol.dispose]();
});

test("a script runs by the interpreter that its first line names", async () => {
  const { printed } = await startInProgram(
    [at("script"), at("by-env"), at("by-script"), "/bin/echo plain"].join("; "),
  );
  expect(printed).toBe("ordinary\nordinary\nordinary\nplain\n");
});

for (const [way, command] of [
  ["in place of a program", `./file.${own}`],
  ["by a script that the format names", `./file.${own}-chain`],
  ["in place of the process itself", `exec ./file.${own}`],
  ["by a descriptor", `exec 5<./file.${own}; exec /proc/self/fd/5`],
] as const) {
  // A descriptor's name has no end that a format goes by.
  const isTaken = way !== "by a descriptor";
  test(`an interpreter of binfmt_misc ${way} ${isTaken ? "gets no value" : "is not asked for"}`, async () => {
    const { printed, pid } = await startInProgram(`cd ${folder.path}; ${command}`);
    expect(printed).toBe(isTaken ? "" : "ordinary\n");
    const isTold = () => agent.records().some(isAbout(pid));
    if (!isTaken) return expect(isTold()).toBe(false);
    await waitFor(isTold, { deadlineMs: 20_000, what: `word of ${way}` });
    const told = agent.records().find(isAbout(pid));
    expect(told).toMatchObject({ kind: "loader", by: "interpreter" });
    expect(["killed", "blocked"]).toContain(String(told?.["decision"]));
  });
}

/** Has a registered shell run it. */
async function startInProgram(command: string) {
  const shell = Bun.spawn(["/bin/sh"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { VALUE: "a value", PATH: "/usr/bin:/bin" },
  });
  await agent.protect(shell.pid);
  shell.stdin.write(`${command}\n`);
  shell.stdin.end();
  return { printed: await shell.stdout.text(), pid: shell.pid };
}

/** The shell itself, or its child. */
function isAbout(pid: number) {
  return (record: Readonly<Record<string, unknown>>): boolean => {
    const { actor } = record as { readonly actor?: { pid?: number; parentPid?: number } };
    return record["kind"] === "loader" && (actor?.pid === pid || actor?.parentPid === pid);
  };
}

function put(name: string, text: string): void {
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
}

function register(end: string, path: string): void {
  writeFileSync(join(FORMATS, "register"), `:${end}:E::${end}::${path}:`);
  expect(readFileSync(join(FORMATS, end), "utf8")).toContain(path);
}

function run(...words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...words]);
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
}
