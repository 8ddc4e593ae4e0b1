import { CallError } from "./call-error.ts";
import { Fault } from "./memory.ts";
import { linkOf, type Place, placeAt } from "./proc-files.ts";
import type { MachineState } from "./state.ts";

const ENOENT = 2;
const EIO = 5;
const EBADF = 9;
const EACCES = 13;
const EINVAL = 22;
const ENODATA = 61;
const AT_EMPTY_PATH = 0x1000;
const FIRST_FD = 800_000;
const ST_NOSUID = 2;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const READ = 0o444;

/** The open files of this process. */
export class OpenFiles {
  readonly #state: MachineState;
  readonly #open = new Map<number, { readonly place: Place; listed: number }>();
  #next = FIRST_FD;

  constructor(state: MachineState) {
    this.#state = state;
  }

  /** How many are open. */
  get count(): number {
    return this.#open.size;
  }

  open(path: string): number {
    const place = placeAt(this.#state, path);
    const mode = place.kind === "file" && place.path !== undefined ? this.#mode(place.path) : READ;
    if ((mode & READ) === 0) throw new CallError(EACCES);
    this.#next += 1;
    this.#open.set(this.#next, { place, listed: 0 });
    return this.#next;
  }

  /** False if the machine has no such descriptor. */
  close(fd: number): boolean {
    return this.#open.delete(fd);
  }

  read(fd: number, bytes: Uint8Array, position: number): number {
    const { place } = this.#file(fd);
    if (place.kind === "folder") throw new CallError(EINVAL);
    if (place.kind === "file") {
      const found = place.contents.subarray(position, position + bytes.length);
      bytes.set(found);
      return found.length;
    }
    if (place.process.end !== undefined) return 0;
    // A page at a time, as a read that ends early.
    const length = Math.min(bytes.length, 4096);
    return inMemory(() => {
      bytes.set(place.process.memory.read(position, length));
      return length;
    });
  }

  write(fd: number, bytes: Uint8Array, position: number): number {
    const { place } = this.#file(fd);
    if (place.kind !== "memory") throw new CallError(EBADF);
    if (!this.#state.isMemoryWritable) throw new CallError(EIO);
    if (place.process.end !== undefined) throw new CallError(EIO);
    return inMemory(() => {
      place.process.memory.write(position, bytes);
      return bytes.length;
    });
  }

  /** getdents64(2). */
  list(fd: number, bytes: Uint8Array): number {
    const file = this.#file(fd);
    if (file.place.kind !== "folder") throw new CallError(EINVAL);
    let at = 0;
    for (const name of [".", "..", ...file.place.names].slice(file.listed)) {
      const text = new TextEncoder().encode(`${name}\0`);
      const length = Math.ceil((19 + text.length) / 8) * 8;
      // As many as there is room for: the next call goes on.
      if (at + length > bytes.length) break;
      file.listed += 1;
      new DataView(bytes.buffer, bytes.byteOffset).setUint16(at + 16, length, true);
      bytes.set(text, at + 19);
      at += length;
    }
    return at;
  }

  readLink(path: string): string {
    const state = this.#state;
    if (path === "/proc/self") {
      if (state.procShows === undefined) throw new CallError(ENOENT);
      return state.procShows;
    }
    const [, pid] = /^\/proc\/(\d+)\/exe$/.exec(path) ?? [];
    const process = state.processes.get(Number(pid));
    if (process === undefined) throw new CallError(ENOENT);
    return linkOf(process);
  }

  /** statx(2). */
  status(fd: number, path: string, flags: number, bytes: Uint8Array): void {
    const isOpen = path === "" && (flags & AT_EMPTY_PATH) !== 0;
    const place = isOpen ? this.#file(fd).place : placeAt(this.#state, path);
    const file = place.kind === "file" ? this.#state.files.get(place.path ?? "") : undefined;
    const kind = place.kind === "folder" ? S_IFDIR : S_IFREG;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    view.setUint32(20, file?.uid ?? 0, true);
    view.setUint32(24, file?.gid ?? 0, true);
    view.setUint16(28, kind | (file?.mode ?? READ), true);
    view.setBigUint64(32, BigInt(file?.inode ?? 1), true);
    view.setBigUint64(40, BigInt(file?.contents.length ?? 0), true);
  }

  /** getxattr(2) of the capabilities. */
  capabilities(path: string): number {
    if (this.#fileAt(path)?.hasCapabilities !== true) throw new CallError(ENODATA);
    return 20;
  }

  /** statvfs(3). */
  fileSystem(path: string, bytes: Uint8Array): void {
    const flag = this.#fileAt(path)?.isWithoutPrivileges === true ? ST_NOSUID : 0;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(72, flag, true);
  }

  #fileAt(path: string) {
    const place = placeAt(this.#state, path);
    return place.kind === "file" ? this.#state.files.get(place.path ?? "") : undefined;
  }

  #mode(path: string): number {
    return this.#state.files.get(path)?.mode ?? READ;
  }

  #file(fd: number) {
    const file = this.#open.get(fd);
    if (file === undefined) throw new CallError(EBADF);
    return file;
  }
}

function inMemory(access: () => number): number {
  try {
    return access();
  } catch (error) {
    if (error instanceof Fault) throw new CallError(EIO);
    throw error;
  }
}
