import { readlinkSync } from "node:fs";
import { loadPrograms, type SyscallError } from "@svc/kernel";
import { sumAt } from "./drop-counters.ts";
import { configBytes } from "./monitor-config.ts";

/** What a mechanism of hooks does on this kernel. */
export type HookState =
  /** A program was seen to run. */
  | { readonly kind: "fires" }
  /** It loads and attaches, and is never called: BPF LSM without `bpf` in lsm=. */
  | { readonly kind: "silent" }
  | { readonly kind: "refused"; readonly error: SyscallError; readonly log: string };

export type HookMechanism = "lsm" | "fmod_ret";

/** `enum svc_mechanism` of bpf/event.h. */
const numbers = { lsm: 1, fmod_ret: 2 } as const;

/**
 * Loads one program of a mechanism, does what must call it, and looks whether it was called.
 *
 * @throws SyscallError where nothing can be loaded at all.
 */
export function probeHooks(object: Uint8Array, mechanism: HookMechanism): HookState {
  const { object: loaded, refused } = loadPrograms(object, {
    programs: [`ptrace_access_check_${mechanism}`],
    constants: { ".rodata.config": configBytes(quiet) },
  });
  try {
    const [refusal] = refused;
    if (refusal !== undefined) return { kind: "refused", error: refusal.error, log: refusal.log };
    const runs = loaded.map("hook_runs");
    askForAccess();
    return { kind: sumAt(runs, numbers[mechanism]) > 0n ? "fires" : "silent" };
  } finally {
    loaded.close();
  }
}

/** Nobody is protected yet, so nothing is reported; every helper that may be refused is left out. */
const quiet = {
  watchTargets: false,
  watchNode: false,
  logAll: false,
  accessByCheck: false,
  readKernel: false,
};

/** Reading these links asks for the right to look into the process: proc_pid_cwd(5). One of them is not this one. */
function askForAccess(): void {
  for (const pid of [process.ppid, 1, 2]) {
    try {
      readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      // To be refused is to have asked.
    }
  }
}
