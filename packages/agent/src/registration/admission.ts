/** How many connections there may be. */
export interface AdmissionLimits {
  readonly all: number;
  readonly perPod: number;
  /**
   * The limit of a service or a user outside of pods: the wrappers of a machine without Kubernetes
   * may all be root's.
   */
  readonly perUser: number;
  /**
   * The limit of a user who may not register. It gets connections, so that the answer can say so.
   */
  readonly perStranger: number;
  /** The limit of all such users together. */
  readonly strangers: number;
  /** The limit of a pod, and of a user, as long as the wrapper has not said Hello. */
  readonly silentPerPod: number;
  readonly silentPerUser: number;
}

/** The owner of a connection. */
export interface AdmissionGroup {
  readonly kind: "pod" | "user" | "stranger";
  readonly name: string;
}

/** A connection's place. Each is called once or more; only the first call counts. */
export interface Place {
  /** The wrapper has said Hello: it is silent no more. */
  readonly greeted: () => void;
  readonly leave: () => void;
}

// A wrapper holds one connection.
export const admissionLimits: AdmissionLimits = {
  ...{ all: 4096, perPod: 64, perUser: 1024, perStranger: 8, strangers: 64 },
  ...{ silentPerPod: 32, silentPerUser: 256 },
};

/** The connection, its caller's pidfd, and a copy of that for the stream. */
const DESCRIPTORS_EACH = 3;
/** For the kernel side, the platform, the files of /proc that are read meanwhile. */
const RESERVED_DESCRIPTORS = 256;

/** Pure: the limits of an agent with a limit of descriptors: connections leave it some. */
export function limitsWithin(descriptors: number): AdmissionLimits {
  const room = Math.floor((descriptors - RESERVED_DESCRIPTORS) / DESCRIPTORS_EACH);
  return { ...admissionLimits, all: Math.max(1, Math.min(admissionLimits.all, room)) };
}

/** The facts about a group's connections. */
export interface GroupCounts {
  readonly all: number;
  readonly silent: number;
}

/** Pure: whether another connection of a group has room. */
export function hasRoom(
  kind: AdmissionGroup["kind"],
  ofGroup: GroupCounts,
  { all, strangers }: { readonly all: number; readonly strangers: number },
  limits: AdmissionLimits = admissionLimits,
): boolean {
  if (all >= limits.all) return false;
  switch (kind) {
    case "pod":
      return ofGroup.all < limits.perPod && ofGroup.silent < limits.silentPerPod;
    case "user":
      return ofGroup.all < limits.perUser && ofGroup.silent < limits.silentPerUser;
    case "stranger":
      return ofGroup.all < limits.perStranger && strangers < limits.strangers;
  }
}

/** Counts connections by whose they are, so that a flood of one takes no other's place. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #groups = new Map<string, { all: number; silent: number }>();
  #all = 0;
  #strangers = 0;
  #refused = 0;

  constructor(limits: AdmissionLimits = admissionLimits) {
    this.#limits = limits;
  }

  /** How many were turned away. */
  get refused(): number {
    return this.#refused;
  }

  get admitted(): number {
    return this.#all;
  }

  /** Takes one in; undefined if there is no room. */
  enter({ kind, name }: AdmissionGroup): Place | undefined {
    const key = `${kind} ${name}`;
    const group = this.#groups.get(key) ?? { all: 0, silent: 0 };
    const counts = { all: this.#all, strangers: this.#strangers };
    if (!hasRoom(kind, group, counts, this.#limits)) {
      this.#refused += 1;
      return undefined;
    }
    const isStranger = kind === "stranger";
    this.#all += 1;
    this.#strangers += Number(isStranger);
    group.all += 1;
    group.silent += 1;
    this.#groups.set(key, group);
    const greeted = once(() => {
      group.silent -= 1;
    });
    const leave = once(() => {
      greeted();
      this.#all -= 1;
      this.#strangers -= Number(isStranger);
      group.all -= 1;
      if (group.all === 0) this.#groups.delete(key);
    });
    return { greeted, leave };
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
