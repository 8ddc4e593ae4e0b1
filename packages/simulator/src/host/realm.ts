import { ENGINE, globalNames, type WrapperCode } from "../code/wrapper-code.ts";
import type { Machine } from "../machine/machine.ts";

/** The modules of one process: each process evaluates its own. */
export class Realm {
  readonly #code: WrapperCode;
  readonly #engine: object;
  readonly #globals: Record<string, unknown>;
  readonly #loaded = new Map<string, { exports: object }>();

  constructor(code: WrapperCode, engine: object, machine: Machine) {
    this.#code = code;
    this.#engine = engine;
    this.#globals = { Date: dateOf(machine), Math: mathOf(machine) };
    this.#globals["globalThis"] = this.#globals;
    this.load(code.globals);
  }

  /** The exports of a module, which is evaluated once. */
  load(name: string): object {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.exports;
    const evaluate = this.#code.modules.get(name);
    if (evaluate === undefined) throw new Error(`the wrapper has no module ${name}`);
    const module = { exports: {} };
    this.#loaded.set(name, module);
    const require = (path: string) => (path === ENGINE ? this.#engine : this.load(path));
    evaluate(
      module,
      module.exports,
      require,
      ...globalNames.map((global) => this.#globals[global]),
    );
    return module.exports;
  }
}

/** Date, by the machine's clock. */
function dateOf(machine: Machine): typeof Date {
  return class extends Date {
    constructor(...given: readonly unknown[]) {
      // The parameters are those of Date itself.
      super(...((given.length === 0 ? [machine.wallMs] : given) as [number]));
    }

    static override now(): number {
      return Math.floor(machine.wallMs);
    }
  } as typeof Date;
}

/** Math, with the machine's random numbers. */
function mathOf(machine: Machine): Math {
  return Object.create(Math, { random: { value: () => machine.random.fraction() } });
}
