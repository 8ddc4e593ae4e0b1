/**
 * Numbers of policies, which events of the kernel side call them by. A name keeps its number while
 * the agent runs.
 */
export class PolicyNames {
  readonly #names: string[] = [];

  /** From 1 on. */
  readonly numberOf = (name: string): number => {
    const place = this.#names.indexOf(name);
    return place < 0 ? this.#names.push(name) : place + 1;
  };

  /** Undefined of 0, and of a number that no policy has had. */
  readonly nameOf = (number: number): string | undefined => this.#names[number - 1];
}
