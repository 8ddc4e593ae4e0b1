import type { DeliveryMethod } from "@svc/settings";
import type { HeldVersion, VersionsOfProgram } from "./held-versions.ts";
import type { Ledger } from "./ledger.ts";
import { isSameNote, type KnownRegistration, type NotedProcess } from "./ledger-text.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** How the values got into a program. */
export type RegisteredDelivery = DeliveryMethod | "unknown";

/**
 * The facts about a registration; pod and cgroup come from the kernel, the names from the wrapper.
 */
export interface RegistrationFacts {
  readonly registration: bigint;
  readonly podUid?: string;
  readonly containerId?: string;
  /** As the wrapper calls them: a help for people, and no proof. */
  readonly named: {
    readonly container?: string;
    readonly podName?: string;
    readonly podNamespace?: string;
  };
  readonly cgroup: string;
  /** The user of the wrapper. */
  readonly uid?: number;
  readonly by: "socket" | "token" | "certificate";
  readonly delivery: RegisteredDelivery;
  readonly keyCount: number;
  readonly protections: readonly string[];
  readonly pids: readonly number[];
  readonly sinceMs: number;
  /** Whether the wrapper's stream is open. */
  readonly connected: boolean;
}

/** The wrapper of one stream. */
export type Registrant = Pick<
  RegistrationFacts,
  "podUid" | "containerId" | "named" | "cgroup" | "uid" | "by"
> & {
  /** The wrapper, if the kernel has said who it is. */
  readonly wrapper?: ProcessIdentity;
};

/** A wrapper's statements about a program. */
export type ProgramWords = Pick<RegistrationFacts, "delivery" | "keyCount" | "protections">;

/** How many there are of what. */
export interface RegistryCounts {
  readonly registrations: number;
  readonly processes: number;
  readonly connected: number;
}

/** The inputs of a registry. */
export interface RegistryOptions {
  readonly nowMs?: () => number;
  /** The first number, by default 1. No number of an agent before may come again. */
  readonly first?: bigint;
  /** The facts of earlier agents, and the ledger for this one's. */
  readonly ledger?: Ledger;
}

interface Entry {
  registrant: Registrant;
  readonly sinceMs: number;
  words: ProgramWords;
  versions: readonly HeldVersion[];
  readonly processes: Map<number, NotedProcess>;
  /** A wrapper that comes back may be here before the end of its old stream is. */
  streams: number;
  goneAtMs: number | undefined;
}

// Children that a program has left behind have its mark: their events still want a name.
const REMEMBERED_MS = 10 * 60_000;

/**
 * The protected programs, with their wrappers. It knows the processes that wrappers have named;
 * their children the kernel alone knows. A registration is forgotten some minutes after its stream
 * and the last of its processes.
 */
export class Registry {
  readonly #entries = new Map<bigint, Entry>();
  readonly #byPid = new Map<number, bigint>();
  readonly #byWrapper = new Map<number, bigint>();
  readonly #listeners = new Set<() => void>();
  readonly #nowMs: () => number;
  #last: bigint;

  readonly #ledger: Ledger | undefined;

  constructor({ nowMs = Date.now, first = 1n, ledger }: RegistryOptions = {}) {
    this.#nowMs = nowMs;
    this.#last = first - 1n;
    this.#ledger = ledger;
    for (const known of ledger?.known ?? []) this.#restore(known);
  }

  /** Calls at every change; returns the function that ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * A number for a stream: a wrapper that comes back has the one that it had.
   *
   * @param inherited the registration from an earlier agent that the kernel still knows
   */
  begin(registrant: Registrant, inherited?: bigint): bigint {
    const known = registrant.wrapper && this.ofWrapper(registrant.wrapper);
    const entry = known === undefined ? undefined : this.#entries.get(known);
    if (known !== undefined && entry !== undefined) {
      entry.registrant = registrant;
      entry.streams += 1;
      entry.goneAtMs = undefined;
      return this.#changed(known);
    }
    const own = inherited === undefined || this.#entries.has(inherited) ? this.#next() : inherited;
    this.#entries.set(own, { ...this.#newEntry(registrant), streams: 1 });
    const { wrapper } = registrant;
    if (wrapper !== undefined) {
      this.#byWrapper.set(wrapper.pid, own);
      this.#ledger?.note({ what: "wrapper", registration: own, process: wrapper });
    }
    return this.#changed(own);
  }

  /** Notes a process, which is marked. */
  add(registration: bigint, process: NotedProcess, words: ProgramWords): void {
    const entry = this.#entries.get(registration);
    if (entry === undefined) return;
    const { pid } = process;
    if (!isSameNote(entry.processes.get(pid), process)) this.#note(registration, process);
    const before = this.#byPid.get(pid);
    if (before !== undefined && before !== registration) this.#drop(before, pid);
    entry.words = words;
    entry.processes.set(pid, process);
    entry.goneAtMs = undefined;
    this.#byPid.set(pid, registration);
    this.#changed(registration);
  }

  /** One of its streams has ended; its processes stay protected. */
  disconnect(registration: bigint): void {
    const entry = this.#entries.get(registration);
    if (entry === undefined) return;
    entry.streams -= 1;
    this.#changed(registration);
  }

  /** A process has ended. */
  remove({ pid, startTicks }: ProcessIdentity): void {
    const registration = this.#byPid.get(pid);
    if (registration === undefined) return;
    if (this.#entries.get(registration)?.processes.get(pid)?.startTicks !== startTicks) return;
    this.#drop(registration, pid);
    this.#changed(registration);
  }

  /** Forgets registrations that ended a while ago. */
  forget(): void {
    const nowMs = this.#nowMs();
    for (const [registration, entry] of this.#entries) {
      if (entry.streams > 0 || entry.processes.size > 0) continue;
      entry.goneAtMs ??= nowMs;
      if (nowMs - entry.goneAtMs < REMEMBERED_MS) continue;
      this.#entries.delete(registration);
      const pid = entry.registrant.wrapper?.pid;
      if (pid !== undefined && this.#byWrapper.get(pid) === registration)
        this.#byWrapper.delete(pid);
      this.#changed(registration);
    }
    this.#ledger?.tidy(() => this.#known());
  }

  /** The processes that were reported to it. */
  processes(): readonly ProcessIdentity[] {
    return [...this.#entries.values()].flatMap(({ processes }) => [...processes.values()]);
  }

  /** The registration that a process was registered under by its wrapper. */
  ofProcess({ pid, startTicks }: ProcessIdentity): bigint | undefined {
    const registration = this.#byPid.get(pid);
    if (registration === undefined) return undefined;
    const known = this.#entries.get(registration)?.processes.get(pid);
    return known?.startTicks === startTicks ? registration : undefined;
  }

  /** The registration that a process is the wrapper of. */
  ofWrapper({ pid, startTicks }: ProcessIdentity): bigint | undefined {
    const registration = this.#byWrapper.get(pid);
    if (registration === undefined) return undefined;
    const wrapper = this.#entries.get(registration)?.registrant.wrapper;
    return wrapper?.startTicks === startTicks ? registration : undefined;
  }

  /** The wrapper of a registration, if the kernel has said who that is. */
  wrapperOf(registration: bigint): ProcessIdentity | undefined {
    return this.#entries.get(registration)?.registrant.wrapper;
  }

  /** How many processes of a registration there are. */
  processCount(registration: bigint): number {
    return this.#entries.get(registration)?.processes.size ?? 0;
  }

  /** The registration's fields in events; undefined if it is not known, or no longer known. */
  registrationOf(registration: bigint): RegistrationFacts | undefined {
    const entry = this.#entries.get(registration);
    if (entry === undefined) return undefined;
    const { wrapper: _, ...registrant } = entry.registrant;
    return {
      registration,
      ...registrant,
      ...entry.words,
      pids: [...entry.processes.keys()],
      sinceMs: entry.sinceMs,
      connected: entry.streams > 0,
    };
  }

  /** A wrapper says which versions its program has. Nothing is decided by them. */
  holds(registration: bigint, versions: readonly HeldVersion[]): void {
    const entry = this.#entries.get(registration);
    if (entry !== undefined) entry.versions = versions;
  }

  /** The versions of all programs, as far as their wrappers have said them. */
  versions(): readonly VersionsOfProgram[] {
    return [...this.#entries].flatMap(([registration, { registrant, streams, versions }]) => {
      if (versions.length === 0) return [];
      const { podUid, named } = registrant;
      const who = { registration, ...(podUid !== undefined && { podUid }), named };
      return [{ ...who, connected: streams > 0, secrets: versions }];
    });
  }

  counts(): RegistryCounts {
    const entries = [...this.#entries.values()];
    const connected = entries.filter(({ streams }) => streams > 0).length;
    return { registrations: entries.length, processes: this.#byPid.size, connected };
  }

  #newEntry(registrant: Registrant): Entry {
    return {
      registrant,
      sinceMs: this.#nowMs(),
      words: { delivery: "unknown", keyCount: 0, protections: [] },
      versions: [],
      processes: new Map(),
      streams: 0,
      goneAtMs: undefined,
    };
  }

  /** Its wrapper comes back and says the rest. */
  #restore({ registration, wrapper, processes }: KnownRegistration): void {
    const entry = this.#newEntry({ named: {}, cgroup: "", by: "socket", wrapper });
    this.#entries.set(registration, entry);
    if (registration > this.#last) this.#last = registration;
    this.#byWrapper.set(wrapper.pid, registration);
    for (const process of processes) {
      entry.processes.set(process.pid, process);
      this.#byPid.set(process.pid, registration);
    }
  }

  /** A wrapper over TCP cannot come back. */
  #known(): readonly KnownRegistration[] {
    return [...this.#entries].flatMap(([registration, { registrant, processes }]) => {
      const { wrapper } = registrant;
      if (wrapper === undefined) return [];
      return [{ registration, wrapper, processes: [...processes.values()] }];
    });
  }

  #note(registration: bigint, process: NotedProcess): void {
    if (this.#entries.get(registration)?.registrant.wrapper === undefined) return;
    this.#ledger?.note({ what: "process", registration, process });
  }

  #next(): bigint {
    this.#last += 1n;
    return this.#last;
  }

  #drop(registration: bigint, pid: number): void {
    this.#entries.get(registration)?.processes.delete(pid);
    this.#byPid.delete(pid);
  }

  #changed(registration: bigint): bigint {
    for (const listener of this.#listeners) listener();
    return registration;
  }
}
