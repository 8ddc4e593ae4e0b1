import { readlinkSync } from "node:fs";
import process from "node:process";
import {
  type BpfMap,
  type BpfObject,
  closeDescriptor,
  loadPrograms,
  openProcess,
  type SyscallError,
} from "@svc/kernel";
import { mechanisms } from "../events/event-layout.ts";
import { sumAt } from "./drop-counters.ts";
import { configBytes, observing } from "./monitor-config.ts";
import { REFUSING_PROGRAM } from "./monitor-programs.ts";
import { entryOfKill } from "./refused-calls.ts";

/** The behaviour of a mechanism of hooks on this kernel. */
export type HookState =
  /** A program was seen to run. */
  | { readonly kind: "fires" }
  /** It loads and attaches, and is never called: BPF LSM without `bpf` in lsm=. */
  | { readonly kind: "silent" }
  | { readonly kind: "refused"; readonly error: SyscallError; readonly log: string };

/** One that decides; tracing only looks. */
export type HookMechanism = "lsm" | "fmod_ret" | "override";

/**
 * Loads one program of a mechanism, makes a call that must run it, and looks whether it ran. No
 * process is protected during that, so nothing is reported. Helpers that the kernel may refuse are
 * left out.
 *
 * @throws SyscallError if nothing can be loaded at all.
 */
export function probeHooks(object: Uint8Array, mechanism: HookMechanism): HookState {
  const isOverride = mechanism === "override";
  const { object: loaded, refused } = loadPrograms(object, {
    programs: [isOverride ? REFUSING_PROGRAM : `ptrace_access_check_${mechanism}`],
    constants: { ".rodata.config": configBytes(observing) },
    ...(isOverride && { attach: attachToOne }),
  });
  try {
    const [refusal] = refused;
    if (refusal !== undefined) return { kind: "refused", error: refusal.error, log: refusal.log };
    if (isOverride) return { kind: refusesOwnCall(loaded.map("refusals")) ? "fires" : "silent" };
    return { kind: isCalled(loaded.map("hook_runs"), mechanism) ? "fires" : "silent" };
  } finally {
    loaded.close();
  }
}

/**
 * Makes a call that must run programs of a mechanism, and looks whether they ran.
 *
 * @param runs the object's map `hook_runs`
 */
export function isCalled(runs: BpfMap, mechanism: HookMechanism): boolean {
  // `enum svc_mechanism` counts from 1.
  const number = mechanisms.indexOf(mechanism) + 1;
  const before = sumAt(runs, number);
  if (mechanism === "override") askForNobody();
  else askForAccess();
  return sumAt(runs, number) > before;
}

/** Signal 0 tests whether a process exists: kill(2). */
function askForNobody(): void {
  process.kill(process.pid, 0);
}

/** Attaches to one call of the program's calls: the only one that no program makes by itself. */
function attachToOne(object: BpfObject, program: string): void {
  object.attachToFunction(program, entryOfKill());
}

/** Has the program refuse the next call of this thread's that it is attached to. */
function refusesOwnCall(refusals: BpfMap): boolean {
  const pidfd = openProcess(process.pid);
  const key = new Uint8Array(new Int32Array([pidfd]).buffer);
  try {
    refusals.update(key, Uint8Array.of(1, 0, 0, 0));
    askForNobody();
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  } finally {
    closeDescriptor(pidfd);
  }
}

/**
 * Reading these links asks for the right to look into the process: proc_pid_cwd(5). One of them is
 * not this one.
 */
function askForAccess(): void {
  for (const pid of [process.ppid, 1, 2]) {
    try {
      readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      // To be refused is to have asked.
    }
  }
}
