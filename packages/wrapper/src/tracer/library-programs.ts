import { fileStamp } from "@svc/kernel";
import { importsLibrary } from "../program/go-build-info.ts";

const MOST = 256;

/** Tells programs that use the Go library; each file is read once. */
export class LibraryPrograms {
  readonly #byStamp = new Map<string, boolean>();

  has(file: Uint8Array): boolean {
    const stamp = stampOf(file);
    if (stamp === undefined) return false;
    const known = this.#byStamp.get(stamp);
    if (known !== undefined) return known;
    const found = importsLibrary(file);
    if (this.#byStamp.size >= MOST) this.#byStamp.clear();
    this.#byStamp.set(stamp, found);
    return found;
  }
}

/** Undefined where the file is out of reach. */
function stampOf(file: Uint8Array): string | undefined {
  try {
    return fileStamp(new TextDecoder().decode(file));
  } catch {
    return undefined;
  }
}
