import { describe, expect, test } from "bun:test";
import { environmentStart, SyscallError } from "@svc/kernel";
import { waitFor } from "@svc/testing";
import { recordingMarks } from "../testdata/recording-marks.ts";
import { childrenOf } from "./find-descendant.ts";
import type { KnownRegistration, NotedProcess } from "./ledger-text.ts";
import { readProcess } from "./process-facts.ts";
import { Registry } from "./registry.ts";
import { restoreMarks } from "./restore-marks.ts";

/** A program that waits, and its child, as an earlier agent has noted the program. */
interface Program extends AsyncDisposable {
  readonly noted: NotedProcess;
  readonly child: number;
}

async function startProgram(): Promise<Program> {
  const program = Bun.spawn(["sh", "-c", "sleep 60 & wait"], { stdio: ["ignore", "pipe", "pipe"] });
  const child = await waitFor(() => childrenOf(program.pid)[0], {
    ...{ deadlineMs: 60_000, what: "its child" },
  });
  return {
    noted: { ...identityOf(program.pid), bareEnvironment: environmentStart(program.pid) },
    child,
    [Symbol.asyncDispose]: async () => {
      for (const pid of [child, program.pid]) process.kill(pid, "SIGKILL");
      await program.exited;
    },
  };
}

function identityOf(pid: number) {
  return { pid, startTicks: readProcess(pid)?.startTicks ?? 0 };
}

const self = identityOf(process.pid);

/** The marks, with the processes of faults. */
function restored(known: readonly KnownRegistration[], marks = recordingMarks()) {
  const ledger = { known, note: () => undefined, tidy: () => undefined };
  const faults: number[] = [];
  restoreMarks({ marks, registry: new Registry({ ledger }) }, known, ({ pid }) => faults.push(pid));
  const { protections, owners, bare } = marks;
  return { protections, owners, bare, faults };
}

describe("after the marks of an earlier agent are restored", () => {
  test("wrappers own, and programs are protected with their children", async () => {
    await using program = await startProgram();
    const { noted, child } = program;
    expect(restored([{ registration: 7n, wrapper: self, processes: [noted] }])).toEqual({
      protections: new Map([noted.pid, child].map((pid) => [pid, 7n])),
      owners: new Map([[self.pid, 7n]]),
      bare: new Set([noted.pid]),
      faults: [],
    });
  });

  test("an environment that is elsewhere by now may hold values", async () => {
    await using program = await startProgram();
    const elsewhere = { ...program.noted, bareEnvironment: program.noted.bareEnvironment + 1n };
    const { protections, bare } = restored([
      { registration: 7n, wrapper: self, processes: [elsewhere] },
    ]);
    expect(protections.get(elsewhere.pid)).toBe(7n);
    expect([...bare]).toEqual([]);
  });

  test("another process of the same number has no mark", async () => {
    await using program = await startProgram();
    const other = { ...program.noted, startTicks: program.noted.startTicks + 1 };
    const wrapper = { ...self, startTicks: self.startTicks + 1 };
    const { protections, owners } = restored([{ registration: 7n, wrapper, processes: [other] }]);
    expect([...protections, ...owners]).toEqual([]);
  });

  test("marks that the kernel still has are unchanged", async () => {
    await using program = await startProgram();
    const { noted, child } = program;
    const known = [{ registration: 7n, wrapper: self, processes: [noted] }];
    const marks = recordingMarks();
    restored([{ ...known[0], registration: 5n } as KnownRegistration], marks);
    const { protections, owners } = restored(known, marks);
    expect([...protections]).toEqual([noted.pid, child].map((pid) => [pid, 5n]));
    expect([...owners]).toEqual([[self.pid, 5n]]);
  });

  test("a wrapper that the kernel knows as a program owns nothing", async () => {
    await using program = await startProgram();
    const wrapper = identityOf(program.child);
    const marks = recordingMarks();
    restored([{ registration: 5n, wrapper: self, processes: [program.noted] }], marks);
    const { owners } = restored([{ registration: 7n, wrapper, processes: [] }], marks);
    expect([...owners.keys()]).toEqual([self.pid]);
  });

  test("a wrapper in a program has its own registration, and its program as well", async () => {
    await using program = await startProgram();
    const { noted, child } = program;
    const nested = identityOf(child);
    const { protections, owners } = restored([
      { registration: 7n, wrapper: self, processes: [noted, { ...nested, bareEnvironment: 0n }] },
      { registration: 8n, wrapper: nested, processes: [] },
    ]);
    expect([...protections]).toEqual([[noted.pid, 7n]]);
    expect(owners.get(child)).toBe(8n);
  });
});

test("a process that the kernel takes no mark of is reported, and the others are restored", async () => {
  await using program = await startProgram();
  const marks = recordingMarks();
  const own = () => {
    throw new SyscallError("bpf", 7);
  };
  const { protections, faults } = restored(
    [{ registration: 7n, wrapper: self, processes: [program.noted] }],
    { ...marks, own },
  );
  expect(faults).toEqual([self.pid]);
  expect(protections.get(program.noted.pid)).toBe(7n);
});
