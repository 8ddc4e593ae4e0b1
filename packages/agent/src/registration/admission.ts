/** How many connections there may be. */
export interface AdmissionLimits {
  readonly all: number;
  /** Of one pod, or of one user where there is no pod. */
  readonly perGroup: number;
}

// A node has some 110 pods; a wrapper holds one connection.
export const admissionLimits: AdmissionLimits = { all: 4096, perGroup: 64 };

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
  enter(group: string): (() => void) | undefined {
    const ofGroup = this.#groups.get(group) ?? 0;
    if (this.#all >= this.#limits.all || ofGroup >= this.#limits.perGroup) {
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
