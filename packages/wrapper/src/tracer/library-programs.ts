import { fileStamp } from "@svc/kernel";
import { importsLibrary } from "../program/go-build-info.ts";
import { executedFile } from "./executed-file.ts";
import type { RegisterLayout } from "./register-layout.ts";

const MOST = 256;

/** Tells programs that use the Go library; each file is read once. */
export class LibraryPrograms {
  readonly #layout: RegisterLayout;
  readonly #byStamp = new Map<string, boolean>();

  constructor(layout: RegisterLayout) {
    this.#layout = layout;
  }

  /** Whether a process that stands in the exec event executes such a program. */
  executes(pid: number): boolean {
    const link = `/proc/${pid}/exe`;
    const stamp = stampOf(link);
    if (stamp !== undefined) return this.#isLibrary(link, stamp);
    const file = executedFile(pid, this.#layout);
    return file !== undefined && importsLibrary(file);
  }

  #isLibrary(path: string, stamp: string): boolean {
    const known = this.#byStamp.get(stamp);
    if (known !== undefined) return known;
    const found = importsLibrary(new TextEncoder().encode(path));
    if (this.#byStamp.size >= MOST) this.#byStamp.clear();
    this.#byStamp.set(stamp, found);
    return found;
  }
}

/** Undefined if the file is out of reach. */
function stampOf(path: string): string | undefined {
  try {
    return fileStamp(path);
  } catch {
    return undefined;
  }
}
