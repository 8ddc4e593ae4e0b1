import { chmodSync, lstatSync, mkdirSync, type Stats, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { closeDescriptor, listenAt, SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import { isAnswered } from "./is-answered.ts";

// Pods of any user connect; the kernel says who calls.
const SOCKET_MODE = 0o666;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** The kernel's own limit is net.core.somaxconn. */
const MOST_WAITING = 4096;

/** The finding at the path of a socket. */
export type SocketPlace = "own" | "nothing" | "another file" | "unreadable";

/** A socket at which wrappers connect. */
export interface SocketListener {
  /** The listening descriptor. */
  readonly fd: number;
  readonly path: string;
  /** Looks at its path: another process may have moved, replaced or covered the file. */
  readonly place: () => SocketPlace;
  /** Removes the socket's file, unless it is a later agent's by now. */
  readonly removeFile: () => void;
  /** As removeFile, and closes the descriptor. */
  readonly close: () => void;
}

/**
 * Listens at a unix socket to which every user may connect. A socket that an earlier agent has left
 * is replaced.
 *
 * @throws AgentError `SOCKET_UNUSABLE`
 */
export async function openListener(path: string): Promise<SocketListener> {
  checkFolder(dirname(path));
  await removeStale(path);
  const fd = listening(path);
  const { ino, dev } = lstatSync(path);
  const place = (): SocketPlace => placeOf(path, { ino, dev });
  const removeFile = (): void => {
    if (place() === "own") unlinkSync(path);
  };
  const close = (): void => {
    closeDescriptor(fd);
    removeFile();
  };
  return { fd, path, place, removeFile, close };
}

function placeOf(path: string, own: Pick<Stats, "ino" | "dev">): SocketPlace {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "nothing";
    return found.ino === own.ino && found.dev === own.dev ? "own" : "another file";
  } catch {
    return "unreadable";
  }
}

/**
 * A user who may write to the folder could put another socket there, and receive all registrations.
 */
function checkFolder(folder: string): void {
  const { mode, uid } = statOrRefuse(folder);
  const own = uid === 0 || uid === process.getuid?.();
  const open = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  if (own && !open) return;
  throw unusable(`folder ${JSON.stringify(folder)}: others may write to it`);
}

function statOrRefuse(folder: string): Stats {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    return statSync(folder);
  } catch (error) {
    const found = error instanceof Error ? error.message : "failed";
    throw unusable(`folder ${JSON.stringify(folder)}: ${found}`, error);
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unusable(`${JSON.stringify(path)}: it is there, and no socket`);
  if (await isAnswered(path))
    throw unusable(`${JSON.stringify(path)}: another agent listens there`);
  unlinkSync(path);
}

function listening(path: string): number {
  try {
    const listener = listenAt(path, MOST_WAITING);
    chmodSync(path, SOCKET_MODE);
    return listener;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw unusable(`${JSON.stringify(path)}: ${error.message}`, error);
  }
}

function unusable(found: string, cause?: unknown): AgentError {
  return new AgentError("SOCKET_UNUSABLE", `take registrations at ${found}`, cause);
}
