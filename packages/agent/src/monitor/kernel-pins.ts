import { mkdirSync, readdirSync, rmdirSync, statfsSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { BpfMap, closeDescriptor, SyscallError } from "@svc/kernel";
import { AgentError } from "../agent-error.ts";
import type { KernelInode } from "../kernel-inode.ts";
import { findPins } from "./found-pins.ts";
import { kernelDevice } from "./monitor-config.ts";
import { lockPins, unlockPins } from "./pins-lock.ts";

/** Where everything is pinned that outlives the agent. */
export const PIN_FOLDER = "/sys/fs/bpf/svc";

/** The folder of the pinned programs, which outlive the agent. */
export interface KernelPins {
  readonly folder: string;
  /** Which the kernel side guards. */
  readonly inode: KernelInode;
  /** Paths of maps that the programs of every agent have in common, by name. */
  readonly maps: Readonly<Record<string, string>>;
  /** An agent that has ended left something there. */
  readonly wasFound: boolean;
}

/** BPF_FS_MAGIC of include/uapi/linux/magic.h. */
const BPF_FS_MAGIC = 0xcafe4a11;
const ROOT_ONLY = 0o700;

/**
 * The state that the next agent takes over: marks of processes, unread events, numbers that never
 * repeat.
 */
const keptMaps = [
  ...(["protections", "owed_marks", "loaders", "loader_key", "regions"] as const),
  ...(["violations", "dropped", "sequences", "agent"] as const),
] as const;

/**
 * Opens the folder. If an agent that has ended left programs there, this process becomes the agent:
 * the kernel side lets one process at a time do so, and reports it.
 *
 * @returns undefined if there is no BPF file system
 * @throws AgentError `AGENT_RUNNING`; `PINS_UNUSABLE` if something is there that no agent leaves
 */
export function openPins(folder: string): KernelPins | undefined {
  if (!isBpfFileSystem(join(folder, ".."))) return undefined;
  const [strange] = findPins(folder).strange;
  if (strange !== undefined) {
    const text = `use ${folder} for the pins: ${strange}, and no agent has made it. Remove it`;
    throw new AgentError("PINS_UNUSABLE", text);
  }
  const wasFound = adoptPins(folder);
  mkdirSync(folder, { recursive: true, mode: ROOT_ONLY });
  lockPins(folder);
  const { ino, dev } = statSync(folder, { bigint: true });
  const inode = { inode: ino, device: kernelDevice(dev) };
  const maps = Object.fromEntries(keptMaps.map((name) => [name, join(folder, name)]));
  return { folder, inode, maps, wasFound };
}

/** Tells the kernel side which process is the agent, by asking for the state: bpf/guard.h. */
export function becomeKnown({ folder }: KernelPins): void {
  askForState(folder);
}

/** The result of a removal. */
export interface RemovedPins {
  /** An agent had pinned something, which is out of the kernel now. */
  readonly wasPinned: boolean;
  /** Things that no agent has made, and that stay: each with its path. */
  readonly left: readonly string[];
}

/**
 * Takes everything out of the kernel that is pinned there, and leaves things that no agent makes.
 *
 * @throws AgentError `AGENT_RUNNING`
 */
export function removePins(folder: string): RemovedPins {
  const nothing = { wasPinned: false, left: [] };
  if (!isBpfFileSystem(join(folder, ".."))) return nothing;
  const { place, pins, strange } = findPins(folder);
  if (place !== "folder") return { ...nothing, left: strange };
  const wasPinned = adoptPins(folder) && pins.length > 0;
  for (const name of pins) unlinkSync(join(folder, name));
  if (strange.length === 0) rmdirSync(folder);
  unlockPins(folder);
  return { wasPinned, left: strange };
}

/**
 * Removes the links of earlier programs, whose names end in a hyphen and another number. The
 * programs with the suffix have taken over. A BPF file system takes no dots in names.
 */
export function removeOtherLinks({ folder }: KernelPins, suffix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.includes("-") && !name.endsWith(suffix)) unlinkSync(join(folder, name));
  }
}

/**
 * To ask for the state of an agent that has ended is to become the agent: bpf/guard.h. False if
 * nothing is pinned.
 *
 * @throws AgentError `AGENT_RUNNING`
 */
export function adoptPins(folder: string): boolean {
  const { place, pins } = findPins(folder);
  if (place !== "folder") return false;
  lockPins(folder);
  if (!pins.includes("agent")) return pins.length > 0;
  try {
    askForState(folder);
    return true;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === "ENOENT") return findPins(folder).pins.length > 0;
    const text = `take over the pins in ${folder}: ${error.message}`;
    throw new AgentError("AGENT_RUNNING", text, error);
  }
}

/** By its pin, which a hook notices; and by its number, which is noticed if there is no hook. */
function askForState(folder: string): void {
  const pinned = BpfMap.pinned(join(folder, "agent"));
  try {
    askByNumber(pinned.id);
  } finally {
    closeDescriptor(pinned.fd);
  }
}

/**
 * The kernel side notices the question. The answer wants CAP_SYS_ADMIN, which an agent in a
 * DaemonSet does not have; a hook that refuses has refused the pin before.
 */
function askByNumber(id: number): void {
  try {
    closeDescriptor(BpfMap.byId(id).fd);
  } catch (error) {
    if (!(error instanceof SyscallError) || error.code !== "EPERM") throw error;
  }
}

function isBpfFileSystem(folder: string): boolean {
  try {
    return statfsSync(folder).type === BPF_FS_MAGIC;
  } catch {
    return false;
  }
}
