/** A command of a plan, and its needs. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Below the root; by default the root itself. */
  readonly folder?: string;
  /** It takes minutes, and says on standard error how far it is: that is shown at once. */
  readonly live?: true;
  /** The source of its totals: the closing lines of `bun test`, or the events of `go test -json`. */
  readonly totals?: "bun" | "go";
  /** The names of steps that have to succeed before. */
  readonly needs?: readonly string[];
  /** The processors that it keeps busy; by default one. */
  readonly busy?: number;
  /** No other test runs beside it: only quiet steps do, if there is room. */
  readonly alone?: true;
  /** It wants the processors, and its tests are on another machine: a guest of QEMU. */
  readonly inGuest?: true;
  /** It is alone on this machine, and steps in guests may run beside it. */
  readonly besideGuests?: true;
  /** It compiles or computes, and looks at no other process of the machine. */
  readonly quiet?: true;
}

/** How far a plan is. */
export interface Progress {
  /** The steps that have not begun, in the order in which they should. */
  readonly waiting: readonly Step[];
  readonly running: readonly Step[];
  /** The names of the steps that have succeeded. */
  readonly done: ReadonlySet<string>;
}

/**
 * Pure: the next step to begin, if one can: the first whose needs are done and for which there is
 * room. A step that wants to be alone waits until the other tests have ended.
 *
 * @param processors the sum of `busy` that may run at once
 */
export function nextStep(
  { waiting, running, done }: Progress,
  processors: number,
): Step | undefined {
  const busy = running.reduce((sum, step) => sum + busyOf(step), 0);
  return waiting.find((step) => {
    if (!(step.needs ?? []).every((name) => done.has(name))) return false;
    if (running.length === 0) return true;
    const fits = busy + busyOf(step) <= processors;
    return fits && running.every((other) => goTogether(step, other));
  });
}

function goTogether(one: Step, other: Step): boolean {
  if (one.quiet || other.quiet || (!one.alone && !other.alone)) return true;
  const fit = [one, other].every(({ inGuest, besideGuests }) => inGuest || besideGuests);
  return fit && Boolean(one.inGuest || other.inGuest);
}

function busyOf({ busy = 1 }: Step): number {
  return busy;
}

/**
 * Pure: the steps of these names with all that they need, each once, in the order of the table.
 *
 * @throws RangeError for a name that no step has
 */
export function withNeeds(names: readonly string[], table: readonly Step[]): readonly Step[] {
  const wanted = new Set(names);
  for (const name of wanted) {
    const step = table.find((row) => row.name === name);
    if (step === undefined) throw new RangeError(`find a step: there is none called "${name}"`);
    for (const need of step.needs ?? []) wanted.add(need);
  }
  return table.filter(({ name }) => wanted.has(name));
}
