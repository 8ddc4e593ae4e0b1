import {
  closeDescriptor,
  environmentEntries,
  fileOwnership,
  isDumpable,
  openForReading,
  processStatus,
  readAt,
  readWholeFile,
  type SecretMemoryKind,
  SyscallError,
  viewOfProc,
} from "@svc/kernel";
import type { DeliveryMethod } from "@svc/settings";
import { deliveryTraits, showsValues } from "../program/delivery-traits.ts";
import { loginFacts, type VaultAuth } from "../settings/vault-auth.ts";
import { dumpsStack } from "./core-dumps.ts";
import { measureCpu } from "./cpu-vulnerabilities.ts";
import type {
  DumpableFinding,
  EnvironFinding,
  MeasuredFacts,
  TokenFinding,
  Unmeasured,
  ValuesFinding,
} from "./protection-facts.ts";
import { findRegion } from "./region-mapping.ts";
import { valuesInEnviron } from "./values-in-environ.ts";

const TOKEN_VARIABLE = "VAULT_TOKEN";
const CHUNK_BYTES = 64 * 1024;
const MAX_ENVIRON_BYTES = 16 * 1024 * 1024;
const MAX_TEXT_BYTES = 64 * 1024;
const ROOT = 0;
/** /proc never has such a process: nothing is measured. */
const NOT_SHOWN = -1;

/** The known facts about a program before the measurement. */
export interface MeasuredProgram {
  readonly pid: number;
  readonly delivery: DeliveryMethod;
  readonly memory: SecretMemoryKind;
  readonly variables: readonly string[];
  readonly courierLocked: boolean;
  /**
   * True if the tracer has mapped the region in it, and locked it if the kernel does not do so
   * by itself.
   */
  readonly placed: boolean;
  readonly token: HeldToken;
}

/** The supervisor's facts about the vault's token. */
export interface HeldToken {
  readonly isHeld: boolean;
  readonly memory: SecretMemoryKind;
  /** Undefined without a vault. */
  readonly auth: VaultAuth | undefined;
}

/** Examines a running program and its surroundings. Takes a few milliseconds. */
export function measureProtection(given: MeasuredProgram): MeasuredFacts {
  // In another namespace's /proc the pid is that of a stranger.
  const program = viewOfProc().kind === "own" ? given : { ...given, pid: NOT_SHOWN };
  const { delivery, courierLocked, token } = program;
  return {
    delivery,
    courierLocked,
    values: measureValues(program),
    environ: measureEnviron(program),
    dumpable: measureDumpable(program.pid),
    token: measureToken(token),
    cpu: measureCpu(),
  };
}

function measureValues({ pid, delivery, memory, placed }: MeasuredProgram): ValuesFinding {
  if (showsValues(delivery))
    return attempt((): ValuesFinding => ({ kind: "stack", dumped: dumpsStackOf(pid) }));
  const found = attempt((): ValuesFinding => {
    const region = findRegion(linesOf(`/proc/${pid}/smaps`));
    return region === undefined ? notMapped(delivery, memory) : { kind: "region", ...region };
  });
  // /proc tells nothing about a program that has changed its user; the kernel's answers to the
  // tracer count.
  const isHidden = found.kind === "unmeasured" && placed;
  return isHidden ? { kind: "region", memory, locked: true, dumped: false } : found;
}

/** The library maps the region when the program opens it. */
function notMapped(delivery: DeliveryMethod, memory: SecretMemoryKind): ValuesFinding {
  if (deliveryTraits[delivery].isOpened) return { kind: "descriptor", memory };
  return { kind: "unmeasured", reason: "the program has no region mapped" };
}

function measureEnviron(program: MeasuredProgram): EnvironFinding {
  const { pid, delivery, variables, placed } = program;
  if (showsValues(delivery)) return { kind: "values", variables: variables.length };
  const found = attempt((): EnvironFinding => {
    const block = readWholeFile(`/proc/${pid}/environ`, MAX_ENVIRON_BYTES);
    const count = valuesInEnviron(block, variables);
    // Others' secrets may be in there.
    block.fill(0);
    return count === 0 ? { kind: "clean" } : { kind: "values", variables: count };
  });
  return found.kind === "unmeasured" && placed ? { kind: "clean" } : found;
}

/** Files of /proc/PID belong to root if the process is not dumpable; proc_pid(5). */
function measureDumpable(pid: number): DumpableFinding {
  return attempt(() => {
    const user = Number(processStatus(pid).get("Uid")?.split("\t")[1]);
    const owner = fileOwnership(new TextEncoder().encode(`/proc/${pid}/environ`))?.uid;
    if (user === ROOT) {
      return { kind: "unmeasured", reason: "it runs as root, whose /proc/PID tells nothing" };
    }
    return { kind: owner === user ? "yes" : "no" };
  });
}

function measureToken({ isHeld, memory, auth }: HeldToken): TokenFinding {
  if (loginFacts(auth).tokenPath !== undefined) {
    return { kind: "exposed", where: "it is in a file" };
  }
  if (environmentEntries().some(({ name }) => name === TOKEN_VARIABLE)) {
    return { kind: "exposed", where: "it is in the wrapper's environment" };
  }
  if (!isHeld) return { kind: "none" };
  if (isDumpable()) return { kind: "exposed", where: "the wrapper is dumpable" };
  if (memory !== "memfd_secret") return { kind: "exposed", where: "it is in ordinary memory" };
  return { kind: "protected" };
}

function dumpsStackOf(pid: number): boolean {
  return dumpsStack({
    filter: textOf(`/proc/${pid}/coredump_filter`),
    limits: textOf(`/proc/${pid}/limits`),
    pattern: textOf("/proc/sys/kernel/core_pattern"),
  });
}

function textOf(path: string): string {
  return new TextDecoder().decode(readWholeFile(path, MAX_TEXT_BYTES));
}

/** One piece at a time: the whole is a megabyte for a large program. */
function* linesOf(path: string): Generator<string> {
  const fd = openForReading(path);
  try {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const decoder = new TextDecoder();
    let rest = "";
    let count = buffer.length;
    for (let position = 0; count === buffer.length; position += count) {
      count = readAt(fd, buffer, position);
      const text = decoder.decode(buffer.subarray(0, count), { stream: true });
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    closeDescriptor(fd);
  }
}

/** It is not a defect of svc if the kernel hides a fact from the supervisor. */
function attempt<Finding>(measure: () => Finding): Finding | Unmeasured {
  try {
    return measure();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return { kind: "unmeasured", reason: error.message };
  }
}
