import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import {
  closeDescriptor,
  hasWriters,
  openForReading,
  openInRoot,
  SyscallError,
  sha256OfFile,
} from "@svc/kernel";
import type { Machine } from "../runtimes/find-runtimes.ts";
import { kernelIdentity } from "../runtimes/kernel-identity.ts";
import type { ExecutableFacts } from "./compile-policies.ts";
import { fileSystemOf } from "./file-system.ts";

/** The result of a look at an executable. */
export type FoundExecutable =
  | { readonly kind: "file"; readonly facts: ExecutableFacts }
  | { readonly kind: "unusable"; readonly reason: string };

/** A descriptor that keeps the file from giving its numbers to another one. */
interface Known {
  readonly named: number;
  readonly facts: ExecutableFacts;
}

/**
 * A change time has the moment of the last tick of the clock, or the last even second. A file that
 * was changed so long ago gets another change time by the next change.
 */
export const SETTLED_MS = 2000;
const MOST_BYTES = 1024 ** 3;
const ELF_MAGIC = Buffer.from("\x7fELF");

/**
 * Finds executables by their paths, and takes the digest of one again when it has changed. It keeps
 * each file open: a file that is deleted, or whose file system is unmounted, does not give its
 * numbers to another one meanwhile.
 */
export class ExecutableReader implements Disposable {
  readonly #machine: Machine;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(machine: Machine, now: () => number = Date.now) {
    this.#machine = machine;
    this.#now = now;
  }

  /** The file at a path of the machine. Unusable is also one that changes while it is read. */
  read(path: string): FoundExecutable {
    const before = this.#known.get(path);
    let found: Known | string;
    try {
      found = this.#look(path, before);
    } catch (error) {
      found = reasonOf(error);
    }
    if (before !== undefined && found !== before) this.#forget(path, before);
    if (typeof found === "string") return { kind: "unusable", reason: found };
    this.#known.set(path, found);
    return { kind: "file", facts: found.facts };
  }

  /** Closes the files at other paths. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const [path, known] of [...this.#known]) {
      if (!paths.has(path)) this.#forget(path, known);
    }
  }

  [Symbol.dispose](): void {
    this.keepOnly(new Set());
  }

  #forget(path: string, known: Known): void {
    this.#known.delete(path);
    closeDescriptor(known.named);
  }

  /**
   * The known file if it is still there, else the file that is there now, or the reason for none.
   */
  #look(path: string, before: Known | undefined): Known | string {
    const named = this.#open(path);
    let result: Known | string = "";
    try {
      const status = statusOf(named, this.#machine);
      if (typeof status === "string") return status;
      if (before !== undefined && areSame(before.facts, status)) return before;
      const facts = this.#digest(named, status);
      result = typeof facts === "string" ? facts : { named, facts };
      return result;
    } finally {
      if (typeof result === "string") closeDescriptor(named);
    }
  }

  #open(path: string): number {
    const root = openForReading(this.#machine.root);
    try {
      return openInRoot(root, path);
    } finally {
      closeDescriptor(root);
    }
  }

  #digest(named: number, before: Status): ExecutableFacts | string {
    const age = this.#now() - Number(before.changedNs / 1_000_000n);
    if (age < 0) return "its change time is in the future";
    if (age < SETTLED_MS) return `it was changed less than ${SETTLED_MS / 1000} s ago`;
    if (before.size > MOST_BYTES) return `it has ${before.size} bytes, more than ${MOST_BYTES}`;
    const fd = openSync(`/proc/self/fd/${named}`, "r");
    try {
      if (hasWriters(fd)) return "a process has it open for writing";
      if (!isElf(fd)) return "not an ELF file: of a script the kernel runs the interpreter";
      const sha256 = sha256OfFile(fd);
      const after = statusOf(named, this.#machine);
      if (typeof after === "string" || !areSame(before, after)) return "it changes";
      return { ...after, sha256 };
    } finally {
      closeSync(fd);
    }
  }
}

type Status = Omit<ExecutableFacts, "sha256">;

/** The numbers that stand for the content of a file, or the reason for none. */
function statusOf(fd: number, { mountinfo }: Machine): Status | string {
  const status = fstatSync(fd, { bigint: true });
  // A device or a pipe would be read for ever.
  if (!status.isFile()) return "not a regular file";
  const fdinfo = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
  const texts = { fdinfo, mountinfo: readFileSync(mountinfo, "utf8") };
  const identity = kernelIdentity(texts, status.ino);
  const fileSystem = fileSystemOf(texts);
  if (identity === undefined || fileSystem === undefined) return "its mount is not the machine's";
  if (!fileSystem.holdsFiles) return `its file system, ${fileSystem.type}, does not hold a digest`;
  return { ...identity, size: status.size, changedNs: status.ctimeNs };
}

function isElf(fd: number): boolean {
  const start = Buffer.alloc(ELF_MAGIC.length);
  return readSync(fd, start, 0, start.length, 0) === start.length && start.equals(ELF_MAGIC);
}

function areSame(one: Status, other: Status): boolean {
  return (
    one.inode === other.inode &&
    one.device === other.device &&
    one.size === other.size &&
    one.changedNs === other.changedNs
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof SyscallError) return reasons[error.code] ?? error.message;
  return error instanceof Error ? error.message : typeof error;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "it may not be looked at: root has to own it",
  EINVAL: "the kernel grants no lease on it (fs.leases-enable)",
};
