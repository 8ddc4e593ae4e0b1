import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoryOf } from "../../e2e/harness/processes/leak-search.ts";
import { addCopies, type Canaries, type Copies, countCopies, noCopies } from "./count-copies.ts";
import type { TreeProcess } from "./process-tree.ts";

/** The copies of one run and their places, while the application had its value and waited. */
export interface Found {
  /** Processes beside the application. */
  readonly processes: number;
  /** In the memory of those. */
  readonly tool: Copies;
  /** In the memory of the application, its initial environment included. */
  readonly application: Copies;
  /** In the application's /proc/PID/environ. */
  readonly environ: Copies;
  /** In command lines and auxiliary vectors of all processes. */
  readonly commandLines: Copies;
  /** In files that were written, and in files that a process has open. */
  readonly files: Copies;
}

/** The places of the search. */
export interface Scene {
  readonly tree: readonly TreeProcess[];
  /** The executable of the application. */
  readonly application: string;
  /** The folders with written files. */
  readonly folder: string;
  /** Files that were there before: the token that all programs got. */
  readonly given: readonly string[];
}

/** Counts the copies of value and token in everything of the processes that root can read. */
export function searchTree(scene: Scene, canaries: Canaries): Found {
  const tools = scene.tree.filter(({ executable }) => executable !== scene.application);
  const applications = scene.tree.filter(({ executable }) => executable === scene.application);
  const [application] = applications;
  if (application === undefined || applications.length > 1) {
    throw new Error(`find the application: ${applications.length} processes are it`);
  }
  const inMemory = ({ pid }: TreeProcess) => countCopies(memoryOf(pid), canaries);
  const inFiles = (paths: readonly string[]) => countCopies(paths.flatMap(contentOf), canaries);
  const proc = (name: string) => scene.tree.map(({ pid }) => `/proc/${pid}/${name}`);
  return {
    processes: tools.length,
    tool: tools.map(inMemory).reduce(addCopies, noCopies),
    application: inMemory(application),
    environ: inFiles([`/proc/${application.pid}/environ`]),
    commandLines: inFiles([...proc("cmdline"), ...proc("auxv")]),
    files: inFiles(filesOf(scene)),
  };
}

/** Each file once, by any name: written ones and open ones, deleted ones and memfds included. */
function filesOf({ tree, folder, given }: Scene): readonly string[] {
  const written = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const open = tree.flatMap(({ pid }) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`),
  );
  const files = new Map(
    [...written.map((name) => join(folder, name)), ...open].flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[identity, path] as const];
    }),
  );
  for (const path of given) files.delete(identityOf(path) ?? "");
  return [...files.values()];
}

/** Device and inode; undefined for other things than files: a pipe would block. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, isFile } = describe(path);
    return isFile ? `${dev}:${ino}` : undefined;
  } catch {
    return undefined;
  }
}

function describe(path: string) {
  const stats = statSync(path, { bigint: true });
  return { dev: stats.dev, ino: stats.ino, isFile: stats.isFile() };
}

function contentOf(path: string): readonly Buffer[] {
  try {
    return [readFileSync(path)];
  } catch {
    // memfd_secret cannot be opened again; other processes cannot read it either.
    return [];
  }
}
