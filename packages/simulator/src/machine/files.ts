import { KernelError } from "./errors.ts";
import { type FileKind, Inode } from "./inode.ts";
import { type Processes, processFile } from "./proc-files.ts";
import type { Process } from "./process.ts";

const FIRST_NUMBER = 100;

/** The parts of a machine that files show. */
interface Shown extends Processes {
  readonly nowUs: number;
}

/** The files of a machine, by absolute paths, and those of /proc. */
export class Files {
  readonly #machine: Shown;
  readonly #inodes = new Map<string, Inode>();
  #lastNumber = FIRST_NUMBER;

  constructor(machine: Shown) {
    this.#machine = machine;
    for (const path of ["/", "/dev", "/tmp", "/run", "/etc", "/proc"]) this.add(path, "directory");
    this.add("/dev/null", "device");
  }

  newNumber(): number {
    return this.#lastNumber++;
  }

  add(path: string, kind: FileKind, more: ConstructorParameters<typeof Inode>[3] = {}): Inode {
    const inode = new Inode(this.newNumber(), path, kind, {
      changedUs: this.#machine.nowUs,
      ...more,
    });
    this.#inodes.set(path, inode);
    return inode;
  }

  /** The names in a directory. */
  namesIn(folder: string): readonly string[] {
    if (folder === "/proc") return [...this.#machine.processes.keys()].map(String);
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const inside = [...this.#inodes.keys()].filter((path) => path.startsWith(prefix));
    return inside.map((path) => path.slice(prefix.length)).filter((name) => !name.includes("/"));
  }

  has(path: string): boolean {
    return this.#inodes.has(path);
  }

  remove(path: string): void {
    this.#inodes.delete(path);
  }

  /**
   * The file that a path leads a process to.
   * @throws KernelError `ENOENT`
   */
  find(path: string, process: Process): Inode {
    const inode = this.#inodes.get(path) ?? this.#processFile(path, process);
    if (inode === undefined) throw new KernelError("ENOENT");
    return inode;
  }

  #processFile(path: string, process: Process): Inode | undefined {
    if (!path.startsWith("/proc/")) return undefined;
    return processFile(this.#machine, process, path.slice("/proc/".length), this.newNumber());
  }
}
