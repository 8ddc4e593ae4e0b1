import { kinds } from "../events/event-layout.ts";
import { inodeBytes, type KernelInode } from "../kernel-inode.ts";
import { MOST_POLICIES, type PodSelector, type Policy, type PolicyExecutable } from "./policy.ts";

/** A file as it was when its digest was taken. */
export interface ExecutableFacts extends KernelInode {
  readonly sha256: string;
  readonly size: bigint;
  /** The time of its status change, in nanoseconds since 1970. */
  readonly changedNs: bigint;
}

/** Entries of the kernel side's maps, by their keys in hexadecimal digits. */
export type MapEntries = ReadonlyMap<string, Uint8Array>;

/** Contents of the kernel side's maps; `struct svc_policies` and its neighbours of bpf/event.h. */
export interface CompiledPolicies {
  readonly policies: Uint8Array;
  readonly executables: MapEntries;
  readonly cgroups: MapEntries;
  readonly users: MapEntries;
  readonly groups: MapEntries;
}

/** The facts of this machine that policies depend on. */
export interface CompileContext {
  /** The file at a path; undefined if it cannot be read. */
  readonly executableAt: (path: string) => ExecutableFacts | undefined;
  /** UIDs of the pods of this machine that a selector matches. */
  readonly podsOf: (selector: PodSelector) => readonly string[];
  /** The number of a policy in events; not 0. */
  readonly numberOf: (name: string) => number;
  readonly nowMs: number;
  /** The clock since boot at that time, in nanoseconds. */
  readonly bootNs: bigint;
  /** Which half of the bits they get: not that of the set before. */
  readonly half: 0 | 1;
  /** Without it, policies that hold in the machine's mount namespace hold nowhere. */
  readonly seesMachine: boolean;
}

const POLICIES_BYTES = 1336;
const EXECUTABLE_BYTES = 32;
export const CGROUP_NAME_BYTES = 96;
const at = { live: 0, allowing: 8, dry: 16, anyExecutable: 24, anyCgroup: 32 } as const;
const more = { anyUser: 40, anywhere: 48, kinds: 56, numbers: 568, ends: 824 } as const;
/** A moment that does not come. */
const NO_END = 2n ** 63n - 1n;

/**
 * Pure: contents of the kernel side's maps. A policy that has expired, or that holds nowhere, has
 * no bit. One whose executable is not there, or has another digest, has no entry for it.
 */
export function compilePolicies(
  policies: readonly Policy[],
  context: CompileContext,
): CompiledPolicies {
  const { nowMs, half, numberOf, seesMachine } = context;
  const table = new DataView(new ArrayBuffer(POLICIES_BYTES));
  const executables = new Map<string, Uint8Array>();
  const named = { cgroups: new Map(), users: new Map(), groups: new Map() };
  const live = policies.filter(
    (policy) => !hasEnded(policy, nowMs) && (seesMachine || holdsAnywhere(policy)),
  );
  for (const [index, policy] of live.entries()) {
    const place = index + half * MOST_POLICIES;
    const bit = 1n << BigInt(place);
    for (const offset of wordsOf(policy)) orWord(table, offset, bit);
    table.setUint32(more.numbers + 4 * place, numberOf(policy.name), true);
    table.setBigUint64(more.ends + 8 * place, endOf(policy, context), true);
    for (const wanted of policy.executables) addExecutable(executables, { wanted, bit, context });
    for (const unit of policy.units) addBit(named.cgroups, cgroupKey(unit), bit);
    for (const folder of podFolders(policy, context)) addBit(named.cgroups, cgroupKey(folder), bit);
    for (const user of policy.users) addBit(named.users, idKey(user), bit);
    for (const group of policy.groups) addBit(named.groups, idKey(group), bit);
  }
  return { policies: new Uint8Array(table.buffer), executables, ...named };
}

export function hasEnded({ expiresMs }: Policy, nowMs: number): boolean {
  return expiresMs !== undefined && expiresMs <= nowMs;
}

/** By the clock since boot. */
function endOf({ expiresMs }: Policy, { nowMs, bootNs }: CompileContext): bigint {
  if (expiresMs === undefined) return NO_END;
  const end = bootNs + BigInt(Math.floor(expiresMs - nowMs)) * 1_000_000n;
  return end < NO_END ? end : NO_END;
}

/** Offsets of the words in which a policy has its bit. */
function wordsOf(policy: Policy): readonly number[] {
  const { executables, units, pods, users, groups } = policy;
  const words: readonly (readonly [offset: number, holds: boolean])[] = [
    [at.live, true],
    [policy.mode === "allow" ? at.allowing : at.dry, true],
    [at.anyExecutable, executables.length === 0],
    [at.anyCgroup, units.length + pods.length === 0],
    [more.anyUser, users.length + groups.length === 0],
    [more.anywhere, holdsAnywhere(policy)],
  ];
  return [
    ...words.flatMap(([offset, holds]) => (holds ? [offset] : [])),
    ...policy.attempts.map((kind) => more.kinds + 8 * (kinds.indexOf(kind) + 1)),
  ];
}

function orWord(table: DataView, offset: number, bit: bigint): void {
  table.setBigUint64(offset, table.getBigUint64(offset, true) | bit, true);
}

/**
 * A user of a container may have any number, and a file there may load other libraries. Only the
 * system makes control groups of services and pods, and many services have their own mount
 * namespace.
 */
export function holdsAnywhere({ units, pods, executables }: Policy): boolean {
  return units.length + pods.length > 0 && executables.length === 0;
}

interface NamedExecutable {
  readonly wanted: PolicyExecutable;
  readonly bit: bigint;
  readonly context: CompileContext;
}

function addExecutable(
  entries: Map<string, Uint8Array>,
  { wanted, bit, context }: NamedExecutable,
): void {
  const file = context.executableAt(wanted.path);
  if (file === undefined || file.sha256 !== wanted.sha256) return;
  const key = Buffer.from(inodeBytes(file)).toString("hex");
  const value = new DataView(new ArrayBuffer(EXECUTABLE_BYTES));
  value.setBigUint64(8, file.size, true);
  value.setBigUint64(16, file.changedNs / 1_000_000_000n, true);
  value.setUint32(24, Number(file.changedNs % 1_000_000_000n), true);
  const before = entries.get(key) ?? new Uint8Array(value.buffer);
  entries.set(key, withBit(before, bit));
}

function addBit(entries: Map<string, Uint8Array>, key: string, bit: bigint): void {
  entries.set(key, withBit(entries.get(key) ?? new Uint8Array(8), bit));
}

/** Values of all these maps begin with the bits of policies. */
function withBit(value: Uint8Array, bit: bigint): Uint8Array {
  const copy = value.slice();
  const view = new DataView(copy.buffer);
  view.setBigUint64(0, view.getBigUint64(0, true) | bit, true);
  return copy;
}

/**
 * Names that the folder of a pod may have. They are known when the pod is, before its folder is
 * made: by the kubelet's drivers `cgroupfs`, and `systemd` with one of three classes of service.
 */
function podFolders({ pods }: Policy, { podsOf }: CompileContext): readonly string[] {
  return pods.flatMap(podsOf).flatMap((uid) => {
    const escaped = uid.replaceAll("-", "_");
    const classes = ["", "burstable-", "besteffort-"];
    return [`pod${uid}`, ...classes.map((name) => `kubepods-${name}pod${escaped}.slice`)];
  });
}

function cgroupKey(name: string): string {
  const key = Buffer.alloc(CGROUP_NAME_BYTES);
  key.write(name);
  return key.toString("hex");
}

function idKey(id: number): string {
  const key = Buffer.alloc(4);
  key.writeUInt32LE(id);
  return key.toString("hex");
}
