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
import { basename, join } from "node:path";
import { removeTree } from "@svc/kernel";

/** The parts of a volume. */
export interface VolumeParts {
  /** The node's copy of the wrapper. */
  readonly copy: string;
  /** The agent's sockets, in the same file system. */
  readonly sockets: readonly string[];
}

const READABLE = 0o755;

/**
 * Publishes a volume: hard links to the node's copy of the wrapper, and to the agent's sockets.
 * One that is there already keeps its files, which its pod runs, and gets the sockets of this
 * agent.
 *
 * @throws Error of the file system; the target is not there then, or as it was.
 */
export function publishVolume(target: string, { copy, sockets }: VolumeParts): void {
  if (!isPublished(target)) {
    const fresh = `${target}.new`;
    removeTree(fresh);
    linkTree(copy, fresh);
    renameSync(fresh, target);
  }
  linkSockets(target, sockets);
}

/** Removes a volume, and the remains of a killed publisher. */
export function removeVolume(target: string): void {
  removeTree(`${target}.new`);
  removeTree(target);
}

/** Puts the sockets of this agent into a volume that exists. */
export function linkSockets(target: string, sockets: readonly string[]): void {
  for (const socket of sockets) linkSocket(target, socket);
}

function linkSocket(target: string, socket: string): void {
  const place = join(target, basename(socket));
  if (areOneFile(socket, place)) return;
  const fresh = `${place}.new`;
  removeTree(fresh);
  linkSync(socket, fresh);
  renameSync(fresh, place);
}

function areOneFile(one: string, other: string): boolean {
  const found = lstatSync(other, { throwIfNoEntry: false });
  const wanted = lstatSync(one);
  return found !== undefined && found.ino === wanted.ino && found.dev === wanted.dev;
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
