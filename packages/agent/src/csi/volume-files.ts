import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { removeTree } from "@svc/kernel";
import { VOLUME_SOCKET } from "@svc/protocol";

/** The parts of a volume. */
export interface VolumeParts {
  /** The node's copy of the wrapper. */
  readonly copy: string;
  /** The socket at which wrappers register, in the same file system. */
  readonly socket: string;
}

const READABLE = 0o755;

/**
 * Publishes a volume: hard links to the node's copy of the wrapper, and one to the agent's socket.
 * One that is there already keeps its files, which its pod runs, and gets the socket of this agent.
 *
 * @throws Error of the file system; the target is not there then, or as it was.
 */
export function publishVolume(target: string, { copy, socket }: VolumeParts): void {
  if (!isPublished(target)) {
    const fresh = `${target}.new`;
    removeTree(fresh);
    linkTree(copy, fresh);
    renameSync(fresh, target);
  }
  linkSocket(target, socket);
}

/** Removes a volume, and the remains of a killed publisher. */
export function removeVolume(target: string): void {
  removeTree(`${target}.new`);
  removeTree(target);
}

/** Gives a volume that is there the socket of this agent. */
export function linkSocket(target: string, socket: string): void {
  const place = join(target, VOLUME_SOCKET);
  const fresh = `${place}.new`;
  removeTree(fresh);
  linkSync(socket, fresh);
  renameSync(fresh, place);
  // Of two links to one file rename(2) leaves both.
  removeTree(fresh);
}

/** It appears as a whole, and is never empty. */
export function isPublished(target: string): boolean {
  return existsSync(target) && readdirSync(target).length > 0;
}

function linkTree(from: string, to: string): void {
  mkdirSync(to, { mode: READABLE });
  chmodSync(to, READABLE);
  for (const name of readdirSync(from)) {
    const [source, place] = [join(from, name), join(to, name)];
    const found = lstatSync(source);
    if (found.isDirectory()) linkTree(source, place);
    else if (found.isSymbolicLink()) symlinkSync(readlinkSync(source), place);
    else linkSync(source, place);
  }
}
