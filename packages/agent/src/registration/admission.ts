/** How many connections there may be. */
export interface AdmissionLimits {
  readonly all: number;
  readonly perPod: number;
  /** Of what is in no pod: the wrappers of a machine without Kubernetes may all be root's. */
  readonly perUser: number;
}

/** Whose a connection is. */
export interface AdmissionGroup {
  readonly kind: "pod" | "user";
  readonly name: string;
}

// A wrapper holds one connection.
export const admissionLimits: AdmissionLimits = { all: 4096, perPod: 64, perUser: 1024 };

/** Counts connections by who they are of, so that a flood of one takes nobody else's place. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #groups = new Map<string, number>();
  #all = 0;
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

  /** Takes one in; returns what lets it go again, or undefined where there is no room. */
  enter({ kind, name }: AdmissionGroup): (() => void) | undefined {
    const group = `${kind} ${name}`;
    const ofGroup = this.#groups.get(group) ?? 0;
    const { all, perPod, perUser } = this.#limits;
    if (this.#all >= all || ofGroup >= (kind === "pod" ? perPod : perUser)) {
      this.#refused += 1;
      return undefined;
    }
    this.#all += 1;
    this.#groups.set(group, ofGroup + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(group);
    };
  }

  #leave(group: string): void {
    this.#all -= 1;
    const rest = (this.#groups.get(group) ?? 1) - 1;
    if (rest === 0) this.#groups.delete(group);
    else this.#groups.set(group, rest);
  }
}
