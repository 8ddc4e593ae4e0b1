import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { closeDescriptor, openForReading, openInRoot, sha256OfFile } from "@svc/kernel";
import type { Machine } from "../runtimes/find-runtimes.ts";
import { kernelIdentity } from "../runtimes/kernel-identity.ts";
import type { ExecutableFacts } from "./compile-policies.ts";

/** Finds executables by their paths, and takes the digest of one again when it has changed. */
export class ExecutableReader {
  readonly #machine: Machine;
  #known = new Map<string, ExecutableFacts>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** The file at a path of the machine; undefined where it cannot be read, or changes while it is. */
  read(path: string): ExecutableFacts | undefined {
    try {
      return this.#read(path);
    } catch {
      return undefined;
    }
  }

  #read(path: string): ExecutableFacts | undefined {
    const root = openForReading(this.#machine.root);
    let named: number | undefined;
    try {
      named = openInRoot(root, path);
      return this.#digested(path, named);
    } finally {
      if (named !== undefined) closeDescriptor(named);
      closeDescriptor(root);
    }
  }

  #digested(path: string, named: number): ExecutableFacts | undefined {
    const before = factsOf(named, this.#machine);
    if (before === undefined) return undefined;
    const known = this.#known.get(path);
    if (known !== undefined && areSame(known, before)) return known;
    const fd = openSync(`/proc/self/fd/${named}`, "r");
    try {
      const sha256 = sha256OfFile(fd);
      const after = factsOf(named, this.#machine);
      if (after === undefined || !areSame(before, after)) return undefined;
      const facts = { ...after, sha256 };
      this.#known.set(path, facts);
      return facts;
    } finally {
      closeSync(fd);
    }
  }
}

type Status = Omit<ExecutableFacts, "sha256">;

function factsOf(fd: number, { mountinfo }: Machine): Status | undefined {
  const status = fstatSync(fd, { bigint: true });
  // A device or a pipe would be read for ever.
  if (!status.isFile()) return undefined;
  const fdinfo = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
  const texts = { fdinfo, mountinfo: readFileSync(mountinfo, "utf8") };
  const identity = kernelIdentity(texts, status.ino);
  return identity && { ...identity, size: status.size, changedNs: status.ctimeNs };
}

function areSame(one: Status, other: Status): boolean {
  return (
    one.inode === other.inode &&
    one.device === other.device &&
    one.size === other.size &&
    one.changedNs === other.changedNs
  );
}
